import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventually, holdfast, linesOf, threadOf } from './command-kit.ts'
import { calling, openGate } from './scripted-agent.ts'
import { atTerminal } from './terminal-kit.ts'
import { held, project, waitOf, waitsOf } from './waits-kit.ts'

const STAMP = { name: 'stamp', arguments: {} }
const ASK = { name: 'ask_user', arguments: { question: 'Which one?', options: ['red', 'blue'] } }
const KEYS = /\? help > $/
const CTRL_C = '\u0003'
const CTRL_D = '\u0004'

const ledgerOf = (folder: string): readonly string[] => linesOf(join(folder, 'ledger.txt'))
const logOf = async (folder: string, thread: string): Promise<string> => (await holdfast(folder, ['log', thread, '--jsonl'])).stdout

describe('holdfast run at a terminal', () => {
  test('shows what is held and runs it when it is approved', async () => {
    const folder = project([STAMP])
    const run = atTerminal(folder, ['run', 'agent.yaml'])
    await run.until(/call +stamp, is started once at most/)
    await run.until(KEYS)
    expect(ledgerOf(folder)).toEqual([])
    run.type('a\r')
    await run.until(/done/)
    expect(await run.ended).toBe(0)
    expect(ledgerOf(folder)).toHaveLength(1)
  })

  test.each(['', 'y', 'yes', 'ok', 'aa', 'approve all'])('takes %j for no approval', async (typed) => {
    const folder = project([STAMP])
    const run = atTerminal(folder, ['run', 'agent.yaml'])
    await run.until(KEYS)
    run.type(`${typed}\r`)
    await run.until(KEYS)
    expect(ledgerOf(folder)).toEqual([])
    run.type('l\r')
    expect(await run.ended).toBe(3)
    expect(run.screen()).toContain(`holdfast approve ${await waitOf(folder, 'stamp')}`)
  })

  test('refuses with a reason that the agent reads', async () => {
    const folder = project([STAMP])
    const run = atTerminal(folder, ['run', 'agent.yaml'])
    await run.until(KEYS)
    run.type('d\r')
    await run.until(/no reason\) > $/)
    run.type('not before Monday\r')
    expect(await run.ended).toBe(0)
    expect(ledgerOf(folder)).toEqual([])
    expect(await logOf(folder, threadOf(run.screen()))).toContain('A person refused this call: not before Monday')
  })

  test('has arguments edited where they stand, and asks again for what does not fit', async () => {
    const folder = project([{ name: 'pay', arguments: { ms: 0 } }])
    const run = atTerminal(folder, ['run', 'agent.yaml'])
    await run.until(KEYS)
    run.type('e\r')
    await run.until(/Arguments as JSON > \{"ms":0\}$/)
    run.type('oops\r')
    await run.until(KEYS)
    run.type('e\r')
    await run.until(/\{"ms":0\}$/)
    run.type(`${'\u007f'.repeat(2)}"x"}\r`)
    await run.until(/stays open/)
    await run.until(KEYS)
    run.type('e\r')
    await run.until(/\{"ms":0\}$/)
    run.type(`${'\u007f'.repeat(2)}7}\r`)
    expect(await run.ended).toBe(0)
    expect(await logOf(folder, threadOf(run.screen()))).toContain('"arguments":{"ms":7}')
  })

  test('asks about each of several, and for the answer to a question', async () => {
    const folder = project([STAMP, { name: 'pay', arguments: { ms: 0 } }, ASK])
    const run = atTerminal(folder, ['run', 'agent.yaml'])
    await run.until(/held \(1 of 3\)/)
    await run.until(KEYS)
    run.type('a\r')
    await run.until(/held \(2 of 3\)/)
    await run.until(KEYS)
    run.type('l\r')
    await run.until(/asks \(3 of 3\)/)
    await run.until(/none\) > $/)
    run.type('green\r')
    await run.until(/stays open/)
    await run.until(/none\) > $/)
    run.type('2\r')
    // What was put off is not asked about again here.
    expect(await run.ended).toBe(3)
    expect((await waitsOf(folder)).map(({ subject }) => subject.tool)).toEqual(['pay'])
    expect(await logOf(folder, threadOf(run.screen()))).toContain('"answer":"blue"')
  })

  test('remembers an approval, so that the next call is not asked about', async () => {
    const folder = project([], { turns: [{ toolCalls: [STAMP] }, { toolCalls: [STAMP] }, { text: 'done' }] })
    const run = atTerminal(folder, ['run', 'agent.yaml'])
    await run.until(KEYS)
    run.type('r\r')
    expect(await run.ended).toBe(0)
    expect(ledgerOf(folder)).toHaveLength(2)
  })

  test.each([
    ['Ctrl-C', CTRL_C, 130],
    ['the end of the input', CTRL_D, 3]
  ])('leaves the wait open at %s', async (_, key, code) => {
    const folder = project([STAMP])
    const run = atTerminal(folder, ['run', 'agent.yaml'])
    await run.until(KEYS)
    run.type(key)
    expect(await run.ended).toBe(code)
    expect(ledgerOf(folder)).toEqual([])
    expect((await holdfast(folder, ['approve'])).code).toBe(0)
    expect(ledgerOf(folder)).toHaveLength(1)
  })

  test('takes nothing for an answer that was typed before the question', async () => {
    const folder = project([], {
      turns: [calling('gate'), { toolCalls: [STAMP] }, { text: 'done' }],
      agent: { tools: ['gate', held('stamp')] }
    })
    const run = atTerminal(folder, ['run', 'agent.yaml'])
    await run.until(/gate started/)
    run.type('a\r')
    openGate(folder)
    await run.until(KEYS)
    expect(ledgerOf(folder)).toEqual([])
    run.type('l\r')
    expect(await run.ended).toBe(3)
  })

  test('goes on when somebody else decides while it asks', async () => {
    const folder = project([STAMP])
    const run = atTerminal(folder, ['run', 'agent.yaml'])
    await run.until(KEYS)
    expect((await holdfast(folder, ['approve'])).code).toBe(0)
    expect(await run.ended).toBe(0)
    expect(run.screen()).toMatch(/done\n/)
    expect(ledgerOf(folder)).toHaveLength(1)
  })

  test('shows all of long arguments on request, and nothing that steers the terminal', async () => {
    const folder = project([{ name: 'echo', arguments: { text: `\u001b]0;evil\u0007${'x'.repeat(4_000)}MIDDLE${'x'.repeat(4_000)}` } }], {
      agent: { tools: [held('echo')] }
    })
    const run = atTerminal(folder, ['run', 'agent.yaml'])
    await run.until(KEYS)
    expect(run.screen()).not.toContain('MIDDLE')
    run.type('w\r')
    await run.until(/MIDDLE/)
    await run.until(KEYS)
    run.type('l\r')
    await run.ended
    expect(run.raw()).not.toContain('\u001b]0;')
  })

  test('asks nobody with --approve never', async () => {
    const folder = project([STAMP])
    const run = atTerminal(folder, ['run', 'agent.yaml', '--approve', 'never'])
    expect(await run.ended).toBe(3)
    expect(run.screen()).not.toMatch(/help >/)
  })
})

