import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../src/contracts/store.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { createStoreKit, note } from '../src/testing/store-kit.ts'
import { startStoreChild } from './store-child.ts'

let folder = ''
let path = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-processes-'))
  path = join(folder, 'store.db')
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** How often the event loop was to be had in a while. */
async function roundsWithin(durationMs: number): Promise<number> {
  let rounds = 0
  const timer = setInterval(() => rounds++, 5)
  await sleep(durationMs)
  clearInterval(timer)
  return rounds
}

/** Drives threads in another process. */
const startDriver = (worker: string, leaseMs: number, behind?: string) =>
  startStoreChild('drive', path, JSON.stringify({ worker, leaseMs, behind }))
/** A lease that nobody loses because other programs want the processor. */
const LONG_MS = 60_000
/** One that a test waits for the end of. */
const SHORT_MS = 1_500

async function startThreads(store: Store, count: number): Promise<readonly string[]> {
  const kit = createStoreKit({ store, clock: fakeClock() })
  const made = []
  for (let index = 0; index < count; index += 1) made.push((await kit.start({ id: `thr_${String(index).padStart(10, '0')}` })).id)
  return made
}

describe('two processes on one file', () => {
  test('drive every thread once, each by the process that claimed it', async () => {
    const store = await sqliteStore(path)
    const threads = await startThreads(store, 60)
    // Both begin when both are there: one alone would soon be done.
    const begin = join(folder, 'begin')
    const children = ['worker-a', 'worker-b'].map((worker) => startDriver(worker, LONG_MS, begin))
    await Promise.all(children.map((child) => child.said(1)))
    writeFileSync(begin, '')
    expect(await Promise.all(children.map((child) => child.ended))).toEqual([0, 0])
    const said = children.flatMap((child) => child.lines.slice(1))
    const steps = threads.flatMap((id) => [1, 2, 3].map((step) => `${id} step ${step} attempt 1`))
    expect(said.toSorted()).toEqual(steps.toSorted())
    for (const id of threads) {
      const log = await store.read(id, 2, 100_000)
      expect([log.length, new Set(log.map((commit) => commit.worker)).size]).toEqual([3, 1])
    }
    expect(children.every((child) => child.lines.length > 1)).toBe(true)
    await store[Symbol.asyncDispose]()
  })

  test('finish every thread when one of them is killed again and again', async () => {
    // B045
    const store = await sqliteStore(path)
    const threads = await startThreads(store, 40)
    const steady = startDriver('worker-steady', SHORT_MS)
    for (let round = 0; round < 3; round += 1) {
      const victim = startDriver(`worker-${round}`, SHORT_MS)
      await victim.said(5)
      victim.kill()
      await victim.ended
    }
    // The steady one may have gone to rest before the last lease ran out.
    await steady.ended
    await sleep(SHORT_MS + 100)
    await startDriver('worker-last', LONG_MS).ended
    for (const id of threads) {
      const log = await store.read(id, 2, 100_000)
      const attempts = log.map((commit) => commit.attempt)
      expect([log.map((commit) => commit.sequence), attempts]).toEqual([[2, 3, 4], attempts.toSorted((a, b) => a - b)])
      expect(await store.thread(id)).toMatchObject({ pending: 0, head: 4 })
      expect((await store.thread(id))?.owner).toBeUndefined()
    }
    await store[Symbol.asyncDispose]()
  })

  test('keep every acknowledged commit when the writer is killed in the middle of its work', async () => {
    for (let round = 0; round < 3; round += 1) {
      const file = join(folder, `killed-${round}.db`)
      const child = startStoreChild('acknowledge', file)
      await child.said(50 + round * 37)
      child.kill()
      await child.ended
      const acknowledged = Number(child.lines.at(-1))
      const store = await sqliteStore(file)
      const [thread] = (await store.threads({ tenant: 'default' })).items
      const log = await store.read(thread?.id ?? '', 1, 100_000_000)
      expect(log.length).toBeGreaterThanOrEqual(acknowledged)
      expect(log.map((commit) => commit.sequence)).toEqual(log.map((_, index) => index + 1))
      expect(thread?.head).toBe(log.length)
      await store[Symbol.asyncDispose]()
    }
  })
})

