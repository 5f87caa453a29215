import type { Store } from '../contracts/store.ts'
import type { StoreWrite } from './fault-plan.ts'
import type { FaultyStore } from './faulty-store.ts'
import { faultyStore } from './faulty-store.ts'

/** Where a process died: at which of its writes, and whether that write took place. */
export interface Crash {
  /** Counts the writes of the process from 1. */
  readonly write: number
  readonly method: StoreWrite
  readonly point: 'before' | 'after'
}

/** One process of a trial. */
export interface CrashProcess {
  /** What the process keeps everything in. In the process that dies it throws `store_closed` from the crash on. */
  readonly store: Store
  /** False in the process that dies, and in the trial without a crash; true in the one that goes on after it. */
  readonly recovering: boolean
}

/** What a trial came to. */
export interface CrashOutcome<Ending> {
  /** Null in the first trial, which nothing disturbs. */
  readonly crash: Crash | null
  /** What the process gave that came to its end. */
  readonly ending: Ending
  /** The ending of the trial without a crash. */
  readonly undisturbed: Ending
}

/** One scenario with a world of its own: made anew for every trial. */
export interface CrashTrial<Ending> {
  /** Empty, and of this trial alone; disposed of at its end. */
  readonly store: Store
  /** Opens one more handle on the same data for the process that goes on, when the store can. Disposed of, too. */
  readonly open?: () => Store | Promise<Store>
  /**
   * Does the work as one process: from the beginning, under the same keys, so that the second process finds what the first one left.
   *
   * **Contract**: it ends, in the process that dies, too, where its store throws; what it throws there is ignored. When `recovering` it takes
   * over threads that the dead process owns (`resume({ takeover: true })`).
   */
  run(process: CrashProcess): Promise<Ending>
  /** Throws when something does not hold that must. */
  check(outcome: CrashOutcome<Ending>): void | Promise<void>
}

/** How much was tried. */
export interface CrashMatrix {
  /** Writes of the trial without a crash. Assert on it: another number is a change of what is committed when. */
  readonly writes: number
  /** Trials in which the process died: two for each write, before and after its effect. */
  readonly crashes: number
}

/**
 * Runs a scenario without a fault, then once for each of its writes and each side of it with a process that dies there and another one that goes
 * on. What a check throws, and what the process throws that is to come to its end, is thrown with the place of the crash in its message.
 */
export async function runCrashMatrix<Ending>(createTrial: () => CrashTrial<Ending> | Promise<CrashTrial<Ending>>): Promise<CrashMatrix> {
  const { undisturbed, writes } = await runUndisturbed(await createTrial())
  let crashes = 0
  for (let write = 1; write <= writes; write += 1) {
    for (const point of ['before', 'after'] as const) {
      const hasDied = await runCrashed(await createTrial(), write, point, undisturbed)
      if (hasDied) crashes += 1
    }
  }
  return { writes, crashes }
}

async function runUndisturbed<Ending>(trial: CrashTrial<Ending>): Promise<{ readonly undisturbed: Ending; readonly writes: number }> {
  await using raw = trial.store
  const store = faultyStore(raw)
  return await placed('without a crash', async () => {
    const undisturbed = await trial.run({ store, recovering: false })
    const { writes } = store
    await trial.check({ crash: null, ending: undisturbed, undisturbed })
    return { undisturbed, writes }
  })
}

/** False when the process came to its end before it got so far: there are fewer writes when what runs side by side ends together. */
async function runCrashed<Ending>(trial: CrashTrial<Ending>, write: number, point: Crash['point'], undisturbed: Ending): Promise<boolean> {
  await using handles = new AsyncDisposableStack()
  const raw = handles.use(trial.store)
  const { store, died } = createDying(raw, write, point)
  const first = trial.run({ store, recovering: false })
  const method = await placed(`before write ${write}`, () => Promise.race([died, first.then(() => null)]))
  if (method === null) return false
  await placed(`at write ${write} (${method}), ${point} its effect`, async () => {
    // What was handed over before the death is done before another process looks.
    await store.drained()
    const next = trial.open === undefined ? raw : handles.use(await trial.open())
    const ending = await trial.run({ store: next, recovering: true })
    await trial.check({ crash: { write, method, point }, ending, undisturbed })
    await first.catch(() => undefined)
  })
  return true
}

function createDying(
  store: Store,
  write: number,
  point: Crash['point']
): { readonly store: FaultyStore; readonly died: Promise<StoreWrite> } {
  const { promise: died, resolve } = Promise.withResolvers<StoreWrite>()
  const dying: FaultyStore = faultyStore(store, {
    fail({ index, method }) {
      if (index !== write) return null
      dying.die()
      resolve(method)
      return point
    }
  })
  return { store: dying, died }
}

/** Says in the message of whatever is thrown where it was. The error stays itself, so that a test runner shows its difference. */
async function placed<Result>(place: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof Error) error.message = `${place}: ${error.message}`
    throw error
  }
}
