import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { folderWith, holdfast, linesOf, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'
import { atTerminal } from './terminal-kit.ts'

/** An answer that nobody waits for, and what is said to whoever interrupts it. */
const SLOW = scriptedAgent([
  { text: 'far too long', delayMs: 60_000, when: 'Do it.' },
  { text: 'All right.', when: 'stop' }
])
/** The same behind a call, which tells that the answer is awaited. */
const SLOW_SECOND = scriptedAgent(
  [calling('stamp'), { text: 'far too long', delayMs: 60_000, when: 'stamped' }, { text: 'All right.', when: 'stop' }],
  { tools: ['stamp'] }
)
const CTRL_D = '\u0004'

/** A run that another part of this process drives, with its model call under way. */
async function driven(files = SLOW): Promise<{ readonly folder: string; readonly thread: string; readonly ended: Promise<Told> }> {
  const folder = folderWith(files)
  const ended = holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs', '--json'])
  for (;;) {
    const { stdout, code } = await holdfast(folder, ['threads', '--json'])
    const [first] = code === 0 ? (JSON.parse(stdout) as { items: { id: string; row: { status: string } }[] }).items : []
    if (first?.row.status === 'running') return { folder, thread: first.id, ended }
    await sleep(20)
  }
}
/** Waits until something lies in the inbox of a thread. */
async function kept(folder: string, thread: string): Promise<void> {
  for (;;) {
    const { stdout } = await holdfast(folder, ['show', thread, '--json'])
    if ((JSON.parse(stdout) as { thread: { pending: number } }).thread.pending > 0) return
    await sleep(20)
  }
}

type Told = Awaited<ReturnType<typeof holdfast>>

describe('holdfast interrupt', () => {
  test.each([
    ['interrupt', []],
    ['message', ['--interrupt']]
  ])('(%s %j) aborts the answer that another process waits for, and tells when it is read', async (command, more) => {
    const { folder, thread, ended } = await driven()
    const told = await holdfast(folder, [command, thread, 'stop', ...more, '--detach', '--receipt', '--json'])
    expect(told.code).toBe(0)
    expect(JSON.parse(told.stdout)).toMatchObject({ thread, state: 'taken', run: expect.any(String), cursor: expect.any(Object) })
    const run = await ended
    expect(JSON.parse(run.stdout)).toMatchObject({ thread, status: 'completed', text: 'All right.' })
    expect(run.stderr).toContain('person interrupts: stop')
    expect(run.stderr).not.toContain('far too long')
  })

  test('begins the next run of a thread that rests, and drives it', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'one' }, { text: 'two' }]))
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    expect(await holdfast(folder, ['interrupt', thread, '-'], { stdin: 'now' })).toMatchObject({ code: 0, stdout: 'two\n' })
  })

  test('needs a text', async () => {
    expect((await holdfast(folderWith(), ['interrupt', 'thr_x'])).code).toBe(2)
  })
})

describe('holdfast message --receipt', () => {
  // B060
  test('says that a message came back unread, and the log has its text', async () => {
    const { folder, thread, ended } = await driven()
    const [returned] = await Promise.all([
      holdfast(folder, ['message', thread, 'for nobody', '--detach', '--receipt', '--json']),
      kept(folder, thread).then(() => holdfast(folder, ['cancel', thread, '--detach']))
    ])
    expect(returned.code).toBe(4)
    expect(JSON.parse(returned.stdout)).toMatchObject({ state: 'returned', why: 'cancelled' })
    expect((await ended).code).toBe(4)
    expect((await holdfast(folder, ['log', thread])).stdout).toContain('came back unread (cancelled): for nobody')
  })

  test('is let go by a signal; the message is kept', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'one' }, { text: 'two' }]))
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    const stop = new AbortController()
    const waiting = holdfast(folder, ['message', thread, 'later', '--detach', '--receipt'], { signal: stop.signal })
    await kept(folder, thread)
    stop.abort('SIGTERM')
    const told = await waiting
    expect(told.code).toBe(143)
    expect(await holdfast(folder, ['resume', thread])).toMatchObject({ code: 0, stdout: 'two\n' })
  })
})

describe('holdfast cancel --grace', () => {
  test('does not wait for a tool longer than it was told', async () => {
    const { folder, thread, ended } = await driven(scriptedAgent([calling('pay', { ms: 60_000 })], { tools: ['pay'] }))
    while (linesOf(join(folder, 'ledger.txt')).length === 0) await sleep(20)
    expect((await holdfast(folder, ['cancel', thread, '--grace', '0'])).code).toBe(0)
    expect((await ended).code).toBe(4)
    const { stdout } = await holdfast(folder, ['log', thread, '--jsonl'])
    expect(stdout).toContain('"graceMs":0')
  })

  test.each(['soon', '-1', '1d'])('refuses %s', async (time) => {
    expect((await holdfast(folderWith(), ['cancel', 'thr_x', `--grace=${time}`])).code).toBe(2)
  })
})

describe('holdfast chat', () => {
  test('a message that does not wait drops the answer that is coming; each is told when it is read', async () => {
    const folder = folderWith(SLOW_SECOND)
    const chat = atTerminal(folder, ['chat', 'agent.yaml', '--tools', 'tools.mjs'])
    await chat.until(/> $/)
    chat.type('Do it.\r')
    await chat.until(/stamp ok/)
    chat.type('one thing more\r')
    await chat.until(/queued for the next turn\n/)
    chat.type('/interrupt\r')
    await chat.until(/\/interrupt TEXT/)
    chat.type('/interrupt stop\r')
    await chat.until(/interrupting\n/)
    await chat.until(/read: one thing more\n[\s\S]*read: stop\n/)
    await chat.until(/All right\.\n/)
    chat.type(CTRL_D)
    expect(await chat.ended).toBe(0)
    expect(chat.screen()).not.toContain('far too long')
  })

  test('a cancel ends the run and not the conversation; what was not read is told', async () => {
    const folder = folderWith(SLOW_SECOND)
    const chat = atTerminal(folder, ['chat', 'agent.yaml', '--tools', 'tools.mjs'])
    await chat.until(/> $/)
    chat.type('/cancel\r')
    await chat.until(/nothing to cancel/)
    chat.type('Do it.\r')
    await chat.until(/stamp ok/)
    chat.type('one thing more\r')
    await chat.until(/queued for the next turn\n/)
    chat.type('/cancel not like this\r')
    await chat.until(/came back unread \(cancelled\): one thing more\n/)
    await chat.until(/cancelled[\s\S]*> $/)
    chat.type('stop\r')
    await chat.until(/All right\.\n/)
    chat.type(CTRL_D)
    expect(await chat.ended).toBe(0)
  })
})
