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
