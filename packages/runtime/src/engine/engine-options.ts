import type { Clock, IdSource } from '../contracts/clock.ts'
import type { Fact } from '../contracts/fact.ts'
import type { Action, Heart, Running } from '../contracts/heart.ts'
import type { Ms, ThreadId } from '../contracts/ids.ts'
import type { Claim } from '../contracts/claim.ts'
import type { AppendRequest, Receipt, Store } from '../contracts/store.ts'
import type { Logger } from '../contracts/tool.ts'
import type { DriveEnd } from '../loop/drive.ts'

/** What an engine needs of a store. */
export type EngineStore = Pick<Store, 'append' | 'beat' | 'claim' | 'hint' | 'pending' | 'thread'>

/** What an engine is made of. It knows nothing of agents: the heart, the fold and the effects are given to it. */
export interface EngineOptions<State> {
  readonly store: EngineStore
  readonly clock: Clock
  readonly ids: IdSource
  readonly logger: Logger
  readonly heart: Heart<State>
  load(claim: Claim): Promise<{ readonly state: State; readonly head: number }>
  /** Starts one effect. `mayBegin` tells whether it may still touch the world when it comes to that. */
  perform(action: Action, state: State, done: (facts: readonly Fact[]) => void, mayBegin: () => boolean): Running
  announce(request: AppendRequest, receipt: Extract<Receipt, { ok: true }>): void
  /** A drive of a worker's ended, by rest or by an error that a repeat does not mend. */
  ended(thread: ThreadId, end: DriveEnd | { readonly error: unknown }, worker: string): void
  /** The store was asked for threads: with what it failed, or null. What failed is tried again. */
  asked(failure: unknown): void
  /** What this worker has, so that it only claims what it can drive. */
  needs(): readonly string[]
  readonly leaseMs: Ms
  readonly concurrency: number
  /** How many attempts of a thread in a row may end without progress before it waits for a person. */
  readonly crashBudget: number
  /** Drive whatever is ready, not only what was asked for. */
  readonly recover: boolean
}
