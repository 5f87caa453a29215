import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addFiles, eventually, folderWith, holdfast, linesOf, shell, startHoldfast, threadOf } from './command-kit.ts'
import { calling, openGate, scriptedAgent } from './scripted-agent.ts'

const SLOW = scriptedAgent([{ text: 'never', delayMs: 60_000 }])
const PAYING = scriptedAgent([calling('stamp'), { ...calling('pay', { ms: 60_000 }), delayMs: 50 }, { text: 'paid up' }], {
  tools: ['stamp', 'pay']
})

// B114
describe('in pipes and without a terminal', () => {
  test('machine output alone is on standard output, and it can be piped on', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'one\ntwo\nthree' }]))
    const piped = shell(folder, 'holdfast run agent.yaml | head -1')
    expect(await piped.ended).toBe(0)
    expect(piped.stdout()).toBe('one\n')
    expect(piped.stderr()).toMatch(/^thread thr_/)
    expect(piped.stderr()).not.toMatch(/EPIPE|Error/)
  })

  test('a reader that goes away is no error: the thread is let go, quietly', async () => {
    const folder = folderWith(SLOW)
    const piped = shell(folder, 'set -o pipefail; holdfast run agent.yaml --jsonl | head -1')
    // Nothing is written to the closed pipe until something happens: a message makes it.
    const thread = threadOf(await piped.until(/thr_\w+/))
    await holdfast(folder, ['cancel', thread, '--detach'])
    expect(await piped.ended).toBe(141)
    expect(piped.stderr()).not.toMatch(/EPIPE|Error/)
    expect(JSON.parse(piped.stdout())).toMatchObject({ type: 'thread.created' })
  })

  test('standard input that is nothing does not hang it', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'ok' }]))
    const given = shell(folder, 'holdfast run agent.yaml </dev/null; echo "exit $?"; holdfast run agent.yaml - </dev/null; echo "exit $?"')
    expect(await given.ended).toBe(0)
    expect(given.stdout()).toBe('ok\nexit 0\nexit 2\n')
  })

  test('closed streams do not stop the work', async () => {
    const folder = folderWith(scriptedAgent([calling('stamp'), { text: 'ok' }], { tools: ['stamp'] }))
    const closed = shell(folder, 'holdfast run agent.yaml --tools tools.mjs >&- 2>&- <&-; echo "exit $?"')
    expect(await closed.ended).toBe(0)
    expect(closed.stdout()).toBe('exit 0\n')
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(1)
  })

  test('a narrow terminal and a plain locale change nothing of the result', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'Grüße \u{1F600} done' }]))
    const narrow = shell(folder, 'holdfast run agent.yaml; holdfast --help >/dev/null', { COLUMNS: '1', LANG: 'C', LC_ALL: 'C' })
    expect(await narrow.ended).toBe(0)
    expect(narrow.stdout()).toBe('Grüße \u{1F600} done\n')
  })

  test('a run that waits exits with 3 and says how to go on', async () => {
    const folder = folderWith(SLOW)
    const thread = await waitingThread(folder)
    const resumed = startHoldfast(folder, ['resume', thread])
    expect(await resumed.ended).toBe(3)
    expect(resumed.stdout()).toBe('')
    expect(resumed.stderr()).toContain('Which folder?')
    expect(resumed.stderr()).toContain(`holdfast answer ${thread}:`)
  })
})

/** A tool that keeps a thread of the process for ever: it opens a pipe that nobody writes to. */
function blockingFolder(): string {
  const folder = folderWith(scriptedAgent([calling('block'), { text: 'over' }], { tools: ['block'] }))
  addFiles(folder, {
    'tools.mjs': `import { readFile } from 'node:fs/promises'
export const block = { name: 'block', description: 'x', effect: 'read', parallelSafe: true, timeoutMs: Number(process.env.TIMEOUT),
  input: { kind: 'json', jsonSchema: { type: 'object' } }, execute: () => readFile(import.meta.dirname + '/pipe') }`
  })
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')])
  return folder
}

// B114
describe.skipIf(process.platform === 'win32')('a tool that blocks a thread of the process', () => {
  const RUN = ['run', 'agent.yaml', '--tools', 'tools.mjs']

  test('does not keep it when the run is over', async () => {
    const running = startHoldfast(blockingFolder(), RUN, { env: { TIMEOUT: '100' } })
    expect(await running.ended).toBe(0)
    expect(running.stdout()).toBe('over\n')
  })

  test.for([1, 2])('does not keep it after %i signals', async (signals) => {
    const running = startHoldfast(blockingFolder(), RUN, { env: { TIMEOUT: '600000' } })
    await running.until(/block started/)
    running.child.kill('SIGINT')
    await running.until(/letting go/)
    if (signals === 2) running.child.kill('SIGINT')
    expect(await running.ended).toBe(130)
  })
})

