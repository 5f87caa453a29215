import type { Cost, Usage } from '@holdfast/runtime'

/** Tokens, for people. */
export function renderUsage({ inputTokens, outputTokens, estimated }: Usage): string {
  return `${inputTokens} tokens in, ${outputTokens} out${estimated === true ? ' (estimated)' : ''}`
}

/** An amount, for people: never zero for want of a price. */
export function renderCost(cost: Cost): string {
  return cost === 'unknown' ? 'cost unknown' : `$${Number(cost.toPrecision(6))}`
}
