/** What tokens cost, in US dollars per million. A rate that is left out is not known, and a call that needs it costs `unknown`. */
export interface ModelRates {
  /** Of input that is neither read from a cache nor written to one. */
  readonly input: number
  /** Of output; reasoning is part of it. */
  readonly output: number
  readonly cacheRead?: number
  /** Of input that is written to a cache which is kept for minutes. */
  readonly cacheWrite?: number
  /** Of input that is written to a cache which is kept for an hour. */
  readonly cacheWriteHour?: number
}

/** What a model costs, and how much fits into it. */
export interface ModelPrice extends ModelRates {
  /** Other rates for the whole of a call whose input, cached or not, has more tokens than `inputTokens`; the highest bound passed counts. */
  readonly above?: readonly (ModelRates & { readonly inputTokens: number })[]
  /** How many tokens a conversation may have. */
  readonly window?: number
  /** How many tokens an answer may have. */
  readonly maxOutput?: number
}

/** The model behind a call, by all of its names. */
export interface CalledModel {
  /** What the definition calls it: a profile, or `provider/model`. */
  readonly reference?: string
  /** What the provider's package calls itself and the model. */
  readonly provider: string
  readonly model: string
  /** The model that the provider says has answered. */
  readonly answered?: string
}
