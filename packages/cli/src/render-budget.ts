import type { BudgetStatus, Json, JsonObject } from '@holdfast/runtime'
import { renderCost } from './render-usage.ts'

/** How a thread stands with its budget: a line for each bound. */
export function renderBudget({ limit, used, left, reservedTokens }: BudgetStatus): readonly string[] {
  const { maxTotalTokens, maxCost, maxDurationMs, maxToolCalls, hard } = limit
  const reserved = reservedTokens === 0 ? '' : `, ${reservedTokens} reserved`
  const unpriced = used.unpriced === 0 ? '' : `, and ${used.unpriced} answers of unknown cost`
  const bounds = [
    ...(maxTotalTokens === undefined ? [] : [`${used.tokens} of ${maxTotalTokens} tokens used${reserved}, ${left.tokens} left`]),
    ...(maxCost === undefined
      ? []
      : [`${renderCost(used.cost)} of ${renderCost(maxCost)} used${unpriced}, ${renderCost(Math.max(0, left.cost ?? 0))} left`]),
    ...(maxDurationMs === undefined
      ? []
      : [
          `${renderSeconds(used.durationMs)} of ${renderSeconds(maxDurationMs)} at work used, ${renderSeconds(Math.max(0, left.durationMs ?? 0))} left`
        ]),
    ...(maxToolCalls === undefined ? [] : [`${used.toolCalls} of ${maxToolCalls} tool calls used, ${left.toolCalls} left`])
  ]
  if (bounds.length === 0) return ['no bounds']
  return hard === true ? [...bounds, 'hard: beyond it the run is stopped'] : bounds
}

/** How a budget stood when its wait was opened, as the wait says; null for what another program may have written there. */
function toBudgetStatus(subject: Json): BudgetStatus | null {
  if (!isObject(subject)) return null
  const { limit, used, left, reservedTokens } = subject
  const { hard: _, ...bounds } = isObject(limit) ? limit : {}
  const amounts = [bounds, used, left, { reservedTokens }]
  return isObject(limit) && amounts.every(isAmounts) ? (subject as unknown as BudgetStatus) : null
}

/** Why a wait for budget holds its thread. */
export function toBudgetReason(subject: Json): string {
  const { reason, needed } = isObject(subject) ? subject : {}
  const why = REASONS[String(reason)] ?? 'Its budget is used up'
  return typeof needed === 'number' ? `${why} (the next call needs about ${needed} tokens)` : why
}

/** How much of each bound was used and left when the wait was opened. */
export function toBudgetBounds(subject: Json): readonly string[] {
  const stood = toBudgetStatus(subject)
  return stood === null ? [] : renderBudget(stood)
}

const REASONS: { readonly [reason: string]: string } = {
  tokens: 'Its budget of tokens is used up, or the next call may use more than is left',
  cost: 'Its budget of cost is used up',
  cost_unknown: 'Its cost is bounded, and nobody knows what an answer cost',
  time: 'Its budget of time is used up',
  tool_calls: 'Its budget of tool calls is used up'
}

function isAmounts(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every((amount) => typeof amount === 'number')
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function renderSeconds(durationMs: number): string {
  return `${Math.round(durationMs / 100) / 10}s`
}
