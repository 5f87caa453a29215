import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addFiles, eventually, folderWith, holdfast, linesOf, startHoldfast, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

/** The first bytes of a format, and some more. */
const bytes = (hex: string, more = 64): Buffer => Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(more, 7)])
const PNG = bytes('89504e470d0a1a0a')

interface Shown {
  readonly data?: { readonly parts?: { readonly inline?: readonly { readonly type: string; readonly [field: string]: unknown }[] } }
  readonly type: string
}

/** The parts of the first message of the only thread of a folder. */
async function firstMessage(folder: string, thread: string): Promise<readonly { readonly type: string }[]> {
  const { stdout } = await holdfast(folder, ['log', thread, '--jsonl'])
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Shown)
  return events.find(({ type }) => type === 'message.received')?.data?.parts?.inline ?? []
}

describe('holdfast run --input', () => {
  test('takes the prompt as text, from a file, or from standard input', async () => {
    const turns = ['text', 'file', 'pipe', '@sign'].map((word) => ({ text: `got ${word}`, when: word }))
    const folder = folderWith({ ...scriptedAgent(turns), 'task.md': 'from a file\n' })
    const run = async (input: string): Promise<string> =>
      (await holdfast(folder, ['run', 'agent.yaml', '--input', input], { stdin: 'from a pipe' })).stdout
    expect(await run('a text')).toBe('got text\n')
    expect(await run('@task.md')).toBe('got file\n')
    expect(await run('-')).toBe('got pipe\n')
    expect(await run('@@sign')).toBe('got @sign\n')
  })

  test.for([
    ['hello\n', 'hello'],
    ['hello\r\n', 'hello'],
    ['a\n\nb\n\n', 'a\n\nb\n'],
    ['  kept ', '  kept ']
  ] as const)('is without the last line end of a pipe or a file: %j', async ([given, text]) => {
    const folder = folderWith({ ...scriptedAgent([{ text: 'ok' }]), 'task.md': given })
    for (const argv of [['-'], ['--input', '-'], ['--input', '@task.md']]) {
      const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml', ...argv], { stdin: given }))
      expect(await firstMessage(folder, thread)).toEqual([{ type: 'text', text }])
    }
  })

  test.for([
    ['twice', ['run', 'agent.yaml', 'one', '--input', 'two'], 'invalid_input'],
    ['from no file', ['run', 'agent.yaml', '--input', '@gone.md'], 'file_not_found'],
    ['from an empty file', ['run', 'agent.yaml', '--input', '@empty.md'], 'invalid_input']
  ] as const)('refuses a prompt %s', async ([, argv, code]) => {
    const folder = folderWith({ ...scriptedAgent([{ text: 'ok' }]), 'empty.md': '' })
    const told = await holdfast(folder, [...argv, '--json'])
    expect(told.code).toBe(2)
    expect(JSON.parse(told.stdout)).toMatchObject({ error: { code } })
  })
})