test('a tool that kills its process stands among the progress as begun', async () => {
  const folder = folderWith({
    ...scriptedAgent([calling('fall'), { text: 'ok' }], { tools: ['fall'] }),
    'tools.mjs': `export const fall = {
      name: 'fall', description: '', input: { kind: 'json', jsonSchema: { type: 'object' } }, effect: 'once', parallelSafe: true,
      execute: () => process.kill(process.pid, 'SIGKILL')
    }`
  })
  const running = startHoldfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])
  expect(await running.ended).toBe(137)
  expect(running.stderr()).toMatch(/\nfall started\n$/)
})

// B114
describe('a signal', () => {
  test.for([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129]
  ] as const)('%s lets the thread go, says how to go on, and cancels nothing', async ([signal, code]) => {
    const folder = folderWith(SLOW)
    const running = startHoldfast(folder, ['run', 'agent.yaml', '--json'])
    const thread = threadOf(await running.until(/thr_\w+/))
    await running.until(/turn 1/)
    running.child.kill(signal)
    expect(await running.ended).toBe(code)
    expect(running.stderr()).toContain(`holdfast resume ${thread}`)
    expect(JSON.parse(running.stdout())).toMatchObject({ thread, status: 'running', interrupted: signal })
    const shown = JSON.parse((await holdfast(folder, ['show', thread, '--json'])).stdout) as { thread: object }
    expect(shown.thread).not.toHaveProperty('owner')
    addFiles(folder, { 'script.yaml': '{ turns: [{ text: gone on }] }' })
    expect(await holdfast(folder, ['resume', thread])).toMatchObject({ code: 0, stdout: 'gone on\n' })
  })

  test('while tools run gives its tools a moment', async () => {
    const folder = folderWith(
      scriptedAgent([{ toolCalls: [{ name: 'gate' }, { name: 'stamp' }] }, { text: 'ok' }], { tools: ['gate', 'stamp'] })
    )
    const running = startHoldfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])
    const thread = threadOf(await running.until(/thr_\w+/))
    await running.until(/stamp ok/)
    running.child.kill('SIGINT')
    await running.until(/letting go/)
    openGate(folder)
    expect(await running.ended).toBe(130)
    // The tool had its moment: what it did is known, and nothing runs again.
    expect((await holdfast(folder, ['show', thread])).stdout).toContain('gate {} -> ok: opened')
    expect(await holdfast(folder, ['resume', thread])).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(1)
  })

  test('that comes a second time ends it at once', async () => {
    // A tool that does not stop makes the first signal take its grace.
    const folder = folderWith({
      ...scriptedAgent([calling('stubborn'), { text: 'ok' }], { tools: ['stubborn'] }),
      'tools.mjs': `export const stubborn = {
        name: 'stubborn', description: '', input: { kind: 'json', jsonSchema: { type: 'object' } }, effect: 'once', parallelSafe: true,
        execute: () => new Promise((resolve) => setTimeout(resolve, 60_000))
      }`
    })
    const running = startHoldfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])
    await running.until(/stubborn started/)
    running.child.kill('SIGINT')
    await running.until(/letting go/)
    running.child.kill('SIGINT')
    expect(await running.ended).toBe(130)
    expect(running.stderr()).not.toContain('Let go of')
  })
})

describe('after kill -9', () => {
  test('another process goes on at once, finds tools and configuration, and repeats nothing', async () => {
    const folder = folderWith({ ...PAYING, 'elsewhere/.keep': '' })
    const ledger = join(folder, 'ledger.txt')
    const running = startHoldfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])
    const thread = threadOf(await running.until(/thr_\w+/))
    await eventually(() => linesOf(ledger).length === 2)
    running.child.kill('SIGKILL')
    await running.ended
    const resumed = startHoldfast(join(folder, 'elsewhere'), ['resume', thread, '--json'])
    expect(await resumed.ended).toBe(0)
    expect(JSON.parse(resumed.stdout())).toMatchObject({ thread, status: 'completed', text: 'paid up' })
    expect(resumed.stderr()).toMatch(/is gone: taking over/)
    expect(resumed.stderr()).toContain(`working in ${folder}`)
    expect(linesOf(ledger).map((line) => line.split(' ')[0])).toEqual(['stamp', 'pay'])
  })

  test('the memo of a thread is there before anything of it is', async () => {
    const folder = folderWith(SLOW)
    const running = startHoldfast(folder, ['run', 'agent.yaml'])
    const thread = threadOf(await running.until(/thr_\w+/))
    running.child.kill('SIGKILL')
    await running.ended
    expect(JSON.parse(readFileSync(join(folder, `.holdfast/threads/${thread}.json`), 'utf8'))).toMatchObject({ base: '..' })
  })
})

