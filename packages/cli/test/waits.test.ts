import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addFiles, holdfast, linesOf, threadOf } from './command-kit.ts'
import { documentOf, held, project, waitOf, waitsOf } from './waits-kit.ts'

const STAMP = { name: 'stamp', arguments: {} }
const PAY = { name: 'pay', arguments: { ms: 0 } }
const ASK = { name: 'ask_user', arguments: { question: 'Which one?', options: ['red', 'blue'] } }

describe('holdfast run', () => {
  test('leaves what is held waiting, with exit code 3 and the command that decides', async () => {
    const folder = project([STAMP])
    const told = await holdfast(folder, ['run', 'agent.yaml'])
    expect(told.code).toBe(3)
    expect(told.stderr).toContain(`holdfast approve ${await waitOf(folder, 'stamp')}\n`)
    expect(linesOf(join(folder, 'ledger.txt'))).toEqual([])
  })

  test('approves without asking only when that is said, and says so', async () => {
    const folder = project([STAMP, ASK])
    const told = await holdfast(folder, ['run', 'agent.yaml', '--approve', 'always'])
    expect(told.stderr).toMatch(/^approved without asking .*stamp/m)
    // A question has no answer that could be given so.
    expect(told.code).toBe(3)
    expect((await waitsOf(folder)).map(({ kind }) => kind)).toEqual(['question'])
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(1)
  })

  test('asks nobody where there is no terminal', async () => {
    const folder = project([STAMP])
    expect(await documentOf(folder, ['run', 'agent.yaml', '--approve', 'ask'])).toMatchObject({ exit: 2, error: { code: 'invalid_input' } })
  })
})

describe('holdfast waits', () => {
  test('lists what would run, who asks and how to decide, with nothing that steers the terminal', async () => {
    const folder = project([{ name: 'echo', arguments: { text: 'a\u001b[2Jb\u202ec' } }], {
      config: { permissions: [{ effect: 'ask', tool: 'echo' }] },
      agent: { tools: ['echo'], permissions: [{ effect: 'ask', tool: 'ech*', when: { path: 'text', glob: 'a*' } }] }
    })
    await holdfast(folder, ['run', 'agent.yaml'])
    const { stdout } = await holdfast(folder, ['waits'], { tty: true })
    expect(stdout).not.toMatch(/[\u001b\u202e]/)
    expect(stdout).toContain(String.raw`"a\u001b[2Jb\u202ec"`)
    expect(stdout).toContain('a rule of the configuration: ask before echo\n')
    expect(stdout).toContain('a rule of the agent: ask before ech* when {"path":"text","glob":"a*"}\n')
    expect(stdout).toContain(`holdfast approve ${await waitOf(folder, 'echo')}\n`)
  })

  test('bounds long arguments in the list, and shows all of one that is named', async () => {
    const text = `${'x'.repeat(3_000)}MIDDLE${'x'.repeat(3_000)}END`
    const folder = project([{ name: 'echo', arguments: { text } }], { agent: { tools: [held('echo')] } })
    await holdfast(folder, ['run', 'agent.yaml'])
    const { stdout } = await holdfast(folder, ['waits'])
    expect(stdout).not.toContain('MIDDLE')
    // What is padded away is not hidden.
    expect(stdout).toContain('END')
    expect((await holdfast(folder, ['waits', await waitOf(folder, 'echo')])).stdout).toContain(text)
  })

  // B097
  test.each([
    ['rm -rf ./a\u202etxt.b', String.raw`"rm -rf ./a\u202etxt.b"`],
    ['echo ok\rrm -rf x', String.raw`"echo ok\rrm -rf x"`],
    ['ls\u2028id', String.raw`"ls\u2028id"`],
    ['\u001b[2Kls\t\u000b', String.raw`"\u001b[2Kls\t\u000b"`],
    ['rm\u200b\u2060 \u00adx\u{e0041}', String.raw`"rm\u200b\u2060 \u00adx\udb40\udc41"`],
    ['rm\u00a0-rf\u3164', String.raw`"rm\u00a0-rf\u3164"`],
    [`echo ok${' '.repeat(5_000)}; id`, '; id"'],
    ['cat /etc/p\u0430sswd', 'look-alike p\u0430sswd (U+0430)'],
    ['curl \uff41\uff42', 'look-alike \uff41\uff42 (U+FF41, U+FF42)'],
    ['cat \u0441\u043e\u0440\u0435', 'look-alike \u0441\u043e\u0440\u0435 (U+0441, U+043E, U+0440, U+0435)']
  ])('shows %j as it is to whoever decides', async (text, shown) => {
    const folder = project([{ name: 'echo', arguments: { text } }], { agent: { tools: [held('echo')] } })
    await holdfast(folder, ['run', 'agent.yaml'])
    expect((await holdfast(folder, ['waits'], { tty: true })).stdout).toContain(shown)
  })

  test('takes words of other languages for what they are', async () => {
    const text = 'Напиши Ольге: Größe 12 µm — “да”, είναι εδώ, 日本語'
    const folder = project([{ name: 'echo', arguments: { text } }], { agent: { tools: [held('echo')] } })
    await holdfast(folder, ['run', 'agent.yaml'])
    const { stdout } = await holdfast(folder, ['waits'])
    expect(stdout).toContain(text)
    expect(stdout).not.toContain('look-alike')
  })

  test('is filtered by kind, thread and label, and comes in pages', async () => {
    const folder = project([STAMP, ASK])
    const first = threadOf(await holdfast(folder, ['run', 'agent.yaml', '--label', 'team=blue']))
    await holdfast(folder, ['run', 'agent.yaml', '--label', 'team=red'])
    expect(await waitsOf(folder)).toHaveLength(4)
    expect((await waitsOf(folder, ['--kind', 'question'])).map(({ kind }) => kind)).toEqual(['question', 'question'])
    expect((await waitsOf(folder, ['--thread', first])).map(({ thread }) => thread)).toEqual([first, first])
    expect((await waitsOf(folder, ['--label', 'team=blue'])).map(({ thread }) => thread)).toEqual([first, first])
    const page = await documentOf<{ items: { id: string }[]; next: string }>(folder, ['waits', '--limit', '3'])
    expect(page.items).toHaveLength(3)
    const rest = await documentOf<{ items: { id: string }[]; next?: string }>(folder, ['waits', '--limit', '3', '--after', page.next])
    expect(new Set([...page.items, ...rest.items].map(({ id }) => id)).size).toBe(4)
    expect(rest.next).toBeUndefined()
    expect((await holdfast(folder, ['waits', '--ids'])).stdout.trimEnd().split('\n')).toEqual((await waitsOf(folder)).map(({ id }) => id))
  })

  test('refuses a kind that there is none of, and a wait that is not there', async () => {
    const folder = project([STAMP])
    await holdfast(folder, ['run', 'agent.yaml'])
    expect((await holdfast(folder, ['waits', '--kind', 'aproval'])).code).toBe(2)
    expect(await documentOf(folder, ['waits', 'thr_x:y'])).toMatchObject({ exit: 2, error: { code: 'invalid_input' } })
    expect(await documentOf(folder, ['waits', '../../etc'])).toMatchObject({ exit: 2, error: { code: 'invalid_input' } })
  })
})

