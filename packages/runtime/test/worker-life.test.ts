import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { randomIds } from '../src/engine/system-clock.ts'
import { createWorkerId, parseWorkerId } from '../src/engine/worker-id.ts'
import { readWorkerLife } from '../src/engine/worker-life.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { agentOf, factsOfType, folder, recordingModel, runtimeFor, within } from './runtime-kit.ts'

const OWN = createWorkerId(randomIds)
/** What a process that began and ended on this machine was called. */
const gone = () => OWN.replace(`:${process.pid}:`, `:${spawnSync(process.execPath, ['-e', '']).pid}:`)

test('a worker lives in the process that made its id, also where another runtime looks', () => {
  expect(parseWorkerId(OWN)).toMatchObject({ host: hostname(), pid: process.pid })
  expect(readWorkerLife(OWN)).toBe(process.platform === 'linux' ? 'alive' : 'unknown')
})

test('nothing is known of workers elsewhere, of another kind, or without a number', () => {
  const [elsewhere] = gone().split(':')
  expect(elsewhere).toBe(hostname())
  for (const worker of ['', 'w1', 'elsewhere:7:abc0', `${hostname()}:0:a`, `${hostname()}:99999999999999999999:a`])
    expect(readWorkerLife(worker)).toBe('unknown')
})

describe.skipIf(process.platform !== 'linux')('where the system tells when processes began', () => {
  const { machine, start } = parseWorkerId(OWN)?.born ?? { machine: '', start: '' }
  const worker = (pid: number, from: { readonly machine?: string; readonly start?: string } = {}) =>
    `${hostname()}:${pid}:${from.machine ?? machine}-${from.start ?? start}-abc0`

  test('a process that is gone is dead', () => {
    expect(readWorkerLife(gone())).toBe('dead')
  })

  // The numbers of processes come again, soon where a container has few.
  test.for([process.pid, process.ppid])('one whose number another process has now is dead', (pid) => {
    expect(readWorkerLife(worker(pid, { start: '1' }))).toBe('dead')
  })

  // A name is given to many machines, and containers of one machine number their processes each for itself.
  test.for([process.pid, process.ppid, 2 ** 30])('nothing is known of a process of another machine of the same name', (pid) => {
    expect(readWorkerLife(worker(pid, { machine: '00000000' }))).toBe('unknown')
    expect(readWorkerLife(`${hostname()}:${pid}:abc0`)).toBe('unknown')
  })

  /** A thread that a worker owns for longer than any test takes. */
  async function ownedBy(owner: string) {
    const store = memoryStore()
    const { id } = await runtimeFor(
      recordingModel(() => ({ text: 'never' })),
      { store, concurrency: 0 }
    ).start(agentOf(), { input: 'go' })
    await store.claim({ worker: owner, leaseMs: 3_600_000, max: 1, only: [id], not: [], can: { format: 1_000, needs: [] } })
    return runtimeFor(
      recordingModel(() => ({ text: 'done' })),
      { store }
    ).thread(id)
  }

  test('the thread of a dead worker is driven by whoever resumes it, at once', async () => {
    // B045
    const thread = await ownedBy(gone())
    await thread.resume()
    expect(await within(thread.settled())).toMatchObject({ status: 'completed', text: 'done' })
    expect((await factsOfType(thread, 'attempt.claimed')).map((fact) => fact.why)).toEqual(['takeover'])
  })

  test.for([
    [OWN, 'alive'],
    ['elsewhere:7:abc0', 'unknown']
  ] as const)('the thread of %s is left alone until the host says otherwise', async ([owner, life]) => {
    // B045
    const thread = await ownedBy(owner)
    await expect(thread.resume()).rejects.toMatchObject({ code: 'thread_busy', details: { worker: owner, life } })
    expect((await thread.info()).owner?.worker).toBe(owner)
    await thread.resume({ takeover: true })
    expect(await within(thread.settled())).toMatchObject({ status: 'completed', text: 'done' })
  })
})

const CHILD = fileURLToPath(new URL('./fixtures/worker-child.ts', import.meta.url))
const canNumber = spawnSync('unshare', ['-r', '-p', '-f', '--mount-proc', 'true']).status === 0

/** What a process says in a space of processes of its own, as in a container. */
function numberedAnew(...options: readonly string[]) {
  const argv = ['-r', '-p', '-f', ...options, process.execPath, '--conditions=@holdfast/source', CHILD]
  return JSON.parse(spawnSync('unshare', argv, { encoding: 'utf8' }).stdout)
}

// Needs unshare of util-linux, and the right to use it.
describe.skipIf(!canNumber)('a process in a space of its own', () => {
  test('knows its own, and nobody outside knows whether it lives', () => {
    const { worker, ...told } = numberedAnew('--mount-proc')
    expect(told).toEqual({ pid: 1, own: 'alive', other: 'dead' })
    expect(worker).toContain(`${hostname()}:1:`)
    expect(readWorkerLife(worker)).toBe('unknown')
  })

  test('knows nothing where it is shown the processes of another space', () => {
    expect(numberedAnew()).toMatchObject({ pid: 1, own: 'unknown', other: 'unknown' })
  })

  const canMask = spawnSync('unshare', ['-r', '-m', '-p', '-f', '--mount-proc', 'mount', '--bind', '/dev/null', '/proc/stat']).status === 0

  test.skipIf(!canMask)('tells machines of one name apart where the start of each has no id', async () => {
    const home = await folder()
    const runs = [1, 1, 2].map((time) => {
      const stat = join(home, `stat-${time}`)
      writeFileSync(stat, `cpu 0 0 0 0\nbtime ${time}\n`)
      return `mount --bind ${stat} /proc/stat && "$@" && echo && umount /proc/stat`
    })
    const script = ['{ mount --bind /dev/null /proc/sys/kernel/random/boot_id || true; }', ...runs].join(' && ')
    const argv = [
      '-r',
      '-m',
      '-p',
      '-f',
      '--mount-proc',
      'sh',
      '-c',
      script,
      'sh',
      process.execPath,
      '--conditions=@holdfast/source',
      CHILD
    ]
    const told = spawnSync('unshare', argv, { encoding: 'utf8' }).stdout.trim().split('\n')
    const [first, again, other] = told.map((line) => parseWorkerId(JSON.parse(line).worker)?.born?.machine)
    expect(first).toEqual(expect.any(String))
    expect(again).toBe(first)
    expect(other).not.toBe(first)
  })
})