describe('two processes and one thread', () => {
  test('one owns it, the other says who and exits with 6; messages are left to the owner', async () => {
    const folder = folderWith(SLOW)
    const first = startHoldfast(folder, ['run', 'agent.yaml'])
    const thread = threadOf(await first.until(/thr_\w+/))
    await first.until(/turn 1/)
    const second = startHoldfast(folder, ['resume', thread, '--json'])
    expect(await second.ended).toBe(6)
    expect(JSON.parse(second.stdout())).toMatchObject({
      error: { code: 'thread_busy', details: { worker: expect.stringContaining(`:${first.child.pid}:`), leaseUntil: expect.any(Number) } }
    })
    expect(second.stderr()).toContain('--takeover')
    // No code of the user is loaded for a thread that another process drives.
    addFiles(folder, { 'marks.mjs': `import { writeFileSync } from 'node:fs'; writeFileSync('loaded', '')` })
    expect(await startHoldfast(folder, ['resume', thread, '--tools', 'marks.mjs']).ended).toBe(6)
    expect(existsSync(join(folder, 'loaded'))).toBe(false)
    const third = startHoldfast(folder, ['message', thread, 'hello'])
    expect(await third.ended).toBe(0)
    expect(third.stderr()).toContain(`:${first.child.pid}:`)
    expect(first.child.exitCode).toBeNull()
  })

  test('when both resume at once exactly one drives', async () => {
    const folder = folderWith(SLOW)
    const first = startHoldfast(folder, ['run', 'agent.yaml'])
    const thread = threadOf(await first.until(/thr_\w+/))
    await first.until(/turn 1/)
    first.child.kill('SIGKILL')
    await first.ended
    const rivals = [startHoldfast(folder, ['resume', thread]), startHoldfast(folder, ['resume', thread])]
    expect(await Promise.race(rivals.map(({ ended }) => ended))).toBe(6)
    const owner = rivals.find(({ child }) => child.exitCode === null)
    const loser = rivals.find((each) => each !== owner)
    expect(loser?.stderr()).toContain(`:${owner?.child.pid}:`)
    owner?.child.kill('SIGINT')
    expect(await owner?.ended).toBe(130)
  })

  test('with --takeover a live owner is dispossessed', async () => {
    const folder = folderWith(SLOW)
    const first = startHoldfast(folder, ['run', 'agent.yaml'])
    const thread = threadOf(await first.until(/thr_\w+/))
    await first.until(/turn 1/)
    addFiles(folder, { 'script.yaml': '{ turns: [{ text: mine }] }' })
    const second = startHoldfast(folder, ['resume', thread, '--takeover'])
    expect(await second.ended).toBe(0)
    expect(second.stdout()).toBe('mine\n')
    // Whoever drives it tells the answer, and nobody else.
    expect(await first.ended).toBe(6)
    expect(first.stdout()).toBe('')
    expect(first.stderr()).toContain(`:${second.child.pid}:`)
  })

  test('a cancel reaches the process that drives', async () => {
    const folder = folderWith(SLOW)
    const first = startHoldfast(folder, ['run', 'agent.yaml'])
    const thread = threadOf(await first.until(/thr_\w+/))
    await first.until(/turn 1/)
    expect((await holdfast(folder, ['cancel', thread, '--reason', 'enough'])).code).toBe(0)
    expect(await first.ended).toBe(4)
  })

  test('the log can be followed from another process', async () => {
    const folder = folderWith(SLOW)
    const first = startHoldfast(folder, ['run', 'agent.yaml'])
    const thread = threadOf(await first.until(/thr_\w+/))
    const log = startHoldfast(folder, ['log', thread, '--follow'])
    await log.until(/turn 1/)
    first.child.kill('SIGINT')
    expect(await first.ended).toBe(130)
    await holdfast(folder, ['cancel', thread])
    await log.until(/run cancelled/)
    log.child.kill('SIGINT')
    expect(await log.ended).toBe(130)
  })
})

/** A thread that waits for an answer, written through the store as its owner would. */
async function waitingThread(folder: string): Promise<string> {
  const { createRuntime, parseAgentManifest, sqliteStore } = await import('@holdfast/runtime')
  writeFileSync(join(folder, '.keep'), '')
  await using store = await sqliteStore(join(folder, '.holdfast/holdfast.db'))
  await using runtime = createRuntime({ store, concurrency: 0 })
  const { definition } = await parseAgentManifest(readFileSync(join(folder, 'agent.yaml'), 'utf8'), 'agent.yaml')
  const { thread } = await runtime.start(definition)
  const [claim] = await store.claim({ worker: 'test', leaseMs: 1000, max: 1, only: [thread], not: [], can: { format: 1, needs: [] } })
  const { row } = await runtime.thread(thread).info()
  const wait = `${thread}:ask:question:1`
  await store.append({
    tenant: 'default',
    thread,
    attempt: claim?.attempt ?? 0,
    expectedSequence: claim?.sequence ?? 0,
    facts: [{ v: 1, type: 'attempt.claimed', worker: 'test', why: 'items' }],
    consumed: ['start'],
    deferred: [],
    send: [],
    spawn: [],
    open: [
      { id: wait, thread, root: thread, path: '', kind: 'question', subject: { text: 'Which folder?' }, digest: 'sha256:x', needed: 1 }
    ],
    close: [],
    artifacts: [],
    row: { ...row, status: 'waiting' },
    timer: null,
    progress: true,
    sync: 'now',
    then: 'release'
  })
  return thread
}
