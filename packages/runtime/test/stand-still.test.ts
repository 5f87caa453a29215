// Keeps I3: a process that stood still does not begin what is no longer its own.
import { expect, test } from 'vitest'
import type { Claim } from '../src/contracts/claim.ts'
import type { Clock } from '../src/contracts/clock.ts'
import type { Store } from '../src/contracts/store.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { agentOf, factsOfType, latch, outcomesOf, recordingModel, runThrough, runtimeFor, toolOf } from './runtime-kit.ts'

/** A clock that goes on while nothing else does. */
function stalling() {
  const clock = fakeClock()
  let lostMs = 0
  const stalled: Clock = { ...clock, now: () => clock.now() + lostMs, monotonic: () => clock.monotonic() + lostMs }
  return {
    clock,
    stalled,
    standStill: (durationMs: number) => {
      lostMs += durationMs
    }
  }
}

async function takeBy(worker: string, store: Store, thread: string): Promise<readonly Claim[]> {
  const needs = (await store.thread(thread))?.row.needs ?? []
  return store.claim({ worker, leaseMs: 3_600_000, max: 1, only: [thread], not: [], can: { format: 1_000, needs } })
}

test.for([false, true])('a call does not begin that another worker took while the process stood still, watched: %s', async (isWatched) => {
  // B045
  const { clock, stalled, standStill } = stalling()
  const store = memoryStore({ clock: stalled })
  const begun: string[] = []
  const ended = latch<string>()
  const taken = latch<Promise<readonly Claim[]>>()
  const tools = ['first', 'second'].map((name) =>
    toolOf(name, (_, { thread }) => {
      begun.push(name)
      if (begun.length > 1) return 'done'
      standStill(60_000)
      taken.open(takeBy('other', store, thread))
      return ended.opened
    })
  )
  const model = recordingModel(() => ({ toolCalls: [{ name: 'first' }, { name: 'second' }] }))
  const handle = await runtimeFor(model, { store, clock: stalled, leaseMs: 15_000 }).start(agentOf({ tools }), { input: 'go' })
  const stop = new AbortController()
  const events = isWatched ? handle.events({ signal: stop.signal })[Symbol.asyncIterator]() : undefined
  const watching = events?.next()
  expect(await runThrough(clock, taken.opened)).toMatchObject([{ why: 'expired' }])
  await runThrough(clock, clock.sleep(10_000))
  expect(await factsOfType(handle, 'call.started')).toHaveLength(2)
  expect(begun).toEqual(['first'])
  ended.open('late')
  stop.abort()
  await watching
})

test('a call that was not begun because the lease had run out begins when it holds again', async () => {
  const { clock, stalled, standStill } = stalling()
  const store = memoryStore({ clock: stalled })
  const owners: unknown[] = []
  const tools = ['first', 'second'].map((name) =>
    toolOf(name, async (_, { thread }) => {
      if (name === 'first') standStill(60_000)
      else owners.push((await store.thread(thread))?.owner)
      return name
    })
  )
  const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'first' }, { name: 'second' }] } : { text: 'over' }))
  const handle = await runtimeFor(model, { store, clock: stalled, leaseMs: 15_000 }).start(agentOf({ tools }), { input: 'go' })
  expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'completed', text: 'over' })
  expect(owners).toEqual([expect.objectContaining({ worker: expect.any(String) })])
  expect(await outcomesOf(handle)).toEqual(['ok', 'ok'])
})
