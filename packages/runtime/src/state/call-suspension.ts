import type { ReconcileAnswer, WaitKind } from '../contracts/fact.ts'
import type { Ms, WaitId } from '../contracts/ids.ts'
import type { Json } from '../contracts/json.ts'
import type { Body, CallResult } from '../contracts/message.ts'

/** A leg that has ended, and what the call waits for. */
export interface CallSuspension {
  readonly leg: number
  readonly wait: WaitId
  readonly kind: WaitKind
  readonly state: Body
  readonly subject: Body
  readonly expiresAfterMs: Ms | null
}

/** What a leg is started with. */
export interface CallResumption {
  readonly leg: number
  readonly state: Body
  readonly answer: Json
}

/** What a tool said of the last start of its call. */
export interface CallReconciliation {
  readonly said: ReconcileAnswer
  readonly final: boolean
  readonly result: Body<CallResult> | null
  readonly review: boolean
}

/** What a person said of the last start of a call. */
export interface SaidOutcome {
  readonly outcome: 'happened' | 'not_happened' | 'unknown'
  readonly result: Json | null
}
