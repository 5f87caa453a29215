import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ThreadHandle } from '../src/contracts/thread-handle.ts'
import { HoldfastError } from '../src/contracts/errors.ts'
import type { Store } from '../src/contracts/store.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import type { FaultPlan } from '../src/testing/fault-plan.ts'
import { faultyStore } from '../src/testing/faulty-store.ts'
import {
  agentOf,
  counted,
  factsOfType,
  folder,
  latch,
  outcomesOf,
  recordingModel,
  resultsIn,
  runThrough,
  runtimeFor,
  toolOf,
  until,
  within
} from './runtime-kit.ts'

/** A tool that must not be repeated, and what it did. */
function countedTool() {
  const begun: string[] = []
  const tool = toolOf('act', (_, context) => {
    begun.push(context.call)
    return begun.length
  })
  return { begun, tool }
}

const steps = (count: number) =>
  recordingModel(({ answers }) =>
    answers < count
      ? {
          toolCalls: [
            { name: 'act', arguments: { k: answers } },
            { name: 'act', arguments: { k: -answers - 1 } }
          ]
        }
      : { text: 'done' }
  )

async function expectOnce(handle: ThreadHandle, begun: readonly string[], calls: number): Promise<void> {
  expect(new Set(begun).size).toBe(begun.length)
  expect(begun).toHaveLength(calls)
  expect(await outcomesOf(handle)).toEqual(begun.map(() => 'ok'))
}

describe('a run whose store fails now and then', () => {
  test.each<[string, FaultPlan]>([
    ['before each commit', { fail: counted(['append'], (count) => (count % 2 === 1 ? 'before' : null)) }],
    ['after each commit', { fail: counted(['append'], (count) => (count % 2 === 1 ? 'after' : null)) }],
    [
      'at three of four commits',
      { fail: counted(['append'], (count) => ([null, 'after', 'before', 'after'] as const)[count % 4] ?? null) }
    ],
    ['when it is claimed', { fail: counted(['claim'], (count) => (count < 5 ? (count % 2 === 0 ? 'before' : 'after') : null)) }],
    ['at every other read', { failRead: counted(['pending', 'read', 'publication'], (count) => (count % 2 === 1 ? 'before' : null)) }],
    ['at the heartbeat', { fail: counted(['beat'], (count) => (count % 2 === 1 ? 'after' : null)) }]
  ])('%s goes on and repeats no effect', async (_, plan) => {
    // B048
    const clock = fakeClock()
    const { begun, tool } = countedTool()
    const inner = memoryStore({ clock })
    const store = faultyStore(inner, plan)
    const handle = await runtimeFor(steps(4), { store, clock }).start(agentOf({ tools: [tool] }), { input: 'go' })
    const reader = runtimeFor(steps(0), { store: inner, clock }).thread(handle.id)
    await until(async () => {
      await clock.advance(100)
      const { row, owner } = await reader.info()
      return row.status === 'completed' && !owner
    })
    await clock.advance(5_000)
    const calls = await factsOfType(reader, 'call.settled')
    expect(calls).toHaveLength(8)
    expect(new Set(begun).size).toBe(8)
    expect(begun).toHaveLength(8)
    expect(calls.every((fact) => fact.outcome === 'ok')).toBe(true)
    expect((await factsOfType(reader, 'attempt.claimed')).length).toBeLessThan(5)
  })

  test('for want of space to the end of its lease and longer is given up with what the store says, and goes on when there is space', async () => {
    // B049
    const clock = fakeClock()
    const { begun, tool } = countedTool()
    const inner = memoryStore({ clock })
    let isFull = false
    const unlessFull =
      <Given extends readonly unknown[], Result>(call: (...given: Given) => Promise<Result>) =>
      (...given: Given) =>
        isFull ? Promise.reject(new HoldfastError('store_full', 'full')) : call(...given)
    const { append, beat, claim } = inner
    const store = { ...inner, append: unlessFull(append), beat: unlessFull(beat), claim: unlessFull(claim) }
    const full = toolOf('fill', () => {
      isFull = true
      return 'filled'
    })
    const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'act' }, { name: 'fill' }] } : { text: 'done' }))
    const handle = await runtimeFor(model, { store, clock }).start(agentOf({ tools: [tool, full] }), { input: 'go' })
    await expect(runThrough(clock, handle.settled())).rejects.toMatchObject({ code: 'store_full' })
    expect((await handle.info()).row.status).toBe('running')
    isFull = false
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'completed' })
    expect(begun).toHaveLength(1)
  })

  test('for want of space goes on when there is space again', async () => {
    // B049
    const clock = fakeClock()
    const { begun, tool } = countedTool()
    const inner = memoryStore({ clock })
    let isFull = false
    const append: Store['append'] = (request) => (isFull ? Promise.reject(new HoldfastError('store_full', 'full')) : inner.append(request))
    const full = toolOf('fill', () => {
      isFull = true
      return 'filled'
    })
    const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'act' }, { name: 'fill' }] } : { text: 'done' }))
    const handle = await runtimeFor(model, { store: { ...inner, append }, clock }).start(agentOf({ tools: [tool, full] }), { input: 'go' })
    await until(() => isFull)
    await clock.advance(5_000)
    expect((await handle.info()).row.status).toBe('running')
    isFull = false
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'completed' })
    expect(begun).toHaveLength(1)
    expect(await outcomesOf(handle)).toEqual(['ok', 'ok'])
  })
})

