import type { BudgetStatus, FactOf, Limits, ThreadInfo, WaitRow, WorkerLife } from '@holdfast/runtime'

/** All that an explanation is made from: facts and rows, and whether an owner lives. */
export interface Situation {
  readonly info: ThreadInfo
  /** Those that hold for the thread, defaults filled in. */
  readonly limits: Limits
  /** Of the owner, when there is one. */
  readonly life?: WorkerLife
  readonly waits: readonly WaitRow[]
  /** How the latest run ended. */
  readonly end?: FactOf<'run.ended'>
  /** Of a run that its budget has stopped. */
  readonly budget?: BudgetStatus
  readonly activity: Activity
  /** The time of the store's clock, as well as it is known. */
  readonly now: number
}

/** What a run that goes on is at. */
export interface Activity {
  readonly turn?: number
  readonly model?: string
  /** Another model was asked before. */
  readonly moved?: FactOf<'turn.started'>['moved']
  /** Names of the calls that have begun and not ended. */
  readonly calls: readonly string[]
  /** Why the last try of the turn gave no answer. */
  readonly failure?: string
}

/** What to do next: a command of the thread, or of one of its waits, with what follows the id. */
export interface Step {
  readonly command: string
  /** The wait that is meant, in place of the thread. */
  readonly wait?: string
  readonly rest?: string
}

/** One or two sentences, and what to do next. */
export interface Explanation {
  readonly text: string
  readonly next: readonly Step[]
}
