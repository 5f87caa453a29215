import type { Cursor } from './event.ts'
import type { CallOutcome, Effect, ModelFailure, RunEnd, WaitKind } from './fact.ts'
import type { Fault } from './fault.ts'
import type { CallId, Digest, Ms, Principal, RunId, Scope, ThreadId, TurnId, WaitId } from './ids.ts'
import type { InjectedPrompt } from './initial-prompt.ts'
import type { Json } from './json.ts'
import type { Body, CallResult, Part } from './message.ts'
import type { Cost, Usage } from './usage.ts'

/** The version of the shape of records: raised when a field changes its meaning or goes. Fields may be added without. */
export const RECORD_VERSION = 1

/** One turn that is over, told by facts alone: the same facts give the same record, byte for byte. Points in time are those of the store's clock. */
export interface TurnRecord {
  /** The version of this shape. */
  readonly record: 1
  readonly thread: ThreadId
  readonly run: RunId
  readonly scope: Scope
  readonly turn: TurnId
  /** The fact with which it began, and the one with which it was over: the next turn, or the end of the run. */
  readonly from: Cursor
  readonly to: Cursor
  readonly startedAt: Ms
  readonly endedAt: Ms
  /** What its last try was asked with: `thread.prompt(turn, { try })` builds it again. Null where no model is asked: in turn 0, whose calls are the definition's, and where a hook has answered. */
  readonly prompt: { readonly publication: Digest; readonly model: string; readonly try: number } | null
  /** Of turn 0: the initial prompts, rendered. Calls of those that were left out have no outcome. */
  readonly injected?: Body<readonly InjectedPrompt[]>
  /** Tries that gave no answer, in order. */
  readonly failures: readonly RecordedFailure[]
  /** Null where no try gave one. */
  readonly answer: RecordedAnswer | null
  /** In the order of the calls. */
  readonly calls: readonly RecordedCall[]
  /** Of all tries. */
  readonly usage: Usage
  readonly cost: Cost
  /** The thread was forked from another one in this turn: what stands before was asked and paid there. */
  readonly copied?: true
  /** How the run ended, when it ended with this turn. */
  readonly end?: { readonly status: RunEnd; readonly why?: string; readonly error?: Fault; readonly output?: Body }
}

/** An answer, as the model gave it. */
export interface RecordedAnswer {
  readonly parts: Body<readonly Part[]>
  readonly finish: string
  readonly model: string
  /** What hooks left to be seen in its place. */
  readonly seen?: Body<readonly Part[]>
  /** Hooks left nothing of it to be seen or run. */
  readonly withheld?: true
}

/** A try that gave no answer. */
export interface RecordedFailure {
  readonly try: number
  readonly why: ModelFailure
  readonly error?: Fault
  readonly usage?: Usage
  readonly cost?: Cost
}

/** A call of a turn. What is not known of it is null: it may have ended without being judged or run. */
export interface RecordedCall {
  readonly call: CallId
  /** The name that the model called, null where the answer is kept as an artifact. */
  readonly tool: string | null
  /** What the gate said last, and who said it. */
  readonly verdict: 'run' | 'block' | 'respond' | 'hold' | null
  readonly by: string | null
  readonly arguments: Body | null
  readonly effect: Effect | null
  /** How often it was started. */
  readonly starts: number
  /** What was waited for, in order, and how each wait ended. */
  readonly waits: readonly RecordedWait[]
  readonly outcome: CallOutcome | null
  readonly result: Body<CallResult> | null
  /** What hooks had the model shown in its place. */
  readonly seen?: Body<CallResult>
  /** It did not end in this thread. */
  readonly copied?: true
}

/** A wait of a call, and its decision. */
export interface RecordedWait {
  readonly wait: WaitId
  readonly kind: WaitKind
  readonly openedAt: Ms
  readonly as: 'decided' | 'expired' | 'cancelled' | 'reported' | null
  readonly resolvedAt: Ms | null
  readonly decision?: Json
  readonly decidedBy?: Principal
}
