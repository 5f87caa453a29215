import type { Approval } from './approval.ts'
import type { Fault } from './fault.ts'
import type { OutputCheck } from './output-check.ts'
import type { CallId, ItemId, TurnId } from './ids.ts'
import type { Body, CallResult, Part } from './message.ts'

/** Facts of hooks: what one of them did, and what is seen once all have looked. */
export type HookFact =
  | {
      readonly type: 'hook.recorded'
      readonly hook: string
      /** Where it looked: `beforeInference`, `afterInference`, `beforeToolCall`, `afterToolCall`, `onMessage`. */
      readonly on: string
      readonly did: 'modify' | 'block' | 'respond' | 'requireApproval' | 'failed'
      /** The call that it looked at. */
      readonly call?: CallId
      /** The turn whose request or answer it looked at. */
      readonly turn?: TurnId
      /** The message that it looked at. */
      readonly item?: ItemId
      /** What it put in place of what it saw; for `failed`, why. */
      readonly overlay?: Body
    }
  | {
      readonly type: 'call.reviewed'
      readonly call: CallId
      /** What the model is shown in place of the result. */
      readonly seen?: Body<CallResult>
    }
  | {
      readonly type: 'turn.prepared'
      readonly turn: TurnId
      /** What stands behind the last message of the requests of this turn, and nowhere else. */
      readonly context?: Body<readonly AddedContext[]>
      /** Why no model is asked: the run ends with it. */
      readonly error?: Fault
    }
  | {
      readonly type: 'turn.reviewed'
      readonly turn: TurnId
      /** What is seen in place of the answer, with the same calls. */
      readonly seen?: Body<readonly Part[]>
      /** Of what is seen. */
      readonly output?: OutputCheck
      /** Hooks that want each call of the answer held until somebody decides. */
      readonly asks?: readonly HookAsk[]
      /** Nothing of the answer is seen or run. */
      readonly withheld?: true
      /** Why not, where the run ends with it. */
      readonly error?: Fault
    }

/** What a hook adds to one request. */
export interface AddedContext {
  readonly hook: string
  readonly text: string
}

/** A hook that has calls held, and how. */
export interface HookAsk extends Exclude<Approval, boolean> {
  readonly hook: string
}
