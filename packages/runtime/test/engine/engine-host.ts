import type { ThreadId } from '../../src/contracts/ids.ts'
import type { Claim } from '../../src/contracts/claim.ts'
import type { Process } from '../model/scheduler.ts'

/** A process with an engine, as the store's door and the ledger see it. */
export interface EngineHost {
  readonly name: string
  readonly process: Process
  readonly recover: boolean
  readonly concurrency: number
  readonly needs: readonly string[]
  /** What the engine drives, from the claim's load to its end. */
  readonly drives: ReadonlyMap<ThreadId, Claim>
  /** Lives, and is given time by its system. */
  readonly isAwake: boolean
  readonly isStopping: boolean
  listeners: number
  /** How often there was a reason to act, but time. */
  events: number
  troubledAt: number
  /** Judges a claim of whatever is ready. */
  swept(thread: ThreadId): void
  /** Judges a call. */
  called(name: string): void
}
