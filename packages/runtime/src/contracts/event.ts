import type { Fact } from './fact.ts'
import type { CallId, Ms, RunId, Scope, ThreadId, TurnId } from './ids.ts'
import type { Json } from './json.ts'

/** A place in a thread's stream of committed events. Reading from it gives the same events again. */
export interface Cursor {
  readonly sequence: number
  readonly index: number
}

/** A committed fact, as a client reads it. `data` is the fact without its envelope. */
export interface CommittedEvent {
  readonly type: Fact['type']
  readonly cursor: Cursor
  readonly at: Ms
  readonly thread: ThreadId
  readonly run?: RunId
  readonly scope?: Scope
  readonly data: { readonly [key: string]: Json }
}

/** Something shown while it happens and never stored. Best effort; comes from the process that drives. */
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
  readonly status: string
}

/** What a client reads. */
export type HoldfastEvent = CommittedEvent | TransientEvent | SettledEvent
