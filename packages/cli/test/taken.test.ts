import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Running } from './command-kit.ts'
import { addFiles, eventually, folderWith, holdfast, startHoldfast, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'
import { held, waitOf } from './waits-kit.ts'

const NEVER = { text: 'never', delayMs: 600_000 }
/** What the next process finds: the one that stands still has read it before. */
const QUICK = { 'script.yaml': '{ turns: [{ text: mine }, { text: mine }] }' }

/** So long that none loses its thread before it is stopped, also on a busy machine. */
const LEASE_MS = 3_000

function configured(leaseMs: number): { readonly [path: string]: string } {
  return { 'holdfast.config.yaml': JSON.stringify({ version: '1.0', tools: ['./tools.mjs'], engine: { leaseMs } }) }
}

function project(): string {
  const agent = scriptedAgent([calling('stamp'), NEVER, NEVER], { tools: ['echo', 'stamp'] })
  return folderWith({ ...agent, ...configured(LEASE_MS) })
}

/** Has a process stand still until its lease is over; not in the middle of a transaction, which would keep everybody else waiting. */
async function stopped(folder: string, running: Running, thread: string): Promise<void> {
  using db = new DatabaseSync(join(folder, '.holdfast/holdfast.db'), { timeout: 0 })
  for (;;) {
    running.child.kill('SIGSTOP')
    await sleep(20)
    if (isFree(db)) break
    running.child.kill('SIGCONT')
    await sleep(20)
  }
  const owner = async () => JSON.parse((await holdfast(folder, ['show', thread, '--json'])).stdout).thread.owner
  await eventually(async () => (await owner()) === undefined)
}

/** Whether nobody is writing. */
function isFree(db: DatabaseSync): boolean {
  try {
    db.exec('BEGIN IMMEDIATE; ROLLBACK')
    return true
  } catch {
    return false
  }
}

/** Another process brings the thread to rest meanwhile; then the first one wakes up. */
async function finishedByOther(folder: string, running: Running, thread: string): Promise<void> {
  await stopped(folder, running, thread)
  addFiles(folder, QUICK)
  expect(await holdfast(folder, ['resume', thread])).toMatchObject({ code: 0, stdout: 'mine\n' })
  running.child.kill('SIGCONT')
}

// B046
describe('a process that stood still while another one took its thread', () => {
  test('does not tell the answer of the other one as its own', async () => {
    const folder = project()
    const running = startHoldfast(folder, ['run', 'agent.yaml'])
    const thread = threadOf(await running.until(/thr_\w+/))
    await running.until(/stamp ok/)
    await finishedByOther(folder, running, thread)
    expect(await running.ended).toBe(6)
    expect(running.stdout()).toBe('')
    expect(running.stderr()).toContain(`:${process.pid}:`)
    expect(running.stderr()).toContain('error[thread_taken]')
  })

  test('says so as a document', async () => {
    const folder = project()
    const { stdout } = await holdfast(folder, ['run', 'agent.yaml', '--detach'])
    const thread = stdout.trim()
    const running = startHoldfast(folder, ['resume', thread, '--json'])
    await running.until(/stamp ok/)
    await finishedByOther(folder, running, thread)
    expect(await running.ended).toBe(6)
    const { error } = JSON.parse(running.stdout())
    expect(error).toMatchObject({ code: 'thread_taken', details: { thread, worker: expect.stringContaining(`:${process.pid}:`) } })
    expect(error.details).not.toHaveProperty('leaseUntil')
  })

  test('leaves what the other one did out of its lines', async () => {
    const folder = project()
    const running = startHoldfast(folder, ['run', 'agent.yaml', '--jsonl'])
    const thread = threadOf(await running.until(/thr_\w+/))
    await running.until(/call.settled/)
    await finishedByOther(folder, running, thread)
    expect(await running.ended).toBe(6)
    const types = running
      .stdout()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type)
    expect(types).toContain('call.settled')
    expect(types).not.toContain('run.ended')
    expect(types).not.toContain('run.settled')
  })

  test('names the other one while that drives', async () => {
    const folder = project()
    const running = startHoldfast(folder, ['run', 'agent.yaml', '--json'])
    const thread = threadOf(await running.until(/thr_\w+/))
    await running.until(/stamp ok/)
    await stopped(folder, running, thread)
    addFiles(folder, configured(3_600_000))
    const other = startHoldfast(folder, ['resume', thread])
    await other.until(/taken over by/)
    running.child.kill('SIGCONT')
    expect(await running.ended).toBe(6)
    expect(JSON.parse(running.stdout()).error).toMatchObject({
      code: 'thread_taken',
      details: { worker: expect.stringContaining(`:${other.child.pid}:`), leaseUntil: expect.any(Number) }
    })
    expect(other.child.exitCode).toBe(null)
  })

  test('still tells what it has decided', async () => {
    const agent = scriptedAgent([calling('stamp'), NEVER], { tools: [held('stamp'), 'echo'] })
    const folder = folderWith({ ...agent, ...configured(LEASE_MS) })
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    const wait = await waitOf(folder, 'stamp')
    const running = startHoldfast(folder, ['approve', wait, '--json'])
    await running.until(/stamp ok/)
    await finishedByOther(folder, running, thread)
    expect(await running.ended).toBe(6)
    expect(JSON.parse(running.stdout()).error).toMatchObject({ code: 'thread_taken', details: { decisions: [{ state: 'accepted' }] } })
  })

  test('goes on with a conversation, and says whose answers it shows', async () => {
    const folder = project()
    const running = startHoldfast(folder, ['chat', 'agent.yaml'], { stdio: 'pipe' })
    running.child.stdin?.write('hello\n')
    await running.until(/stamp ok/)
    const thread = threadOf(running.stderr())
    await finishedByOther(folder, running, thread)
    running.child.stdin?.end()
    expect(await running.ended).toBe(0)
    expect(running.stdout()).toBe('mine\n')
    expect(running.stderr()).toContain(`:${process.pid}:`)
  })
})

test('a process that stood still beyond its lease goes on with a thread that nobody else took', async () => {
  const folder = folderWith({ ...scriptedAgent([{ text: 'mine', delayMs: 3_000 }]), ...configured(1_000) })
  const running = startHoldfast(folder, ['run', 'agent.yaml'])
  const thread = threadOf(await running.until(/thr_\w+/))
  await running.until(/turn 1/)
  await stopped(folder, running, thread)
  running.child.kill('SIGCONT')
  expect(await running.ended).toBe(0)
  expect(running.stdout()).toBe('mine\n')
})
