import type { RememberedScope } from './approval.ts'
import type { BudgetChange } from './budget.ts'
import type { Principal, WaitId } from './ids.ts'
import type { Json, JsonObject } from './json.ts'
import type { Decided, WaitRow } from './wait.ts'

/** What somebody says about a wait. */
export type Decision =
  | {
      readonly decision: 'approve'
      readonly note?: string
      /** In place of the model's: checked at once against the tool's schema, and by the gate before they run. */
      readonly arguments?: JsonObject
      readonly remember?: RememberedScope
    }
  /** Of a call that does not run, or a question that is not answered: the model reads that a person said so, and the reason word for word. */
  | { readonly decision: 'deny'; readonly reason?: string }
  /** Of a question, or of what a call waits for outside. */
  | { readonly decision: 'answer'; readonly answer: Json }
  /**
   * What became of a call of which nobody knows: `happened` gives the model the result, `not_happened` lets it run again under the same key, and
   * with `unknown` the model is told that nobody knows. The note is kept, and no model reads it.
   */
  | {
      readonly decision: 'outcome'
      readonly outcome: 'happened' | 'not_happened' | 'unknown'
      readonly result?: Json
      readonly note?: string
    }
  /** Of a wait for budget: new limits. A refusal stops the run. */
  | { readonly decision: 'extend'; readonly budget: BudgetChange }

/** What an approval may say. */
export interface ApproveOptions {
  readonly note?: string
  /** In place of the model's; the model is told. */
  readonly arguments?: JsonObject
  readonly remember?: RememberedScope
}

/**
 * What became of a decision. `counted`: more principals must say the same; who has said so may still say otherwise. `repeated`: this was said before. `conflict`: something else was
 * (`recorded`). `invalid`: edited arguments or an answer that do not fit (`errors`): the wait stays open.
 */
export type DecisionReceipt =
  | (Decided & { readonly wait: WaitId })
  | { readonly wait: WaitId; readonly state: 'invalid'; readonly errors: string }

/** Says who may decide about a wait, beyond what always holds: never a model, an agent or the runtime. */
export type DecisionPolicy = (wait: WaitRow, principal: Principal) => boolean | Promise<boolean>
