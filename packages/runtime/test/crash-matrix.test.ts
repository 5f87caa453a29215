import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Effect } from '../src/contracts/fact.ts'
import type { Store } from '../src/contracts/store.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import type { CrashTrial } from '../src/testing/crash-matrix.ts'
import { runCrashMatrix } from '../src/testing/crash-matrix.ts'
import type { FakeClock } from '../src/testing/fake-clock.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import type { Crashed } from './crash/checks.ts'
import { checkOnce, checkRepeated, look, ONCE, REPEATABLE } from './crash/checks.ts'
import type { Client, Ending, Process, World } from './crash/scenario.ts'
import { cancel, converse, interrupt, startProcess, toComparable } from './crash/scenario.ts'
import { folder, within } from './runtime-kit.ts'

/** Writes of the undisturbed scenarios. Another number is a change of what is committed when: look at it, then write it here. */
const WRITES = { converse: 22, cancel: 13, interrupt: 12 }

/** Where the processes of one trial meet. */
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

const KEY = 'trial'

async function createTrial(
  createPlace: () => Promise<Place>,
  { client, effects }: Scenario,
  check: (crashed: Crashed, undisturbed: Ending) => void
): Promise<CrashTrial<Ending>> {
  const place = await createPlace()
  const world: World = { begun: [], prompts: [] }
  const processes: Process[] = []
  let before: Pick<Crashed, 'before' | 'pending' | 'first'> = { before: [], pending: [], first: [] }
  return {
    store: place.store,
    open: place.open,
    async run({ store, recovering }) {
      if (recovering) before = { ...(await look(store, KEY)), first: world.begun.splice(0) }
      const process = startProcess(store, place.clock, world, effects)
      processes.push(process)
      return within(client(process, KEY, { takeover: recovering }))
    },
    async check({ crash, ending, undisturbed }) {
      const second = world.begun.slice()
      // The dead process gets its time, too: it must not matter.
      await place.clock.advance(60_000)
      for (const { runtime } of processes) await runtime.close()
      expect((await look(place.store, KEY)).before).toEqual(ending.facts)
      if (crash !== null) check({ ...ending, ...before, second }, undisturbed)
    }
  }
}

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

  test.each([
    { kind: 'may', effects: REPEATABLE },
    { kind: 'must not', effects: ONCE }
  ])('leaves a run that is interrupted, with tools that $kind be repeated', async ({ effects }) => {
    // B060, I7, I10
    const scenario = { client: interrupt, effects }
    const { writes, crashes } = await runCrashMatrix(() =>
      createTrial(place, scenario, (crashed, undisturbed) => {
        expect(undisturbed.facts.filter((fact) => fact.type === 'model.failed')).toMatchObject([{ why: 'interrupted' }])
        expect(crashed.ends.map((end) => end.status)).toEqual(['completed'])
        expect(crashed.facts.filter((fact) => fact.cause === 'said-1')).toHaveLength(1)
        if (effects === ONCE) return checkOnce(crashed)
        expect(toComparable(crashed)).toEqual(toComparable(undisturbed))
        checkRepeated(crashed)
      })
    )
    process.stdout.write(`crash matrix: ${writes} writes of an interrupted run, two faults each\n`)
    expect({ writes, crashes }).toEqual({ writes: WRITES.interrupt, crashes: 2 * WRITES.interrupt })
  })
})
