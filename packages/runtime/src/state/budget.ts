// Keeps I16: limit = used + reserved + left. A limit never cuts a call that has started: it is judged before.
import type { Budget, BudgetReason, BudgetStatus } from '../contracts/budget.ts'
import type { Ms } from '../contracts/ids.ts'
import type { End } from './run-end.ts'
import type { Reservation } from './reservation.ts'
import { toReservation } from './reservation.ts'
import { workedMs } from './spent.ts'
import type { Conversation, State } from './state.ts'

/** What holds a run up. */
export interface Excess {
  readonly reason: BudgetReason
  /** Tokens that the next model call is expected to use at least. */
  readonly needed?: number
}

/** The limits that hold: those that were set, else those of the definition; null when there are none. */
export function budgetOf({ budget, definition }: Pick<State, 'budget' | 'definition'>): Budget | null {
  return budget ?? definition.budget ?? null
}

/** How a thread stands with its budget; null when it has none. */
export function toBudgetStatus(state: State, now: Ms): BudgetStatus | null {
  const limit = budgetOf(state)
  if (!limit) return null
  const { tokens, cost, unpriced, unmetered, toolCalls } = state.spent
  const durationMs = workedMs(state.spent, now)
  const reservedTokens = reservedIn(state)
  const { maxTotalTokens, maxCost, maxDurationMs, maxToolCalls } = limit
  return {
    limit,
    used: { tokens, cost, unpriced, unmetered, durationMs, toolCalls },
    reservedTokens,
    left: {
      ...(maxTotalTokens === undefined ? {} : { tokens: maxTotalTokens - tokens - reservedTokens }),
      ...(maxCost === undefined ? {} : { cost: maxCost - cost }),
      ...(maxDurationMs === undefined ? {} : { durationMs: maxDurationMs - durationMs }),
      ...(maxToolCalls === undefined ? {} : { toolCalls: maxToolCalls - toolCalls })
    }
  }
}

/** What is reserved for the model calls that are under way. */
export function reservedIn({ conversations }: Pick<State, 'conversations'>): number {
  let reserved = 0
  for (const { turn } of conversations.values()) if (turn?.phase === 'infer') reserved += turn.reserved
  return reserved
}

/** Why the next model call may not start; null when it may. */
export function findExcess(state: State, conversation: Conversation, candidate: number, now: Ms): Excess | null {
  const limit = budgetOf(state)
  if (!limit) return null
  const { spent } = state
  const { maxTotalTokens, maxCost, maxDurationMs } = limit
  if (maxTotalTokens !== undefined) {
    const { needed } = toReservation(state, conversation, candidate)
    if (spent.tokens + reservedIn(state) + needed > maxTotalTokens) return { reason: 'tokens', needed }
  }
  if (maxCost !== undefined && spent.cost >= maxCost) return { reason: 'cost' }
  if (maxCost !== undefined && spent.unpriced > 0) return { reason: 'cost_unknown' }
  if (maxDurationMs !== undefined && workedMs(spent, now) >= maxDurationMs) return { reason: 'time' }
  return null
}

/** What is set aside for a model call that starts: 0 where no budget counts tokens or their cost. */
export function reserve(state: State, conversation: Conversation, candidate: number): number {
  const limit = budgetOf(state)
  if (limit?.maxTotalTokens === undefined && limit?.maxCost === undefined) return 0
  const { wanted }: Reservation = toReservation(state, conversation, candidate)
  if (limit.maxTotalTokens === undefined) return wanted
  return Math.min(wanted, limit.maxTotalTokens - state.spent.tokens - reservedIn(state))
}

/** How the budget ends the run at a turn boundary, where nobody is asked; null when it goes on or waits. */
export function endOfBudget(state: State, conversation: Conversation, candidate: number, now: Ms): End | null {
  const limit = budgetOf(state)
  if (!limit) return null
  if (isUnmetered(state, limit)) return UNMETERED
  if (!isFinal(state)) return null
  if (hasCallsBeyond(conversation)) return { status: 'stopped', why: STOPS.tool_calls }
  const excess = findExcess(state, conversation, candidate, now)
  return excess && { status: 'stopped', why: STOPS[excess.reason] }
}

/** What stops a run, as its end tells it. */
const STOPS: { readonly [reason in BudgetReason]: string } = {
  tokens: 'token_budget',
  cost: 'cost_budget',
  cost_unknown: 'cost_unknown',
  time: 'time_budget',
  tool_calls: 'tool_call_budget'
}

const UNMETERED: End = {
  status: 'failed',
  why: 'usage_missing',
  error: {
    code: 'usage_missing',
    message: 'the provider did not say how many tokens its answer used, and the budget of this thread cannot be kept without'
  }
}

function isUnmetered({ spent }: State, { maxTotalTokens, maxCost }: Budget): boolean {
  return spent.unmetered > 0 && (maxTotalTokens !== undefined || maxCost !== undefined)
}

/** Whether nobody is asked for more: the budget is hard, or a person has refused. */
export function isFinal(state: State): boolean {
  return budgetOf(state)?.hard === true || (state.run?.budgetRefused ?? false)
}

/** Whether calls of the last turn were not run for want of budget: nothing else blocks a call that the gate let through. */
function hasCallsBeyond({ turn }: Conversation): boolean {
  return turn?.calls.some((call) => call.verdict === 'run' && call.settled === 'blocked') ?? false
}

/** How many tools may still be started. */
export function callsLeft(state: State): number {
  const most = budgetOf(state)?.maxToolCalls
  return most === undefined ? Number.POSITIVE_INFINITY : Math.max(0, most - state.spent.toolCalls)
}
