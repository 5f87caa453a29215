import type { RememberedScope } from '../contracts/approval.ts'
import type { BudgetChange } from '../contracts/budget.ts'
import { findBudgetFault } from '../contracts/budget.ts'
import type { Principal } from '../contracts/ids.ts'
import type { Json, JsonObject } from '../contracts/json.ts'
import type { SaidOutcome } from './call-suspension.ts'

/** A decision as the fold reads it. */
export interface ReadDecision {
  readonly approve: boolean
  readonly reason: string | null
  readonly edited: JsonObject | null
  readonly remember: RememberedScope | null
  /** Whether it answers: also null is an answer. */
  readonly isAnswer: boolean
  readonly answer: Json
}

const REFUSED: ReadDecision = { approve: false, reason: null, edited: null, remember: null, isAnswer: false, answer: null }
const SCOPES: readonly unknown[] = ['run', 'thread', 'arguments'] satisfies readonly RememberedScope[]

/** Only the word `approve` of a person or the host approves: whatever cannot be read refuses (I12). */
export function readDecision(decision: Json, by: Principal | undefined): ReadDecision {
  if (!isDecider(by)) return REFUSED
  if (!isObject(decision)) return { ...REFUSED, approve: decision === 'approve' }
  const { decision: word, reason, arguments: edited, remember, answer } = decision
  // Arguments that are none are not to be read as the model's own.
  const isWhole = edited === undefined || isObject(edited)
  return {
    approve: word === 'approve' && isWhole,
    reason: typeof reason === 'string' ? reason : null,
    edited: isObject(edited) ? edited : null,
    remember: SCOPES.includes(remember) ? (remember as RememberedScope) : null,
    isAnswer: word === 'answer' && answer !== undefined,
    answer: word === 'answer' && answer !== undefined ? answer : null
  }
}

const OUTCOMES: readonly unknown[] = ['happened', 'not_happened'] satisfies readonly SaidOutcome['outcome'][]

/** Only what a person or the host says in so many words lets a call count as done, or run again: whatever cannot be read leaves it unknown (I5, I12). */
export function readOutcome(decision: Json, by: Principal | undefined): SaidOutcome {
  const { decision: word, outcome, result } = isObject(decision) && isDecider(by) ? decision : {}
  if (word !== 'outcome' || !OUTCOMES.includes(outcome)) return { outcome: 'unknown', result: null }
  return { outcome: outcome as SaidOutcome['outcome'], result: result ?? null }
}

/** What a person or the host wants a budget to be, as a decision says it; null for anything else. */
export function readExtension(decision: Json | undefined, by: Principal | undefined): BudgetChange | null {
  if (!isObject(decision) || decision['decision'] !== 'extend') return null
  return readBudgetChange(decision['budget'], by)
}

/** The change of a budget that a person or the host sends; null for anything else. */
export function readBudgetChange(value: Json | undefined, by: Principal | undefined): BudgetChange | null {
  return isDecider(by) && findBudgetFault(value, 'change') === null ? (value as BudgetChange) : null
}

/** Whether a principal may decide or answer at all: text of models, tools, agents and the runtime never does (I12). */
export function isDecider(by: Principal | undefined): boolean {
  return by?.kind === 'person' || by?.kind === 'host'
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