describe('holdfast run --attach', () => {
  test('adds files to the prompt, by what their bytes are', async () => {
    const folder = folderWith({
      ...scriptedAgent([{ text: 'seen' }], { prompt: 'Look at {{ what }}.', variables: [{ key: 'what', type: 'string', value: 'it' }] }),
      'notes.md': '# Notes'
    })
    writeFileSync(join(folder, 'photo.txt'), PNG)
    writeFileSync(join(folder, 'doc'), bytes('255044462d312e37'))
    writeFileSync(join(folder, 'w.png'), bytes(`52494646${'00000000'}57454250`))
    const attached = ['photo.txt', 'doc', 'w.png', 'notes.md'].flatMap((path) => ['--attach', path])
    const told = await holdfast(folder, ['run', 'agent.yaml', ...attached])
    expect(told).toMatchObject({ code: 0, stdout: 'seen\n' })
    expect(await firstMessage(folder, threadOf(told))).toEqual([
      { type: 'text', text: 'Look at it.' },
      { type: 'file', mediaType: 'image/png', filename: 'photo.txt', source: { data: PNG.toString('base64') } },
      { type: 'file', mediaType: 'application/pdf', filename: 'doc', source: { data: expect.any(String) } },
      { type: 'file', mediaType: 'image/webp', filename: 'w.png', source: { data: expect.any(String) } },
      { type: 'text', text: 'The file notes.md:\n\n# Notes' }
    ])
  })

  test.for([
    ['that is not there', 'gone.png', 'file_not_found'],
    ['that is a folder', 'folder', 'file_unreadable'],
    ['that nobody can read', 'program', 'file_unreadable'],
    ['that is larger than a message', 'large.png', 'value_too_large'],
    ['that makes the message too large', 'half.png', 'value_too_large']
  ] as const)('refuses a file %s, and starts nothing', async ([, path, code]) => {
    const folder = folderWith({ ...scriptedAgent([{ text: 'ok' }]), 'folder/x': '' })
    writeFileSync(join(folder, 'program'), bytes('7f454c4602010100'))
    writeFileSync(join(folder, 'large.png'), bytes('89504e470d0a1a0a', 12_600_000))
    writeFileSync(join(folder, 'half.png'), bytes('89504e470d0a1a0a', 12_582_900))
    const told = await holdfast(folder, ['run', 'agent.yaml', '--attach', path, '--json'])
    expect(told.code).toBe(2)
    expect(JSON.parse(told.stdout)).toMatchObject({ error: { code } })
    expect((await holdfast(folder, ['threads'])).code).toBe(6)
  })
})

describe('holdfast run --detach', () => {
  test('starts a thread that somebody else drives', async () => {
    const folder = folderWith(scriptedAgent([calling('stamp'), { text: 'done' }], { tools: ['stamp'] }))
    const started = await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs', '--detach'])
    expect(started).toMatchObject({ code: 0, stdout: expect.stringMatching(/^thr_\w+\n$/) })
    const thread = started.stdout.trim()
    expect(linesOf(join(folder, 'ledger.txt'))).toEqual([])
    expect(await holdfast(folder, ['resume', thread])).toMatchObject({ code: 0, stdout: 'done\n' })
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(1)
  })

  test('tells what it started, and what was there before', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'done' }]))
    const start = async (): Promise<unknown> =>
      JSON.parse((await holdfast(folder, ['run', 'agent.yaml', '--detach', '--idempotency-key', 'k', '--json'])).stdout)
    const first = (await start()) as { thread: string }
    expect(first).toMatchObject({ created: true, run: expect.stringMatching(/^run_/), resume: `holdfast resume ${first.thread}` })
    expect(await start()).toEqual({ ...first, created: false })
  })

  test('checks all that driving would need', async () => {
    const told = await holdfast(folderWith(scriptedAgent([], { tools: ['stamp'] })), ['run', 'agent.yaml', '--detach', '--json'])
    expect(told.code).toBe(2)
    expect(JSON.parse(told.stdout)).toMatchObject({ error: { code: 'tool_unknown' } })
  })
})

