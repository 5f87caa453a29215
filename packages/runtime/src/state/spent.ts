// Keeps I2 and I16: what is spent is added up fact by fact. Times are kept as stamps until their commits are receipted: before that they are estimates.
import type { FactOf } from '../contracts/fact.ts'
import type { Stamp } from '../contracts/heart.ts'
import type { Ms } from '../contracts/ids.ts'
import type { Cost, Usage } from '../contracts/usage.ts'
import { roundUsd } from '../contracts/usage.ts'

/** What a thread has spent, as its budget counts it. */
export interface Spent {
  tokens: number
  /** Of what is priced. */
  cost: number
  /** Tokens of what is priced. */
  pricedTokens: number
  unpriced: number
  unmetered: number
  toolCalls: number
  /** Spans at work that are over and receipted, added up. */
  durationMs: Ms
  /** Those that are over. */
  spans: readonly { readonly from: Stamp; readonly to: Stamp }[]
  /** Since when it is at work: no wait is open. */
  since: Stamp | null
}

/** Nothing spent. */
export function newSpent(): Spent {
  return { tokens: 0, cost: 0, pricedTokens: 0, unpriced: 0, unmetered: 0, toolCalls: 0, durationMs: 0, spans: [], since: null }
}

/** A model call told what it used. */
export function spend(spent: Spent, usage: Usage, cost: Cost): void {
  const tokens = tokensOf(usage)
  spent.tokens += tokens
  if (cost === 'unknown') spent.unpriced++
  else {
    spent.cost = roundUsd(spent.cost + cost)
    spent.pricedTokens += tokens
  }
}

/** Failures behind which a provider may have worked, and which did not say how much. */
const CUT_SHORT: ReadonlySet<string> = new Set(['stream_interrupted', 'provider_timeout', 'response_too_large'])

/** A model call was cut short and nobody knows what it used: what was reserved for it counts, at the price of the others. */
export function spendUnknown(spent: Spent, { why, error }: FactOf<'model.failed'>, reserved: number): void {
  const isCutShort = why === 'lost' || why === 'aborted' || why === 'interrupted' || CUT_SHORT.has(error?.code ?? '')
  if (!isCutShort || reserved === 0) return
  spent.tokens += reserved
  if (spent.pricedTokens > 0) spent.cost = roundUsd(spent.cost + (spent.cost / spent.pricedTokens) * reserved)
  else spent.unpriced++
}

/** Both sides of a call. */
export function tokensOf({ inputTokens, outputTokens }: Usage): number {
  return inputTokens + outputTokens
}

/** Work begins or goes on. */
export function startWork(spent: Spent, stamp: Stamp): void {
  if (spent.since) return
  const isReceipted = ({ to }: Spent['spans'][number]): boolean => to.sequence < stamp.sequence
  spent.durationMs += sumOf(spent.spans.filter(isReceipted))
  spent.spans = spent.spans.filter((span) => !isReceipted(span))
  spent.since = stamp
}

/** Work ends, or something is waited for. */
export function stopWork(spent: Spent, stamp: Stamp): void {
  if (!spent.since) return
  spent.spans = [...spent.spans, { from: spent.since, to: stamp }]
  spent.since = null
}

/** How long it has been at work, on the store's clock. */
export function workedMs({ durationMs, spans, since }: Spent, now: Ms): Ms {
  return durationMs + sumOf(spans) + (since ? Math.max(0, Math.round(now - since.at)) : 0)
}

function sumOf(spans: Spent['spans']): Ms {
  return spans.reduce((sum, { from, to }) => sum + Math.round(to.at - from.at), 0)
}
