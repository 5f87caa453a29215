import { describe, expect, test } from 'vitest'
import { folderWith, holdfast, threadOf } from './command-kit.ts'
import { scriptedAgent } from './scripted-agent.ts'

/** B111: clipboard, title, hyperlink, clear, line rewriting, 8-bit controls, device control, reset, bells, right-to-left override. */
const HOSTILE =
  '\u001b]52;c;aWQK\u0007 \u001b]0;title\u0007 \u001b]8;;http://evil\u0007 \u001b[2J \u001b[1A\u001b[2Kapproved \u009b31m \u0090q \u001bc \r over \u202edesrever \u0007\u0007'
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

describe('on a terminal', () => {
  test('an answer is shown while it comes, and once', async () => {
    const folder = folderWith(
      scriptedAgent([{ text: 'I look.', toolCalls: [{ name: 'echo', arguments: { text: 'x' } }] }, { text: 'Found it.\nAll is well.' }], {
        tools: ['echo']
      })
    )
    const told = await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'], { tty: true, env: { NO_COLOR: '1' } })
    expect(told).toMatchObject({ code: 0, stdout: 'I look.\nFound it.\nAll is well.\n' })
  })

  test('an answer that nobody saw come is shown whole, also beside calls', async () => {
    const turns = [{ text: 'I look.', toolCalls: [{ name: 'echo', arguments: { text: 'x' } }] }, { text: 'Found it.' }]
    const folder = folderWith(scriptedAgent(turns, { tools: ['echo'] }))
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs']))
    expect((await holdfast(folder, ['attach', thread], { tty: true, env: { NO_COLOR: '1' } })).stdout).toBe('I look.\nFound it.\n')
  })

  test('characters beyond the first plane come whole', async () => {
    const text = '\u{1F600}a\u{1F469}\u200d\u{1F4BB}'.repeat(40)
    const folder = folderWith(scriptedAgent([{ text }]))
    expect((await holdfast(folder, ['run', 'agent.yaml'], { tty: true })).stdout).toBe(`${text}\n`)
  })

  test('validated output is not printed twice either', async () => {
    const outputSchema = { type: 'object', properties: { sum: { type: 'number' } } }
    const folder = folderWith(scriptedAgent([{ text: '{"sum": 3}', delayMs: 300 }], { outputSchema }))
    expect((await holdfast(folder, ['run', 'agent.yaml'], { tty: true })).stdout).toBe('{"sum": 3}\n')
  })

  test('the result of a finished thread is printed, as nothing of it has been shown', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'Done.' }]))
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    expect((await holdfast(folder, ['resume', thread], { tty: true })).stdout).toBe('Done.\n')
  })

  test('colours come from the command alone, and only where they are wanted', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'ok' }]))
    const colored = async (argv: readonly string[], env: { readonly [name: string]: string }, tty: boolean): Promise<boolean> =>
      (await holdfast(folder, ['run', 'agent.yaml', ...argv], { tty, env })).stderr.includes('\u001b[')
    expect(await colored([], {}, true)).toBe(true)
    expect(await colored(['--no-color'], {}, true)).toBe(false)
    expect(await colored([], { NO_COLOR: '1' }, true)).toBe(false)
    expect(await colored([], { TERM: 'dumb' }, true)).toBe(false)
    expect(await colored([], {}, false)).toBe(false)
  })

  test.for([[true], [false]])('what models, tools and people write does not steer it (terminal: %s)', async ([tty]) => {
    const turns = [
      {
        text: HOSTILE,
        toolCalls: [
          { name: 'echo', arguments: { text: HOSTILE } },
          { name: HOSTILE, arguments: {} }
        ]
      },
      { text: HOSTILE }
    ]
    const folder = folderWith(scriptedAgent(turns, { tools: ['echo'], name: `x${HOSTILE}` }))
    const plain = { ...(tty === true ? { tty } : {}), env: { NO_COLOR: '1' } }
    const run = await holdfast(folder, ['run', 'agent.yaml', HOSTILE, '--tools', 'tools.mjs'], plain)
    expect(run.code).toBe(0)
    const thread = threadOf(run)
    for (const argv of [
      ['show', thread],
      ['log', thread],
      ['log', thread, '--facts'],
      ['threads'],
      ['threads', '--json'],
      ['show', thread, '--json'],
      ['show', thread, '--prompt', '2'],
      ['show', thread, '--prompt', '2', '--json'],
      ['export', thread],
      ['explain', thread],
      ['usage'],
      ['attach', thread, '--from', '1', '--jsonl'],
      ['wait', thread, '--json'],
      ['store', 'check'],
      ['log', thread, '--jsonl'],
      ['resume', thread, '--json']
    ]) {
      const told = await holdfast(folder, argv, plain)
      expect({ argv, code: told.code, steers: STEERING.test(told.stdout + told.stderr) }).toEqual({ argv, code: 0, steers: false })
    }
    expect(run.stderr).not.toMatch(STEERING)
    // Into a pipe the result goes as it is; on the terminal it is visible.
    if (tty === true) expect(run.stdout).not.toMatch(STEERING)
    else expect(run.stdout).toBe(`${HOSTILE}\n`)
  })

  test('errors that quote what was given do not steer it', async () => {
    const folder = folderWith({
      [`x.yaml`]: `schemaVersion: "1.0"\n"${HOSTILE.replaceAll('\u001b', '\\e')
        .replaceAll('\u0007', '\\a')
        .replaceAll(/[\u0090\u009b\r\u202e]/g, '')}": 1\n`
    })
    for (const argv of [['run', 'x.yaml'], ['run', `no${HOSTILE}.yaml`], ['show', HOSTILE], [HOSTILE], ['threads', '--status', HOSTILE]]) {
      const told = await holdfast(folder, argv, { tty: true, env: { NO_COLOR: '1' } })
      expect({ argv, code: told.code, steers: STEERING.test(told.stderr + told.stdout) }).toEqual({ argv, code: 2, steers: false })
    }
  })

  test('JSON keeps every character of the data', async () => {
    const folder = folderWith(scriptedAgent([{ text: HOSTILE }]))
    const { stdout } = await holdfast(folder, ['run', 'agent.yaml', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ text: HOSTILE })
  })
})
