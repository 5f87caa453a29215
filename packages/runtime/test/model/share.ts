/** Which schedules to run. */
export interface Share {
  readonly first: number
  readonly count: number
  readonly timeoutMs: number
}

/**
 * A bounded part in CI, all under `npm run test:full`. `HOLDFAST_SCHEDULES` chooses another number and `HOLDFAST_SEED` the first seed, so that
 * a failure can be replayed.
 */
export function schedulesOf(shares: { readonly some: number; readonly all: number }): Share {
  const { HOLDFAST_SEED: seed, HOLDFAST_SCHEDULES: schedules, HOLDFAST_SHARE: share } = process.env
  const count = Number(schedules ?? (share === 'full' ? shares.all : shares.some))
  return { first: Number(seed ?? 1), count, timeoutMs: 180_000 + count * 120 }
}

/** How often a property is tried; the same variables choose. */
export function propertyShare(): { readonly numRuns: number; readonly seed?: number } {
  const { HOLDFAST_SEED: seed, HOLDFAST_SHARE: share } = process.env
  return { numRuns: share === 'full' ? 5_000 : 500, ...(seed === undefined ? {} : { seed: Number(seed) }) }
}