describe('a file that another process keeps locked', () => {
  // B048
  test('lets appends wait with the event loop responsive, and loses none', async () => {
    const store = await sqliteStore(path)
    const kit = createStoreKit({ store, clock: fakeClock() })
    const owners = await Promise.all([1, 2, 3].map(async () => kit.own(await kit.start())))
    const free = join(folder, 'free')
    const holder = startStoreChild('hold', path, free)
    await holder.said(1)
    let answered = false
    const appends = owners.flatMap((owner) => [1, 2].map((turn) => () => owner.append({ facts: [note(turn)] })))
    const work = (async () => {
      await Promise.all(appends.slice(0, 3).map((append) => append()))
      answered = true
    })()
    // Who waited within SQLite would have the event loop a few times, if at all.
    expect(await roundsWithin(2_000)).toBeGreaterThan(20)
    // Readers are not in anybody's way.
    expect((await store.thread(owners[0]?.claim.thread ?? ''))?.head).toBe(2)
    expect(answered).toBe(false)
    writeFileSync(free, '')
    await work
    const heads = await Promise.all(owners.map(async (owner) => (await store.thread(owner.claim.thread))?.head))
    expect(heads).toEqual(owners.map((owner) => owner.sequence))
    await store[Symbol.asyncDispose]()
    await holder.ended
  })

  test('gives store_unavailable when it takes too long, and the same append succeeds later', async () => {
    const store = await sqliteStore(path, { busyTimeoutMs: 300 })
    const kit = createStoreKit({ store, clock: fakeClock() })
    const owner = await kit.own(await kit.start())
    const holder = new DatabaseSync(path)
    holder.exec('BEGIN IMMEDIATE')
    const append = owner.request({ facts: [note('late')] })
    const started = performance.now()
    const appends = [store.append(append), store.append(append)].map((each) => each.catch((error: unknown) => error))
    // Both: one that still waits would be written as soon as it can.
    const unavailable = { code: 'store_unavailable' }
    expect(await Promise.all(appends)).toMatchObject([unavailable, unavailable])
    expect(performance.now() - started).toBeGreaterThanOrEqual(290)
    holder.exec('COMMIT')
    expect(await store.append(append)).toMatchObject({ ok: true, repeated: false })
    holder.close()
    await store[Symbol.asyncDispose]()
  })

  test('is written between the locks of a process that takes it again and again', async () => {
    const store = await sqliteStore(path)
    const kit = createStoreKit({ store, clock: fakeClock() })
    const owner = await kit.own(await kit.start())
    const holder = startStoreChild('toggle', path, '1500')
    await holder.said(1)
    for (let turn = 0; turn < 20; turn += 1)
      expect(await owner.append({ facts: [note(turn)] })).toMatchObject({ ok: true, repeated: false })
    await holder.ended
    expect((await store.thread(owner.claim.thread))?.head).toBe(owner.sequence)
    await store[Symbol.asyncDispose]()
  })

  test('can be closed while appends wait: they are done first', async () => {
    const store = await sqliteStore(path)
    const kit = createStoreKit({ store, clock: fakeClock() })
    const owner = await kit.own(await kit.start())
    const holder = new DatabaseSync(path)
    holder.exec('BEGIN IMMEDIATE')
    const append = owner.append({ facts: [note('last')] })
    const closed = store[Symbol.asyncDispose]()
    await expect(store.thread('thr_any')).rejects.toMatchObject({ code: 'store_closed' })
    await sleep(50)
    holder.exec('COMMIT')
    holder.close()
    expect(await append).toMatchObject({ ok: true })
    await closed
  })

  test('keeps its write-ahead log bounded once a reader lets go', async () => {
    const store = await sqliteStore(path, { durability: 'process' })
    const kit = createStoreKit({ store, clock: fakeClock() })
    const owner = await kit.own(await kit.start())
    const reader = new DatabaseSync(path)
    reader.exec('BEGIN; SELECT count(*) FROM log')
    for (let turn = 0; turn < 90; turn += 1) await owner.append({ facts: [note('x'.repeat(200_000))] })
    const grown = statSync(`${path}-wal`).size
    // More than goes into the file at a time.
    expect(grown).toBeGreaterThan(18_000_000)
    reader.exec('COMMIT')
    reader.close()
    for (let turn = 0; turn < 90; turn += 1) await owner.append({ facts: [note('y'.repeat(200_000))] })
    expect(statSync(`${path}-wal`).size).toBeLessThan(grown + 1_000_000)
    await store[Symbol.asyncDispose]()
    const again = await sqliteStore(path)
    expect((await again.read(owner.claim.thread, 1, 100_000_000)).length).toBe(owner.sequence)
    await again[Symbol.asyncDispose]()
  })
})
