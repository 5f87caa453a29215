import type { ClaimReason } from './fact.ts'
import type { Ms, ThreadId } from './ids.ts'

/** One period of ownership of a thread. */
export interface Claim {
  readonly tenant: string
  readonly thread: ThreadId
  readonly attempt: number
  /** The head of the log. */
  readonly sequence: number
  readonly now: Ms
  readonly why: ClaimReason
  /** Earlier attempts since the last progress, without those that ended with a release: 0 for the first. */
  readonly idle: number
}

/** What a worker asks for when it claims. */
export interface ClaimRequest {
  readonly worker: string
  readonly leaseMs: Ms
  readonly max: number
  /** Only these threads. Absent: any. */
  readonly only?: readonly ThreadId[]
  /** Never these: what the worker still drives. */
  readonly not: readonly ThreadId[]
  readonly can: { readonly format: number; readonly needs: readonly string[] }
  /** Take over from a live owner, only by the host's explicit word: from whoever it is, or only from this worker. */
  readonly takeover?: boolean | string
}

/** The answer to a heartbeat. */
export interface Beat {
  readonly now: Ms
  /** False when the lease had run out before this beat: the worker must abort its drives and take a new id. */
  readonly alive: boolean
  /** Threads of this worker with fresh items. */
  readonly fresh: readonly ThreadId[]
  /** Threads that were asked about and are no longer this worker's. */
  readonly lost: readonly ThreadId[]
}
