const STEPS_PER_USD = 1e12

/**
 * An amount of US dollars, rounded to steps of 1e-12, finer than the price of a token. Sums that are rounded after every addition
 * are the same in any order, up to some thousands of dollars; beyond that the precision of a double is the limit.
 */
export function roundUsd(amount: number): number {
  return Math.round(amount * STEPS_PER_USD) / STEPS_PER_USD
}
