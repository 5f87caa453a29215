import type { CallId } from './ids.ts'
import type { Body, CallResult } from './message.ts'

/** Facts of hooks: what one of them did, and what is seen once all have looked. */
export type HookFact =
  | {
      readonly type: 'hook.recorded'
      readonly hook: string
      /** Where it looked: `beforeToolCall`, `afterToolCall`. */
      readonly on: string
      readonly did: 'modify' | 'block' | 'respond' | 'requireApproval' | 'failed'
      /** The call that it looked at. */
      readonly call?: CallId
      /** What it put in place of what it saw; for `failed`, why. */
      readonly overlay?: Body
    }
  | {
      readonly type: 'call.reviewed'
      readonly call: CallId
      /** What the model is shown in place of the result. */
      readonly seen?: Body<CallResult>
    }
