import type { ModelFailure } from '../contracts/fact.ts'
import type { Fault } from '../contracts/fault.ts'
import type { Stamp } from '../contracts/heart.ts'
import type { Ms } from '../contracts/ids.ts'

/** Why a try of a turn gave no answer. */
export interface TurnFailure {
  readonly why: ModelFailure
  /** The place of the model that was asked, among the candidates, and what facts call it. */
  readonly candidate: number
  readonly model: string
  readonly error: Fault | null
  readonly retryAfterMs: Ms | null
  readonly stamp: Stamp
  /** Whether the wait that it opened is over. */
  waited: boolean
}

/** A model that failed lately. */
export interface Aside {
  /** The code of its error. */
  readonly why: string
  readonly stamp: Stamp
  /** How long it must not be asked. */
  readonly pauseMs: Ms
}
