import type { Clock } from '../contracts/clock.ts'
import { isHoldfastError } from '../contracts/errors.ts'

const FIRST_PAUSE_MS = 20
const MAX_PAUSE_MS = 1_000

/**
 * Repeats one request to the store until its outcome is known, or until the lease has run out. A store that throws leaves the outcome
 * unknown, and every method is safe to repeat. Errors that a repeat cannot mend are thrown.
 */
export async function untilKnown<T>(
  request: () => Promise<T>,
  options: { readonly clock: Clock; readonly leaseHolds: () => boolean }
): Promise<T | 'lease_over'> {
  let pauseMs = FIRST_PAUSE_MS
  for (;;) {
    try {
      return await request()
    } catch (error) {
      if (!isHoldfastError(error) || !error.retryable) throw error
      if (!options.leaseHolds()) return 'lease_over'
      await options.clock.sleep(pauseMs)
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
    }
  }
}