describe('holdfast run --timeout', () => {
  test('lets go when the time is up, and the thread goes on', async () => {
    const files = (delayMs: number) => scriptedAgent([calling('stamp'), { text: 'late', delayMs }], { tools: ['stamp'] })
    const folder = folderWith(files(600_000))
    const told = await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs', '--timeout', '4.5s', '--json'])
    expect(told.code).toBe(124)
    const thread = threadOf(told)
    expect(JSON.parse(told.stdout)).toMatchObject({
      thread,
      status: 'running',
      interrupted: 'TIMEOUT',
      resume: `holdfast resume ${thread}`
    })
    addFiles(folder, files(0))
    expect(await holdfast(folder, ['resume', thread])).toMatchObject({ code: 0, stdout: 'late\n' })
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(1)
  })

  test('bounds waiting for standard input, too', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'ok' }]))
    const running = startHoldfast(folder, ['run', 'agent.yaml', '-', '--timeout', '200'], { stdio: 'pipe' })
    expect(await running.ended).toBe(124)
    expect(running.stderr()).toContain('nothing was started')
    expect(existsSync(join(folder, '.holdfast'))).toBe(false)
  })

  test('says as a document that it ended before anything was begun', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'ok' }]))
    const running = startHoldfast(folder, ['run', 'agent.yaml', '-', '--timeout', '200', '--json'], { stdio: 'pipe' })
    expect(await running.ended).toBe(124)
    expect(JSON.parse(running.stdout())).toEqual({ interrupted: 'TIMEOUT', started: false })
  })

  test('is not felt by a run that is done before', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'ok' }]))
    expect(await holdfast(folder, ['run', 'agent.yaml', '--timeout', '1h'])).toMatchObject({ code: 0, stdout: 'ok\n' })
  })

  test.for([['0'], ['-1'], ['5 m'], ['1e3'], ['soon'], ['999h'], ['']])('refuses %j', async ([time]) => {
    const told = await holdfast(folderWith(), ['run', 'a.yaml', `--timeout=${time}`, '--json'])
    expect(told.code).toBe(2)
    expect(JSON.parse(told.stdout)).toMatchObject({ error: { code: 'invalid_input' } })
  })

  test('does not go with --detach', async () => {
    const told = await holdfast(folderWith(), ['run', 'a.yaml', '--timeout', '1s', '--detach', '--json'])
    expect(told.code).toBe(2)
  })
})

describe('--timeout of a command that drives', () => {
  const NEVER = scriptedAgent([{ text: 'never', delayMs: 600_000 }])
  const id = 'thr_0123456789abcdef'

  test.for([
    ['run', 'agent.yaml'],
    ['chat', 'agent.yaml'],
    ['resume', id],
    ['message', id, 'x'],
    ['interrupt', id, 'x'],
    ['retry', id],
    ['approve', 'w'],
    ['deny', 'w'],
    ['answer', 'w', 'x'],
    ['outcome', 'w', 'unknown'],
    ['quarantine', 'w', 'retry'],
    ['budget', 'extend', id, 'tokens=1'],
    ['cancel', id],
    ['fork', id],
    ['attach', id]
  ])('is an option of %j', async (argv) => {
    // Refused for its value alone: the option is known.
    const told = await holdfast(folderWith(), [...argv, '--timeout', 'soon', '--json'])
    expect(told.code).toBe(2)
    expect(JSON.parse(told.stdout).error.message).toContain('--timeout')
    expect(JSON.parse(told.stdout).error.message).not.toContain('unknown option')
  })

  test.for([
    (thread: string) => ['resume', thread],
    (thread: string) => ['message', thread, 'And now?'],
    (thread: string) => ['fork', thread, '--message', 'And now?'],
    (thread: string) => ['attach', thread, '--drive'],
    (thread: string) => ['attach', thread],
    (thread: string) => ['chat', 'agent.yaml', thread]
  ])('ends it with 124 and cancels nothing: case %#', async (argv) => {
    const folder = folderWith(NEVER)
    const thread = (await holdfast(folder, ['run', 'agent.yaml', '--detach'])).stdout.trim()
    expect((await holdfast(folder, [...argv(thread), '--timeout', '400'], { stdin: 'Are you there?\n' })).code).toBe(124)
    const info = JSON.parse((await holdfast(folder, ['show', thread, '--json'])).stdout).thread
    expect(['queued', 'running']).toContain(info.row.status)
    expect(info.owner).toBeUndefined()
  })

  test('and a signal leave what was delivered and is not read, and say so', async () => {
    const folder = folderWith(NEVER)
    const thread = (await holdfast(folder, ['run', 'agent.yaml', '--detach'])).stdout.trim()
    const pending = async () => JSON.parse((await holdfast(folder, ['show', thread, '--json'])).stdout).thread.pending
    const stop = new AbortController()
    const sending = holdfast(folder, ['message', thread, 'x', '--detach', '--receipt', '--json'], { signal: stop.signal })
    await eventually(async () => (await pending()) === 2)
    stop.abort('SIGINT')
    const told = await sending
    expect(told.code).toBe(130)
    expect(JSON.parse(told.stdout)).toMatchObject({ thread, item: expect.any(String), interrupted: 'SIGINT' })
  })
})
