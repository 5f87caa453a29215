import type { ModelPrice, ModelRates } from '../contracts/price.ts'
import type { Cost, Usage } from '../contracts/usage.ts'
import { roundUsd } from '../contracts/usage.ts'

const TOKENS_PER_PRICE = 1_000_000

/**
 * What a call costs by a price, in US dollars; `unknown` without a price, or without a rate that the call needs.
 *
 * `inputTokens` counts all input. Of it, `cachedInputTokens` cost what reading a cache costs, `cacheWriteTokens` what writing one
 * costs (the `cacheWriteHourTokens` among them at their own rate), and the rest costs `input`: nothing is charged twice.
 * `outputTokens` counts reasoning too, so `reasoningTokens` cost nothing beside it. Usage that is estimated gives a cost that is
 * as good as the estimate. These are list prices of the usual service: discounts, batches, other tiers of service and fees for a
 * provider's own tools are not in them. The amount is a double, rounded to steps of 1e-12 dollars.
 */
export function costOf(usage: Usage, price: ModelPrice | null): Cost {
  if (!price) return 'unknown'
  const rates = ratesFor(usage.inputTokens, price)
  const { cachedInputTokens: cached = 0, cacheWriteTokens: written = 0, cacheWriteHourTokens = 0 } = usage
  const forHour = Math.min(cacheWriteHourTokens, written)
  const charges: readonly (readonly [tokens: number, rate: number | undefined])[] = [
    [Math.max(0, usage.inputTokens - cached - written), rates.input],
    [cached, rates.cacheRead],
    [written - forHour, rates.cacheWrite],
    [forHour, rates.cacheWriteHour],
    [usage.outputTokens, rates.output]
  ]
  let sum = 0
  for (const [tokens, rate] of charges) {
    if (tokens === 0) continue
    if (rate === undefined || !Number.isFinite(rate) || rate < 0) return 'unknown'
    sum += tokens * rate
  }
  return roundUsd(sum / TOKENS_PER_PRICE)
}

function ratesFor(inputTokens: number, price: ModelPrice): ModelRates {
  let rates: ModelRates = price
  let passed = -1
  for (const tier of price.above ?? []) {
    if (inputTokens <= tier.inputTokens || tier.inputTokens <= passed) continue
    rates = tier
    passed = tier.inputTokens
  }
  return rates
}
