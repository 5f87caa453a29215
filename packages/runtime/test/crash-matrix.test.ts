import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Effect, Fact } from '../src/contracts/fact.ts'
import type { Store } from '../src/contracts/store.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import type { FakeClock } from '../src/testing/fake-clock.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import type { FaultPoint } from '../src/testing/faulty-store.ts'
import { faultyStore } from '../src/testing/faulty-store.ts'
import type { Client, Ending, World } from './crash/scenario.ts'
import { callsOf, cancel, converse, startProcess, toComparable, wireIds } from './crash/scenario.ts'
import { folder, latch, resultsIn, within } from './runtime-kit.ts'

/** Writes of the undisturbed scenarios. Another number is a change of what is committed when: look at it, then write it here. */
const WRITES = { converse: 22, cancel: 13 }

const REPEATABLE: { readonly [tool: string]: Effect } = {
  weigh: 'read',
  price: 'idempotent',
  stock: 'read',
  broken: 'idempotent',
  hang: 'read'
}
const ONCE: { readonly [tool: string]: Effect } = { weigh: 'once', price: 'once', stock: 'once', broken: 'once', hang: 'once' }

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

interface Crashed extends Ending {
  /** What the log held when the first process was dead. */
  readonly before: readonly Fact[]
  readonly pending: readonly string[]
  /** What began in which process. */
  readonly first: World['begun']
  readonly second: World['begun']
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

async function look(store: Store, key: string): Promise<{ readonly before: readonly Fact[]; readonly pending: readonly string[] }> {
  const { items } = await store.threads({ tenant: 'default', limit: 1_000 })
  const id = items.find((thread) => thread.key === key)?.id
  if (id === undefined) return { before: [], pending: [] }
  const commits = await store.read(id, 1, 8_000_000)
  return { before: commits.flatMap((commit) => commit.facts), pending: (await store.pending(id)).map((item) => item.kind) }
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

function expectEach(where: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    if (error instanceof Error) error.message = `${where}: ${error.message}`
    throw error
  }
}

/** Each effect happened at most once, and what was started and not settled, and nothing else, is unknown to the model. */
function checkOnce({ before, facts, prompt, first, second }: Crashed): void {
  const begun = [...first, ...second].map(({ call }) => call)
  expect(new Set(begun).size).toBe(begun.length)
  const { open } = callsOf(before)
  const { settled, open: left } = callsOf(facts)
  const unknown = [...settled.values()].filter((fact) => fact.outcome === 'unknown').map((fact) => fact.call)
  expect(new Set(unknown)).toEqual(open)
  expect(left.size).toBe(0)
  for (const fact of settled.values()) if (fact.outcome === 'ok') expect(begun).toContain(fact.call)
  const shown = resultsIn(prompt)
  const wire = wireIds(facts)
  for (const [id, { result }] of settled) {
    const told =
      'inline' in result && 'error' in result.inline
        ? { type: 'error-text', value: result.inline.error }
        : { type: expect.stringMatching(/json|text/) }
    expect(shown.get(wire.get(id) ?? '')).toMatchObject(told)
  }
}

/** What was settled was not begun again, and whatever was begun again had the same key. */
function checkRepeated({ before, first, second }: Crashed): void {
  const { settled } = callsOf(before)
  for (const { call } of second) expect(settled.has(call)).toBe(false)
  const keys = new Map(first.map(({ call, key }) => [call, key]))
  for (const { call, key } of second) expect(key).toBe(keys.get(call) ?? key)
  expect(new Set(second.map(({ call }) => call)).size).toBe(second.length)
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
