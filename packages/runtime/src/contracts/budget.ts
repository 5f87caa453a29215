import type { Ms } from './ids.ts'

/** What a thread may spend in all its runs, attempts and retries. What is not named is not bounded. */
export interface Budget {
  /** Tokens of all model calls, input and output. */
  readonly maxTotalTokens?: number
  /** US dollars of all model calls. */
  readonly maxCost?: number
  /** How long its runs may be at work. Time in which something is waited for does not count. */
  readonly maxDurationMs?: Ms
  /** Calls that tools are started for. */
  readonly maxToolCalls?: number
  /** Stop the run where it would go beyond. Default: it waits (kind `budget`) until a person extends the budget or refuses. */
  readonly hard?: boolean
}

/** New limits in place of the old ones, by field; null takes one away, what is absent stays. */
export type BudgetChange = { readonly [Field in keyof Budget]?: Budget[Field] | null }

/** What has been spent, as budgets count it. */
export interface BudgetUse {
  /** With what is estimated of calls that were cut short, and of which nobody knows more. */
  readonly tokens: number
  /** As far as it is known. */
  readonly cost: number
  /** Answers of which nobody knows what they cost, since the budget was last set. */
  readonly unpriced: number
  /** Answers whose provider did not say what they used, since the budget was last set. */
  readonly unmetered: number
  readonly durationMs: Ms
  readonly toolCalls: number
}

/** How a thread stands with its budget: limit = used + reserved + left. */
export interface BudgetStatus {
  readonly limit: Budget
  readonly used: BudgetUse
  /** Tokens that the model call under way may use. */
  readonly reservedTokens: number
  /** Of what is bounded; below zero where a call used more than was expected of it. */
  readonly left: { readonly tokens?: number; readonly cost?: number; readonly durationMs?: Ms; readonly toolCalls?: number }
}

/** Why a budget holds a run up. `cost_unknown`: there is a bound on the cost, and nobody knows what an answer cost. */
export type BudgetReason = 'tokens' | 'cost' | 'cost_unknown' | 'time' | 'tool_calls'

const COUNTS = ['maxTotalTokens', 'maxDurationMs', 'maxToolCalls'] as const
const FIELDS: readonly string[] = [...COUNTS, 'maxCost', 'hard'] satisfies readonly (keyof Budget)[]

/** What is wrong with a budget, or with a change of one, that comes from outside of the types; null when nothing is. */
export function findBudgetFault(value: unknown, kind: 'budget' | 'change'): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object'
  const given = Object.entries(value).filter(([, field]) => field !== undefined && !(kind === 'change' && field === null))
  const other = Object.keys(value).find((key) => !FIELDS.includes(key))
  if (other !== undefined) return `has ${FIELDS.join(', ')}, and not ${JSON.stringify(other.slice(0, 100))}`
  for (const [key, field] of given) {
    if (key === 'hard' ? typeof field !== 'boolean' : key === 'maxCost' ? !isAmount(field) : !isCount(field))
      return `${key} must be ${EXPECTED[key]}`
  }
  return kind === 'change' && Object.values(value).every((field) => field === undefined) ? 'must change something' : null
}

const COUNT = 'a whole number above 0'
const EXPECTED: { readonly [field: string]: string } = {
  maxTotalTokens: COUNT,
  maxDurationMs: COUNT,
  maxToolCalls: COUNT,
  maxCost: 'a number above 0',
  hard: 'true or false'
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value > 0
}

/** A budget with other limits. */
export function changeBudget(budget: Budget | null, change: BudgetChange): Budget {
  const entries = Object.entries({ ...budget, ...withoutAbsent(change) }).filter(([, value]) => value !== null)
  return Object.fromEntries(entries) as Budget
}

function withoutAbsent(change: BudgetChange): BudgetChange {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as BudgetChange
}
