import type { CallOutcome, GivenResult } from './fact.ts'
import type { CallId, Digest, TurnId } from './ids.ts'
import type { Part } from './message.ts'
import type { ModelReference } from './publication.ts'

/** A place in a log: a commit, or the commit in which a turn was begun; a number is a turn of the thread's latest run. */
export type ForkPlace = number | { readonly turn: number | TurnId }

/** What is other in a fork. */
export interface ForkChange {
  /** Read at the next turn boundary, or begins the next run. In place of the first message where no run has begun yet. */
  readonly message?: string | readonly Part[]
  /** Asked from here on, in place of the definition's model. */
  readonly model?: ModelReference
  /**
   * The digest of a publication (`runtime.publish`) that holds from here on. Where a turn is open its run ends as `stopped`, with the reason `forked`,
   * and the next one begins under the new publication; not when all that it waits for are decisions about tools that stay the same.
   */
  readonly publication?: Digest
  /** What the model is shown of calls in place of their results: of any call that the model has not answered to at that place. */
  readonly callResult?: GivenResult | readonly GivenResult[]
}

/** How a thread is forked. */
export interface ForkOptions {
  /** The last commit that is copied. Default: the last one there is; with `callResult`, the one that ended the last call of that turn. */
  readonly at?: ForkPlace
  readonly change?: ForkChange
  /** The same key again returns the thread that it made; other content under the same key is a conflict. */
  readonly idempotencyKey?: string
}

/** A call that was open at the place of a fork, and how it ended in the fork without being run there. */
export interface ForkedCall {
  readonly call: CallId
  readonly outcome: CallOutcome
}
