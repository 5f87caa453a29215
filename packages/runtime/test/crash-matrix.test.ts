import { join } from 'node:path'
<<<<<<< HEAD
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Effect } from '../src/contracts/fact.ts'
=======
import { describe, expect, test } from 'vitest'
import type { Effect, Fact } from '../src/contracts/fact.ts'
>>>>>>> 4b1bfef (feat(testing): let a scenario die at each of its writes)
import type { Store } from '../src/contracts/store.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import type { CrashTrial } from '../src/testing/crash-matrix.ts'
import { runCrashMatrix } from '../src/testing/crash-matrix.ts'
import type { FakeClock } from '../src/testing/fake-clock.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
<<<<<<< HEAD
import type { FaultPoint } from '../src/testing/fault-plan.ts'
import { faultyStore } from '../src/testing/faulty-store.ts'
import type { Crashed } from './crash/checks.ts'
import { checkOnce, checkRepeated, expectEach, look, ONCE, REPEATABLE } from './crash/checks.ts'
import type { Client, Ending, World } from './crash/scenario.ts'
import { cancel, converse, startProcess, toComparable } from './crash/scenario.ts'
import { folder, latch, within } from './runtime-kit.ts'
=======
import type { Client, Ending, Process, World } from './crash/scenario.ts'
import { callsOf, cancel, converse, startProcess, toComparable, wireIds } from './crash/scenario.ts'
import { folder, resultsIn, within } from './runtime-kit.ts'
>>>>>>> 4b1bfef (feat(testing): let a scenario die at each of its writes)

/** Writes of the undisturbed scenarios. Another number is a change of what is committed when: look at it, then write it here. */
const WRITES = { converse: 22, cancel: 13 }

<<<<<<< HEAD
/** Where the processes of one case meet. */
=======
const REPEATABLE: { readonly [tool: string]: Effect } = {
  weigh: 'read',
  price: 'idempotent',
  stock: 'read',
  broken: 'idempotent',
  hang: 'read'
}
const ONCE: { readonly [tool: string]: Effect } = { weigh: 'once', price: 'once', stock: 'once', broken: 'once', hang: 'once' }

/** Where the processes of one trial meet. */
>>>>>>> 4b1bfef (feat(testing): let a scenario die at each of its writes)
interface Place {
  readonly clock: FakeClock
  readonly store: Store
  open(): Promise<Store>
}

async function sqlitePlace(): Promise<Place> {
  const clock = fakeClock()
  const path = join(await folder(), 'holdfast.db')
  const open = () => sqliteStore(path, { clock, durability: 'process' })
  return { clock, store: await open(), open }
}

async function memoryPlace(): Promise<Place> {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  return { clock, store, open: async () => store }
}

interface Scenario {
  readonly client: Client
  readonly effects: { readonly [tool: string]: Effect }
}

<<<<<<< HEAD
/** The same with a process that dies at one of its writes, before or after the commit, and another that goes on. */
async function runCrashed(place: Place, { client, effects, key }: Case, write: number, point: FaultPoint): Promise<Crashed> {
=======
interface Crashed extends Ending {
  /** What the log held when the first process was dead. */
  readonly before: readonly Fact[]
  readonly pending: readonly string[]
  /** What began in which process. */
  readonly first: World['begun']
  readonly second: World['begun']
}

const KEY = 'trial'

async function createTrial(
  createPlace: () => Promise<Place>,
  { client, effects }: Scenario,
  check: (crashed: Crashed, undisturbed: Ending) => void
): Promise<CrashTrial<Ending>> {
  const place = await createPlace()
>>>>>>> 4b1bfef (feat(testing): let a scenario die at each of its writes)
  const world: World = { begun: [], prompts: [] }
  const processes: Process[] = []
  let before: Pick<Crashed, 'before' | 'pending' | 'first'> = { before: [], pending: [], first: [] }
  return {
    store: place.store,
    open: place.open,
    async run({ store, recovering }) {
      if (recovering) before = { ...(await look(store)), first: world.begun.splice(0) }
      const process = startProcess(store, place.clock, world, effects)
      processes.push(process)
      return within(client(process, KEY, { takeover: recovering }))
    },
    async check({ crash, ending, undisturbed }) {
      const second = world.begun.slice()
      // The dead process gets its time, too: it must not matter.
      await place.clock.advance(60_000)
      for (const { runtime } of processes) await runtime.close()
      expect((await look(place.store)).before).toEqual(ending.facts)
      if (crash !== null) check({ ...ending, ...before, second }, undisturbed)
    }
  }
}

<<<<<<< HEAD
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

=======
async function look(store: Store): Promise<{ readonly before: readonly Fact[]; readonly pending: readonly string[] }> {
  const { items } = await store.threads({ tenant: 'default', limit: 1_000 })
  const id = items.find((thread) => thread.key === KEY)?.id
  if (id === undefined) return { before: [], pending: [] }
  const commits = await store.read(id, 1, 8_000_000)
  return { before: commits.flatMap((commit) => commit.facts), pending: (await store.pending(id)).map((item) => item.kind) }
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

>>>>>>> 4b1bfef (feat(testing): let a scenario die at each of its writes)
describe.each([
  { name: 'SQLite', place: sqlitePlace },
  { name: 'memory', place: memoryPlace }
])('a process that dies at any of its writes, over $name', ({ place }) => {
  test('leaves a conversation that ends as if nothing had been, with tools that may be repeated', async () => {
    const scenario = { client: converse, effects: REPEATABLE }
    const { writes, crashes } = await runCrashMatrix(() =>
      createTrial(place, scenario, (crashed, undisturbed) => {
        expect(undisturbed.ends.map((end) => end.status)).toEqual(['completed', 'completed'])
        expect(toComparable(crashed)).toEqual(toComparable(undisturbed))
        checkRepeated(crashed)
      })
    )
    process.stdout.write(`crash matrix: ${writes} writes of a conversation, two faults each\n`)
    expect({ writes, crashes }).toEqual({ writes: WRITES.converse, crashes: 2 * WRITES.converse })
  })

  test('leaves a conversation in which nothing happened twice, with tools that must not be repeated', async () => {
    // B043
    const scenario = { client: converse, effects: ONCE }
    const { writes, crashes } = await runCrashMatrix(() =>
      createTrial(place, scenario, (crashed) => {
        expect(crashed.ends.map((end) => end.status)).toEqual(['completed', 'completed'])
        checkOnce(crashed)
      })
    )
    expect({ writes, crashes }).toEqual({ writes: WRITES.converse, crashes: 2 * WRITES.converse })
  })

  test.each([
    { kind: 'may', effects: REPEATABLE },
    { kind: 'must not', effects: ONCE }
  ])('leaves a run that is cancelled, with tools that $kind be repeated', async ({ effects }) => {
    // B022
    const scenario = { client: cancel, effects }
    const { writes, crashes } = await runCrashMatrix(() =>
      createTrial(place, scenario, (crashed) => {
        expect(crashed.ends.map((end) => end.status)).toEqual(['cancelled', 'completed'])
        const isAccepted = crashed.pending.includes('cancel') || crashed.before.some((fact) => fact.type === 'run.cancelRequested')
        const isOver = crashed.before.some((fact) => fact.type === 'run.ended')
        if (isAccepted && !isOver) expect(crashed.requests).toBe(0)
        if (effects === ONCE) checkOnce(crashed)
        else checkRepeated(crashed)
      })
    )
    process.stdout.write(`crash matrix: ${writes} writes of a cancelled run, two faults each\n`)
    expect({ writes, crashes }).toEqual({ writes: WRITES.cancel, crashes: 2 * WRITES.cancel })
  })
})
