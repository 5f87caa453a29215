import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addFiles, folderWith, holdfast, linesOf, startHoldfast, threadOf } from './command-kit.ts'
import { calling, openGate, scriptedAgent } from './scripted-agent.ts'

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(32, 1)])

interface Message {
  readonly type: string
  readonly data?: { readonly parts?: { readonly inline?: unknown } }
}

/** What was said to the agent in a thread, message by message. */
async function said(folder: string, thread: string): Promise<readonly unknown[]> {
  const { stdout } = await holdfast(folder, ['log', thread, '--jsonl'])
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Message)
    .flatMap((event) => (event.type === 'message.received' ? [event.data?.parts?.inline] : []))
}

const text = (content: string): unknown => ({ type: 'text', text: content })

describe('holdfast chat in a pipe', () => {
  test('answers line by line, in one thread', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }], { prompt: undefined }))
    const told = await holdfast(folder, ['chat', 'agent.yaml'], { stdin: 'first\r\n\nsecond\nthird' })
    expect(told).toMatchObject({ code: 0, stdout: 'One.\nTwo.\nThree.\n' })
    const thread = threadOf(told)
    expect(await said(folder, thread)).toEqual([[text('first')], [text('second')], [text('third')]])
    expect(told.stderr).toContain(`holdfast chat agent.yaml ${thread}`)
    expect(told.stderr).not.toContain('\u001b')
  })

  test.each([
    ['is as it was', {}, []],
    [
      'has another prompt of its system, and other tools',
      { systemPrompt: 'Be brief.', tools: ['stamp', 'look'] },
      ['systemPrompt', 'tools']
    ],
    ['is another agent with another model', { name: 'other', model: { ref: 'main' } }, ['name', 'model']],
    ['is gone', undefined, []]
  ])(
    'goes on with a thread by what it was started with, and says what of the file does not hold for it: the file %s',
    async (_, now, fields) => {
      const turns = [{ text: 'One.' }, { text: 'Two.' }]
      const folder = folderWith(scriptedAgent(turns, { tools: ['stamp'] }))
      const tools = ['--tools', 'tools.mjs']
      const thread = threadOf(await holdfast(folder, ['chat', 'agent.yaml', ...tools], { stdin: 'first' }))
      if (now === undefined) rmSync(join(folder, 'agent.yaml'))
      else addFiles(folder, scriptedAgent(turns, { tools: ['stamp'], ...now }))
      const told = await holdfast(folder, ['chat', 'agent.yaml', thread], { stdin: 'second' })
      expect(told).toMatchObject({ code: 0, stdout: 'Two.\n' })
      const [, differing = ''] = /^agent\.yaml differs .*\((.*)\):/m.exec(told.stderr) ?? []
      expect(differing.split(', ').filter(Boolean)).toEqual(fields)
    }
  )

  test('goes on with a thread, after what it has left open', async () => {
    const folder = folderWith(scriptedAgent([calling('stamp'), { text: 'One.' }, { text: 'Two.' }], { tools: ['stamp'] }))
    const { stdout } = await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs', '--detach'])
    const told = await holdfast(folder, ['chat', 'agent.yaml', stdout.trim()], { stdin: 'again\n' })
    expect(told).toMatchObject({ code: 0, stdout: 'One.\nTwo.\n' })
    expect(await said(folder, stdout.trim())).toEqual([[text('Do it.')], [text('again')]])
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(1)
    const later = await holdfast(folder, ['chat', 'agent.yaml', stdout.trim()], { stdin: '' })
    expect(later).toMatchObject({ code: 0, stdout: '' })
  })

  test('shows what another process does with the thread, and has it answer', async () => {
    const folder = folderWith(scriptedAgent([calling('gate'), { text: 'The first.' }, { text: 'The second.' }], { tools: ['gate'] }))
    const first = startHoldfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])
    await first.until(/gate started/)
    const chat = startHoldfast(folder, ['chat', 'agent.yaml', threadOf(first.stderr())], { stdio: 'pipe' })
    chat.child.stdin?.end('and then?')
    await chat.until(new RegExp(`:${first.child.pid}:`))
    openGate(folder)
    expect([await first.ended, await chat.ended]).toEqual([0, 0])
    expect(chat.stdout()).toBe('The first.\nThe second.\n')
  })

  test('takes lines that end with a backslash as one message', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'One.' }, { text: 'Two.' }]))
    const told = await holdfast(folder, ['chat', 'agent.yaml'], { stdin: 'a\\\nb\\\n\\\nc\nopen\\' })
    expect(await said(folder, threadOf(told))).toEqual([[text('a\nb\n\nc')], [text('open')]])
  })

  test('attaches files to the next message, and takes a path for a text otherwise', async () => {
    const folder = folderWith({ ...scriptedAgent([{ text: 'One.' }, { text: 'Two.' }]), 'my notes.txt': 'remember' })
    writeFileSync(join(folder, 'x.png'), PNG)
    const told = await holdfast(folder, ['chat', 'agent.yaml'], { stdin: '/image x.png\n/image my\\ notes.txt\nlook\nx.png\n' })
    expect(await said(folder, threadOf(told))).toEqual([
      [
        text('look'),
        { type: 'file', mediaType: 'image/png', filename: 'x.png', source: { data: PNG.toString('base64') } },
        text('The file my notes.txt:\n\nremember')
      ],
      [text('x.png')]
    ])
  })

  test('gives events as lines, and no document', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'One.' }, { text: 'Two.' }]))
    const { code, stdout } = await holdfast(folder, ['chat', 'agent.yaml', '--jsonl'], { stdin: 'a\nb\n' })
    const types = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as Message).type)
    expect(code).toBe(0)
    expect(types.filter((type) => type === 'message.received')).toHaveLength(2)
    expect(types.filter((type) => type === 'run.settled')).toHaveLength(2)
    expect(await holdfast(folder, ['chat', 'agent.yaml', '--json'])).toMatchObject({ code: 2 })
  })

  test('ends as its last run did', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'One.' }]))
    const told = await holdfast(folder, ['chat', 'agent.yaml'], { stdin: 'a\nb\n' })
    expect(told).toMatchObject({ code: 1, stdout: 'One.\n' })
    expect(told.stderr).toContain('script_exhausted')
  })

  test.for([
    ['no manifest', ['chat', 'none.yaml'], 'file_not_found'],
    ['a tool that is unknown', ['chat', 'agent.yaml'], 'tool_unknown'],
    ['a thread that is none', ['chat', 'agent.yaml', 'thr_none', '--store', 'x.db'], 'store_unavailable'],
    ['another model for a thread', ['chat', 'agent.yaml', 'thr_x', '--model', 'a/b'], 'invalid_input']
  ] as const)('finds %s before anything is said', async ([, argv, code]) => {
    const folder = folderWith(scriptedAgent([], { tools: ['nothing'] }))
    const told = await holdfast(folder, argv, { stdin: 'hello\n' })
    expect(told.stderr).toContain(`error[${code}]`)
    expect(told.code).toBeGreaterThan(0)
  })

  test.for([
    ['a file that is not there', '/image gone.png\n', 'file_not_found'],
    ['bytes that are no text', new Uint8Array([0xff, 0xfe, 0x0a]), 'invalid_input'],
    ['a line that is too long', 'x'.repeat(1_100_000), 'value_too_large'],
    ['a message that is too large', '/image large.png\nlook\n', 'value_too_large']
  ] as const)('ends at %s', async ([, stdin, code]) => {
    const folder = folderWith(scriptedAgent([{ text: 'One.' }]))
    writeFileSync(join(folder, 'large.png'), Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(12_582_900)]))
    const told = await holdfast(folder, ['chat', 'agent.yaml'], { stdin })
    expect(told).toMatchObject({ code: 2, stdout: '' })
    expect(told.stderr).toContain(`error[${code}]`)
  })

  test('lets go when it is interrupted, and says how to go on', async () => {
    const files = (delayMs: number) => scriptedAgent([calling('stamp'), { text: 'late', delayMs }], { tools: ['stamp'] })
    const folder = folderWith(files(600_000))
    const running = startHoldfast(folder, ['chat', 'agent.yaml', '--tools', 'tools.mjs'], { stdio: 'pipe' })
    running.child.stdin?.write('hello\n')
    await running.until(/stamp ok/)
    running.child.kill('SIGINT')
    expect(await running.ended).toBe(130)
    const thread = threadOf(running.stderr())
    expect(running.stderr()).toContain(`holdfast chat agent.yaml ${thread}`)
    addFiles(folder, files(0))
    const told = await holdfast(folder, ['chat', 'agent.yaml', thread])
    expect(told).toMatchObject({ code: 0, stdout: 'late\n' })
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(1)
  })

  test('is interrupted while it waits for a line, too', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'One.' }]))
    const running = startHoldfast(folder, ['chat', 'agent.yaml'], { stdio: 'pipe' })
    running.child.stdin?.write('hello\n')
    await running.until(/One\./)
    await running.until(/completed/)
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(143)
    expect(running.stderr()).toContain('holdfast chat agent.yaml thr_')
  })
})
