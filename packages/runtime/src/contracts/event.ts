import type { Fact, FactOf, RunStatus } from './fact.ts'
import type { CallId, Ms, RunId, Scope, ThreadId, TurnId } from './ids.ts'

/** A place in a thread's stream of committed events. Reading from it gives the same events again. */
export interface Cursor {
  readonly sequence: number
  readonly index: number
}

/** A committed fact of one type, as a client reads it. `data` is the fact without its envelope. */
export interface CommittedEventOf<T extends Fact['type']> {
  readonly type: T
  readonly cursor: Cursor
  readonly at: Ms
  readonly thread: ThreadId
  readonly run?: RunId
  readonly scope?: Scope
  readonly data: Omit<FactOf<T>, 'type' | 'v' | 'run' | 'scope'>
}

/** A committed fact, as a client reads it: `type` tells what `data` holds. */
export type CommittedEvent = { [T in Fact['type']]: CommittedEventOf<T> }[Fact['type']]

/**
 * Something shown while it happens and never stored. Best effort; comes from the process that drives. Without `cursor` and `at`: only what is committed has
 * a place and a time.
 */
export type TransientEvent = { readonly thread: ThreadId; readonly attempt: number } & (
  | { readonly type: 'text.delta' | 'reasoning.delta'; readonly turn: TurnId; readonly try: number; readonly text: string }
  | {
      readonly type: 'arguments.delta'
      readonly turn: TurnId
      readonly try: number
      readonly id: string
      readonly tool: string
      readonly text: string
    }
  | { readonly type: 'try.reset'; readonly turn: TurnId; readonly try: number }
  | { readonly type: 'tool.progress'; readonly call: CallId; readonly text: string }
)

/** The end of a run's stream: the run is at rest. */
export interface SettledEvent {
  readonly type: 'run.settled'
  readonly thread: ThreadId
  readonly run: RunId
  readonly status: RunStatus
}

/** What a client reads. */
export type HoldfastEvent = CommittedEvent | TransientEvent | SettledEvent