describe('a run whose store is away for longer than its lease', () => {
  test.each([
    ['while a model is asked', 'model'],
    ['while a tool runs', 'tool']
  ])('%s is taken up again, honest about what it does not know', async (_, where) => {
    // B048
    const clock = fakeClock()
    let isAway = false
    const away: FaultPlan = { fail: () => (isAway ? 'before' : null), failRead: () => (isAway ? 'before' : null) }
    const store = faultyStore(memoryStore({ clock }), away)
    const gate = latch()
    let begun = 0
    const act = toolOf('act', async () => {
      begun += 1
      if (where === 'tool') await gate.opened
    })
    const model = recordingModel(async ({ request, answers }) => {
      if (answers > 0) return { text: 'done' }
      if (where === 'model' && request === 1) await gate.opened
      return { toolCalls: [{ name: 'act' }] }
    })
    const handle = await runtimeFor(model, { store, clock }).start(agentOf({ tools: [act] }), { input: 'go' })
    await until(() => (where === 'tool' ? begun === 1 : model.prompts.length === 1))
    isAway = true
    gate.open()
    await clock.advance(25_000)
    isAway = false
    const end = runThrough(clock, handle.settled())
    expect(await end).toMatchObject({ status: 'completed' })
    expect(begun).toBe(1)
    expect(await outcomesOf(handle)).toEqual([where === 'tool' ? 'unknown' : 'ok'])
    expect([...resultsIn(model.prompts.at(-1)).values()]).toMatchObject([{ type: where === 'tool' ? 'error-text' : 'text' }])
  })
})

/** A store on a file, and another program that locks it. */
async function lockable(busyTimeoutMs: number) {
  const path = join(await folder(), 'holdfast.db')
  const store = await sqliteStore(path, { durability: 'process', busyTimeoutMs })
  const other = new DatabaseSync(path)
  onTestFinished(async () => {
    other.close()
    await store[Symbol.asyncDispose]()
  })
  return { store, lock: () => other.exec('BEGIN IMMEDIATE'), unlock: () => other.exec('ROLLBACK') }
}

const pause = (durationMs: number) => new Promise((resolve) => setTimeout(resolve, durationMs))

/** A model that calls a tool once, which ends when its gate opens. */
function gated() {
  const gate = latch()
  const begun: string[] = []
  const act = toolOf('act', async (_, { call }) => {
    begun.push(call)
    await gate.opened
    return begun.length
  })
  const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'act' }] } : { text: 'done' }))
  return { gate, begun, act, model }
}

describe('a SQLite file that another program locks', () => {
  test('for a moment, again and again, delays a run and repeats nothing; the event loop stays free', async () => {
    // B048
    const { store, lock, unlock } = await lockable(30_000)
    const { begun, tool } = countedTool()
    let ticks = 0
    const ticker = setInterval(() => ticks++, 5)
    const handle = await runtimeFor(steps(10), { store }).start(agentOf({ tools: [tool] }), { input: 'go' })
    let isOver = false
    const end = within(handle.settled()).finally(() => {
      isOver = true
    })
    let locked = 0
    while (!isOver) {
      lock()
      locked += 1
      const before = ticks
      await pause(25)
      expect(ticks).toBeGreaterThan(before)
      unlock()
      await pause(5)
    }
    clearInterval(ticker)
    expect(await end).toMatchObject({ status: 'completed' })
    expect(locked).toBeGreaterThan(1)
    await expectOnce(handle, begun, 20)
  })

  test('for longer than a call waits lets the run go on afterwards, within one attempt', async () => {
    // B048
    const { store, lock, unlock } = await lockable(50)
    const { gate, begun, act, model } = gated()
    const runtime = runtimeFor(model, { store })
    const handle = await runtime.start(agentOf({ tools: [act] }), { input: 'go' })
    await until(() => begun.length === 1)
    lock()
    gate.open()
    await expect(runtime.start(agentOf({ tools: [act] }), { input: 'go', idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'store_unavailable'
    })
    await expect(handle.message('more', { id: 'm1' })).rejects.toMatchObject({ code: 'store_unavailable' })
    unlock()
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
    expect(begun).toHaveLength(1)
    expect(await outcomesOf(handle)).toEqual(['ok'])
    expect(await factsOfType(handle, 'attempt.claimed')).toHaveLength(1)
    expect(await handle.message('more', { id: 'm1' })).toMatchObject({ state: 'queued' })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
  })

  test('for longer than the lease is taken up again by the same process', async () => {
    // B048
    const { store, lock, unlock } = await lockable(50)
    const { gate, begun, act, model } = gated()
    const handle = await runtimeFor(model, { store, leaseMs: 300 }).start(agentOf({ tools: [act] }), { input: 'go' })
    await until(() => begun.length === 1)
    lock()
    gate.open()
    await pause(600)
    unlock()
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
    expect(begun).toHaveLength(1)
    expect(await outcomesOf(handle)).toEqual(['unknown'])
  })
})
