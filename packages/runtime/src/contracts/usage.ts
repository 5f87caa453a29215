/** Tokens of one model call or of a sum of calls. `estimated` is set when a provider reported nothing and we counted. */
export type Usage = {
  /** All of the input, from a cache or not. */
  readonly inputTokens: number
  /** All of the output, reasoning too. */
  readonly outputTokens: number
  /** Of the input, what was read from a cache. */
  readonly cachedInputTokens?: number
  /** Of the input, what was written to a cache. */
  readonly cacheWriteTokens?: number
  /** Of what was written to a cache, what is kept for an hour and not for minutes. */
  readonly cacheWriteHourTokens?: number
  /** Of the output, what was reasoning. */
  readonly reasoningTokens?: number
  readonly estimated?: boolean
}

/** An amount in US dollars, or `unknown` when a price is not known: never zero for want of a price. */
export type Cost = number | 'unknown'

/** No tokens. */
export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 }

const OPTIONAL = ['cachedInputTokens', 'cacheWriteTokens', 'cacheWriteHourTokens', 'reasoningTokens'] as const
const STEPS_PER_USD = 1e12

/** The sum of two usages; a part that only one of them knows is kept. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: { -readonly [Key in keyof Usage]: Usage[Key] } = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens
  }
  for (const key of OPTIONAL) if (a[key] !== undefined || b[key] !== undefined) sum[key] = (a[key] ?? 0) + (b[key] ?? 0)
  if (a.estimated || b.estimated) sum.estimated = true
  return sum
}

/** The sum of two costs: unknown when either is. */
export function addCost(a: Cost, b: Cost): Cost {
  return a === 'unknown' || b === 'unknown' ? 'unknown' : roundUsd(a + b)
}

/**
 * An amount of US dollars, rounded to steps of 1e-12, finer than the price of a token. Sums that are rounded after every addition
 * are the same in any order, up to some thousands of dollars; beyond that the precision of a double is the limit.
 */
export function roundUsd(amount: number): number {
  return Math.round(amount * STEPS_PER_USD) / STEPS_PER_USD
}
