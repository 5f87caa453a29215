import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Effect } from '../src/contracts/fact.ts'
import type { Store } from '../src/contracts/store.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import type { FakeClock } from '../src/testing/fake-clock.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import type { FaultPoint } from '../src/testing/fault-plan.ts'
import { faultyStore } from '../src/testing/faulty-store.ts'
import type { Crashed } from './crash/checks.ts'
import { checkOnce, checkRepeated, expectEach, look, ONCE, REPEATABLE } from './crash/checks.ts'
import type { Client, Ending, World } from './crash/scenario.ts'
import { cancel, converse, startProcess, toComparable } from './crash/scenario.ts'
import { folder, latch, within } from './runtime-kit.ts'

/** Writes of the undisturbed scenarios. Another number is a change of what is committed when: look at it, then write it here. */
const WRITES = { converse: 22, cancel: 13 }

/** Where the processes of one case meet. */
interface Place {
  readonly clock: FakeClock
  open(): Promise<Store>
}

async function sqlitePlace(): Promise<Place> {
  const clock = fakeClock()
  const path = join(await folder(), 'holdfast.db')
  return {
    clock,
    async open() {
      const store = await sqliteStore(path, { clock, durability: 'process' })
      onTestFinished(() => store[Symbol.asyncDispose]())
      return store
    }
  }
}

async function memoryPlace(): Promise<Place> {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  return { clock, open: async () => store }
}

interface Case {
  readonly client: Client
  readonly effects: { readonly [tool: string]: Effect }
  readonly key: string
}

/** A run without a fault: what it leaves, and how often it wrote. */
async function runUndisturbed(place: Place, { client, effects, key }: Case): Promise<Ending & { readonly writes: number }> {
  const store = faultyStore(await place.open())
  const process = startProcess(store, place.clock, { begun: [], prompts: [] }, effects)
  const ending = await within(client(process, key, { takeover: false }))
  const { writes } = store
  await process.runtime.close()
  return { ...ending, writes }
}

/** The same with a process that dies at one of its writes, before or after the commit, and another that goes on. */
async function runCrashed(place: Place, { client, effects, key }: Case, write: number, point: FaultPoint): Promise<Crashed> {
  const world: World = { begun: [], prompts: [] }
  const dead = latch()
  const raw = await place.open()
  const store = faultyStore(raw, {
    fail({ index }) {
      if (index !== write) return null
      store.die()
      dead.open()
      return point
    }
  })
  const process = startProcess(store, place.clock, world, effects)
  client(process, key, { takeover: false }).catch(() => {})
  await within(dead.opened)
  // What the dead process had handed over is done before another looks.
  await raw.deliver([])
  const open = await place.open()
  const { before, pending } = await look(open, key)
  const first = world.begun.splice(0)
  const next = startProcess(open, place.clock, world, effects)
  const ending = await within(client(next, key, { takeover: true }))
  const second = world.begun.slice()
  // The dead process gets its time, too: it must not matter.
  await place.clock.advance(60_000)
  await process.runtime.close()
  await next.runtime.close()
  expect((await look(open, key)).before).toEqual(ending.facts)
  return { ...ending, before, pending, first, second }
}

/** Tries every write position with both faults. */
async function sweep(place: Place, base: Omit<Case, 'key'>, writes: number, check: (crashed: Crashed) => void): Promise<void> {
  for (let write = 1; write <= writes; write++) {
    for (const point of ['before', 'after'] as const) {
      const crashed = await runCrashed(place, { ...base, key: `${write}-${point}` }, write, point).catch((error: unknown) => {
        throw new Error(`write ${write}, ${point} its effect`, { cause: error })
      })
      expectEach(`write ${write}, ${point} its effect`, () => check(crashed))
    }
  }
}

describe.each([
  { name: 'SQLite', place: sqlitePlace },
  { name: 'memory', place: memoryPlace }
])('a process that dies at any of its writes, over $name', ({ place }) => {
  test('leaves a conversation that ends as if nothing had been, with tools that may be repeated', async () => {
    const here = await place()
    const base = { client: converse, effects: REPEATABLE }
    const undisturbed = await runUndisturbed(here, { ...base, key: 'undisturbed' })
    process.stdout.write(`crash matrix: ${undisturbed.writes} writes of a conversation, two faults each\n`)
    expect(undisturbed.writes).toBe(WRITES.converse)
    expect(undisturbed.ends.map((end) => end.status)).toEqual(['completed', 'completed'])
    const expected = toComparable(undisturbed)
    await sweep(here, base, undisturbed.writes, (crashed) => {
      expect(toComparable(crashed)).toEqual(expected)
      checkRepeated(crashed)
    })
  })

  test('leaves a conversation in which nothing happened twice, with tools that must not be repeated', async () => {
    // B043
    const here = await place()
    const base = { client: converse, effects: ONCE }
    const undisturbed = await runUndisturbed(here, { ...base, key: 'undisturbed' })
    expect(undisturbed.writes).toBe(WRITES.converse)
    await sweep(here, base, undisturbed.writes, (crashed) => {
      expect(crashed.ends.map((end) => end.status)).toEqual(['completed', 'completed'])
      checkOnce(crashed)
    })
  })

  test.each([
    { kind: 'may', effects: REPEATABLE },
    { kind: 'must not', effects: ONCE }
  ])('leaves a run that is cancelled, with tools that $kind be repeated', async ({ effects }) => {
    // B022
    const here = await place()
    const base = { client: cancel, effects }
    const undisturbed = await runUndisturbed(here, { ...base, key: 'undisturbed' })
    process.stdout.write(`crash matrix: ${undisturbed.writes} writes of a cancelled run, two faults each\n`)
    expect(undisturbed.writes).toBe(WRITES.cancel)
    await sweep(here, base, undisturbed.writes, (crashed) => {
      expect(crashed.ends.map((end) => end.status)).toEqual(['cancelled', 'completed'])
      const isAccepted = crashed.pending.includes('cancel') || crashed.before.some((fact) => fact.type === 'run.cancelRequested')
      const isOver = crashed.before.some((fact) => fact.type === 'run.ended')
      if (isAccepted && !isOver) expect(crashed.requests).toBe(0)
      if (effects === ONCE) checkOnce(crashed)
      else checkRepeated(crashed)
    })
  })
})
