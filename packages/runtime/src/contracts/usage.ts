/** Tokens of one model call or of a sum of calls. `estimated` is set when a provider reported nothing and we counted. */
export type Usage = {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens?: number
  readonly cacheWriteTokens?: number
  readonly reasoningTokens?: number
  readonly estimated?: boolean
}

/** An amount in US dollars, or `unknown` when a price is not known: never zero for want of a price. */
export type Cost = number | 'unknown'

/** No tokens. */
export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 }
