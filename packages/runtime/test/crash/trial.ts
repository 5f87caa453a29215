import { join } from 'node:path'
import { expect } from 'vitest'
import type { Effect } from '../../src/contracts/fact.ts'
import type { Store } from '../../src/contracts/store.ts'
import { memoryStore } from '../../src/stores/memory-store.ts'
import { sqliteStore } from '../../src/stores/sqlite-store.ts'
import type { CrashTrial } from '../../src/testing/crash-matrix.ts'
import type { FakeClock } from '../../src/testing/fake-clock.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { folder, within } from '../runtime-kit.ts'
import type { Crashed } from './checks.ts'
import { look } from './checks.ts'
import type { Client, Ending, Process, World } from './scenario.ts'
import { startProcess } from './scenario.ts'

/** Where the processes of one trial meet. */
export interface Place {
  readonly clock: FakeClock
  readonly store: Store
  open(): Promise<Store>
}

/** In a file. */
export async function sqlitePlace(): Promise<Place> {
  const clock = fakeClock()
  const path = join(await folder(), 'holdfast.db')
  const open = () => sqliteStore(path, { clock, durability: 'process' })
  return { clock, store: await open(), open }
}

/** In memory. */
export async function memoryPlace(): Promise<Place> {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  return { clock, store, open: async () => store }
}

/** What a process is and does. */
export interface Scenario {
  readonly client: Client
  readonly effects: { readonly [tool: string]: Effect }
  /** Default: a process of the conversations. */
  readonly start?: typeof startProcess
}

const KEY = 'trial'

/** One trial of a scenario, and what is checked when its process has died. */
export async function createTrial(
  createPlace: () => Promise<Place>,
  { client, effects, start = startProcess }: Scenario,
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
      const process = start(store, place.clock, world, effects)
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