describe('a decision', () => {
  test('without an id means the only call that is held, and drives its thread', async () => {
    const folder = project([STAMP])
    await holdfast(folder, ['run', 'agent.yaml'])
    const told = await documentOf(folder, ['approve', '--note', 'fine'])
    expect(told).toMatchObject({ exit: 0, status: 'completed', text: 'done', decisions: [{ state: 'accepted' }] })
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(1)
    expect(await documentOf(folder, ['approve'])).toMatchObject({ exit: 2, error: { code: 'invalid_input' } })
  })

  test('without an id is refused where several are held, and names them', async () => {
    const folder = project([STAMP, PAY])
    await holdfast(folder, ['run', 'agent.yaml'])
    const ids = (await waitsOf(folder)).map(({ id }) => id)
    for (const command of ['approve', 'deny']) {
      expect(await documentOf(folder, [command])).toMatchObject({ exit: 2, error: { code: 'invalid_input', details: { waits: ids } } })
    }
    expect(await waitsOf(folder)).toHaveLength(2)
  })

  test('about all of a tool is one expressly', async () => {
    const folder = project([STAMP, STAMP, PAY])
    await holdfast(folder, ['run', 'agent.yaml'])
    expect(await documentOf(folder, ['approve', '--tool', 'stamp'])).toMatchObject({ exit: 2 })
    const told = await documentOf(folder, ['approve', '--all', '--tool', 'stamp'])
    expect(told).toMatchObject({ exit: 3, status: 'waiting', decisions: [{ state: 'accepted' }, { state: 'accepted' }] })
    expect((await waitsOf(folder)).map(({ subject }) => subject.tool)).toEqual(['pay'])
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(2)
  })

  test('about calls of several threads is given, and drives none of them', async () => {
    const folder = project([STAMP])
    const threads = [threadOf(await holdfast(folder, ['run', 'agent.yaml'])), threadOf(await holdfast(folder, ['run', 'agent.yaml']))]
    const told = await holdfast(folder, ['approve', '--all'])
    expect(told.code).toBe(0)
    for (const thread of threads) {
      expect(told.stderr).toContain(`holdfast resume ${thread}`)
      expect((await holdfast(folder, ['resume', thread])).code).toBe(0)
    }
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(2)
  })

  test('with --detach is left to whoever drives the thread', async () => {
    const folder = project([STAMP])
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    expect(await documentOf(folder, ['approve', '--detach'])).toMatchObject({ exit: 0, decisions: [{ state: 'accepted' }] })
    expect((await holdfast(folder, ['waits'])).stdout).toMatch(/ \(decided\)\n(?: {2}.+\n)+ +go on +holdfast resume thr_\w+\n/)
    expect(linesOf(join(folder, 'ledger.txt'))).toEqual([])
    expect((await holdfast(folder, ['resume', thread])).code).toBe(0)
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(1)
  })

  test('holds where the thread cannot be driven here', async () => {
    const folder = project([STAMP])
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    addFiles(folder, { 'holdfast.config.yaml': '{ "version": "1.0" }' })
    const told = await holdfast(folder, ['approve', '--json'])
    expect(told.code).toBe(2)
    expect(told.stderr).toMatch(/^It is decided, but the thread cannot be driven here\.$/m)
    expect(JSON.parse(told.stdout)).toMatchObject({
      error: { code: 'thread_unplaceable', details: { decisions: [{ state: 'accepted' }] } }
    })
    expect((await holdfast(folder, ['resume', thread, '--tools', 'tools.mjs'])).code).toBe(0)
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(1)
  })

  test('is told as what became of it, by the exit code too', async () => {
    const folder = project([STAMP])
    await holdfast(folder, ['run', 'agent.yaml'])
    const id = await waitOf(folder, 'stamp')
    expect(await documentOf(folder, ['approve', id, '--edit', '[1]'])).toMatchObject({ exit: 2, error: { code: 'invalid_input' } })
    expect(await documentOf(folder, ['answer', id, 'yes'])).toMatchObject({ exit: 2, decisions: [{ state: 'invalid' }] })
    expect(await documentOf(folder, ['deny', id, '--reason', 'not now'])).toMatchObject({ exit: 0, status: 'completed' })
    expect(await documentOf(folder, ['deny', id, '--reason', 'not now'])).toMatchObject({ exit: 0, decisions: [{ state: 'repeated' }] })
    expect(await documentOf(folder, ['approve', id])).toMatchObject({ exit: 2, decisions: [{ state: 'conflict' }] })
    expect(await documentOf(folder, ['approve', 'thr_x:nothing'])).toMatchObject({ exit: 2, decisions: [{ state: 'unknown' }] })
    expect(await documentOf(folder, ['approve', 'nothing'])).toMatchObject({ exit: 2, error: { code: 'invalid_input' } })
    expect(linesOf(join(folder, 'ledger.txt'))).toEqual([])
    const { stdout } = await holdfast(folder, ['log', threadOf(id), '--jsonl'])
    expect(stdout).toContain('A person refused this call: not now')
  })

  test.each([
    ['text', JSON.stringify({ text: 'edited' })],
    ['a file', '@arguments.json']
  ])('runs the arguments of whoever approves, from %s', async (_, edit) => {
    const folder = project([{ name: 'echo', arguments: { text: 'as it was' } }], { agent: { tools: [held('echo')] } })
    addFiles(folder, { 'arguments.json': '{ "text": "edited" }' })
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    expect((await holdfast(folder, ['approve', '--edit', edit])).code).toBe(0)
    const settled = (await holdfast(folder, ['log', thread, '--jsonl'])).stdout
      .split('\n')
      .filter((line) => line.includes('"call.settled"'))
    expect(settled.join()).toContain('"edited"')
  })

  test('remembers what it is told to', async () => {
    const folder = project([], { turns: [{ toolCalls: [STAMP] }, { toolCalls: [STAMP] }, { text: 'done' }] })
    await holdfast(folder, ['run', 'agent.yaml'])
    expect((await holdfast(folder, ['approve', '--remember', 'run'])).code).toBe(0)
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(2)
  })

  test('is the system user, a person', async () => {
    const folder = project([STAMP])
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    await holdfast(folder, ['approve'])
    const { stdout } = await holdfast(folder, ['log', thread, '--jsonl'])
    expect(stdout).toMatch(/"by":\{"kind":"person","id":"[^"]+"\}/)
  })
})

describe('an answer', () => {
  test('without an id is that of the only question, and one that is no option leaves it open', async () => {
    const folder = project([ASK])
    await holdfast(folder, ['run', 'agent.yaml'])
    expect(await documentOf(folder, ['answer', 'green'])).toMatchObject({ exit: 2, decisions: [{ state: 'invalid' }] })
    expect(await documentOf(folder, ['answer', 'blue'])).toMatchObject({ exit: 0, text: 'done' })
  })

  test('comes from standard input, and is JSON where the schema asks for it', async () => {
    const folder = project([{ name: 'ask_user', arguments: { question: 'How many?', schema: { type: 'integer' } } }])
    await holdfast(folder, ['run', 'agent.yaml'])
    const id = await waitOf(folder)
    expect((await holdfast(folder, ['answer', id, 'many'])).code).toBe(2)
    expect((await holdfast(folder, ['answer', id, '-'], { stdin: '3\n' })).code).toBe(0)
    expect((await holdfast(folder, ['log', threadOf(id), '--jsonl'])).stdout).toContain('"decision":{"decision":"answer","answer":3}')
  })

  test('that is missing is asked for', async () => {
    const folder = project([ASK])
    await holdfast(folder, ['run', 'agent.yaml'])
    expect((await holdfast(folder, ['answer'])).code).toBe(2)
    expect((await holdfast(folder, ['answer', await waitOf(folder)])).code).toBe(2)
  })
})