describe('holdfast chat', () => {
  const PROMPT = /\n> $/

  test('asks where it reads messages, and answers are no messages', async () => {
    const folder = project([], { turns: [{ toolCalls: [STAMP, ASK] }, { text: 'done' }, { text: 'again' }] })
    const chat = atTerminal(folder, ['chat', 'agent.yaml'])
    await chat.until(/> $/)
    chat.type('hello\r')
    await chat.until(KEYS)
    chat.type('a\r')
    await chat.until(/none\) > $/)
    chat.type('red\r')
    await chat.until(/done/)
    await chat.until(PROMPT)
    expect(ledgerOf(folder)).toHaveLength(1)
    // The last message, and not the answer, is what the history has.
    chat.type('\u001b[A\r')
    await chat.until(/again/)
    chat.type(CTRL_D)
    expect(await chat.ended).toBe(0)
    const log = await logOf(folder, threadOf(chat.screen()))
    expect(log.match(/"text":"hello"/g)?.length).toBeGreaterThanOrEqual(2)
    expect(log).not.toMatch(/"text":"(?:a|red)"/)
  })

  test('takes a line that was begun before the question as a message', async () => {
    const folder = project([], {
      turns: [calling('gate'), { text: 'wait', toolCalls: [STAMP] }, { text: 'done' }],
      agent: { tools: ['gate', held('stamp')] }
    })
    const chat = atTerminal(folder, ['chat', 'agent.yaml'])
    await chat.until(/> $/)
    chat.type('hello\r')
    await chat.until(/gate started/)
    chat.type('approv')
    await chat.until(/> approv$/)
    openGate(folder)
    await eventually(async () => (await holdfast(folder, ['waits', '--json'])).stdout.includes('"stamp"'))
    expect(chat.screen()).not.toMatch(/help >/)
    chat.type('e\r')
    await chat.until(KEYS)
    expect(ledgerOf(folder)).toEqual([])
    chat.type('d\r')
    await chat.until(/no reason\) > $/)
    chat.type('\r')
    await chat.until(/done/)
    chat.type(CTRL_D)
    await chat.ended
    expect(ledgerOf(folder)).toEqual([])
    expect(readFileSync(join(folder, 'script.yaml'), 'utf8')).toContain('stamp')
  })

  test('leaves what is put off open, and asks again with the next message', async () => {
    const folder = project([STAMP])
    const chat = atTerminal(folder, ['chat', 'agent.yaml'])
    await chat.until(/> $/)
    chat.type('hello\r')
    await chat.until(KEYS)
    chat.type('l\r')
    await chat.until(PROMPT)
    chat.type('and now\r')
    await chat.until(KEYS)
    chat.type('a\r')
    await chat.until(/done/)
    chat.type(CTRL_D)
    await chat.ended
    expect(ledgerOf(folder)).toHaveLength(1)
  })
})
