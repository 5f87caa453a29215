import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Store } from '../src/index.ts'
import { answeringModel, createRuntime, memoryStore } from '../src/index.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { latch, runThrough, until } from './runtime-kit.ts'

const AGENT = { name: 'slow', model: { ref: 'slow' }, prompt: 'go' }

function slowModel(durationMs: number) {
  return answeringModel(async () => {
    await sleep(durationMs)
    return { text: 'done' }
  })
}

test('beats for a thread that was acquired, so that a call longer than the lease keeps it', async () => {
  const clock = fakeClock()
  await using store = memoryStore({ clock })
  await using starter = createRuntime({ store, clock, models: { slow: slowModel(0) }, concurrency: 0 })
  const { thread } = await starter.start(AGENT)
  const { open, opened } = latch()
  const slow = answeringModel(async () => {
    await opened
    return { text: 'done' }
  })
  await using runtime = createRuntime({ store, clock, models: { slow }, leaseMs: 4_000 })
  await runtime.thread(thread).resume()
  await runThrough(clock, clock.sleep(20_000))
  expect((await store.thread(thread))?.owner).toBeDefined()
  open()
  expect(await runtime.thread(thread).settled()).toMatchObject({ status: 'completed', text: 'done' })
  expect((await store.thread(thread))?.attempt).toBe(1)
})

test('loses nothing under its next name by a heartbeat of the last one that is answered late', async () => {
  const clock = fakeClock()
  await using store = memoryStore({ clock })
  const [first, second, late] = [latch(), latch(), latch()]
  let beats = 0
  const beat: Store['beat'] = async (...given) => {
    beats++
    if (beats === 1) await late.opened
    return store.beat(...given)
  }
  let asked = 0
  const held = answeringModel(async () => {
    asked++
    await (asked === 1 ? first : second).opened
    return { text: 'done' }
  })
  await using runtime = createRuntime({ store: { ...store, beat }, clock, models: { slow: held }, leaseMs: 4_000 })
  const run = await runtime.start(AGENT)
  await until(() => asked === 1)
  await clock.advance(1_000)
  expect(beats).toBe(1)
  first.open()
  expect(await run.settled()).toMatchObject({ status: 'completed' })
  // The lease is over before anybody hears of that heartbeat.
  await clock.advance(4_000)
  const next = await runtime.start(AGENT)
  await until(() => asked === 2)
  late.open()
  await until(() => beats > 1 || clock.advance(100))
  second.open()
  expect(await next.settled()).toMatchObject({ status: 'completed' })
  expect((await store.thread(next.thread))?.attempt).toBe(1)
})

test('drives nothing with a concurrency of 0, and keeps what was started for others', async () => {
  await using store = memoryStore()
  await using starter = createRuntime({ store, models: { slow: slowModel(0) }, concurrency: 0 })
  const { thread } = await starter.start(AGENT)
  expect((await store.thread(thread))?.row.status).toBe('queued')
  await using worker = createRuntime({ store, models: { slow: slowModel(0) }, recover: true })
  expect((await worker.thread(thread).settled()).status).toBe('completed')
})

test('leaves what it drives to the next worker when it is closed', async () => {
  await using store = memoryStore()
  const first = createRuntime({ store, models: { slow: slowModel(60_000) } })
  const { thread } = await first.start(AGENT)
  await until(async () => (await store.thread(thread))?.row.status === 'running')
  await first.close({ graceMs: 0 })
  expect(await store.thread(thread)).toMatchObject({ row: { status: 'running' } })
  expect((await store.thread(thread))?.owner).toBeUndefined()
  await using second = createRuntime({ store, models: { slow: slowModel(0) }, recover: true })
  expect((await second.thread(thread).settled()).status).toBe('completed')
})

test('closes at once when a thread is claimed at the last moment', async () => {
  await using store = memoryStore()
  const runtime = createRuntime({ store, models: { slow: slowModel(60_000) } })
  const { thread } = await runtime.start(AGENT)
  await runtime.close({ graceMs: 0 })
  expect((await store.thread(thread))?.owner).toBeUndefined()
})

test('follows a thread that another worker drives, to its end', async () => {
  await using store = memoryStore()
  await using driver = createRuntime({ store, models: { slow: slowModel(50) } })
  await using reader = createRuntime({ store, models: {}, concurrency: 0 })
  const { thread } = await driver.start(AGENT)
  const types: string[] = []
  for await (const event of reader.thread(thread).events()) types.push(event.type)
  expect(types).toContain('model.responded')
  expect(types.at(-1)).toBe('run.settled')
})

test('lets a thread go that it cannot drive, so that another worker may', async () => {
  await using store = memoryStore()
  const broken = { ...store, append: refuseFacts(store.append) }
  await using first = createRuntime({ store: broken, models: { slow: slowModel(0) } })
  const { thread } = await first.start(AGENT)
  await expect(first.thread(thread).settled()).rejects.toThrow('out of order')
  expect((await store.thread(thread))?.owner).toBeUndefined()
  await using second = createRuntime({ store, models: { slow: slowModel(0) }, recover: true })
  expect((await second.thread(thread).settled()).status).toBe('completed')
})

/** A store that fails for good whenever something is to be said. */
function refuseFacts(append: Store['append']): Store['append'] {
  return (request) => {
    if (request.facts.length > 0) throw new Error('out of order')
    return append(request)
  }
}

test('says that it is closed to whoever waits for it or asks for more', async () => {
  await using store = memoryStore()
  const runtime = createRuntime({ store, models: { slow: slowModel(60_000) } })
  const run = await runtime.start(AGENT)
  const settled = run.settled().catch((error: unknown) => error)
  const types: string[] = []
  const read = (async () => {
    for await (const event of run.events()) types.push(event.type)
  })()
  await until(async () => (await run.info()).row.status === 'running')
  await runtime.close({ graceMs: 0 })
  expect(await settled).toMatchObject({ code: 'runtime_closed' })
  await read
  expect(types).not.toContain('run.settled')
  await expect(runtime.start(AGENT)).rejects.toMatchObject({ code: 'runtime_closed' })
  // A message is kept by the store, for whoever drives the thread next.
  expect(await run.message('more')).toMatchObject({ state: 'queued' })
  await expect(run.resume()).rejects.toMatchObject({ code: 'runtime_closed' })
  expect((await run.info()).row.status).toBe('running')
})
