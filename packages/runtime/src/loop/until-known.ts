import type { Clock } from '../contracts/clock.ts'
import { isHoldfastError } from '../contracts/errors.ts'

const FIRST_PAUSE_MS = 20
const MAX_PAUSE_MS = 1_000

/** What a repetition waits with, and for how long it goes on. */
interface RepeatOptions {
  readonly clock: Clock
  readonly leaseHolds: () => boolean
}

/**
 * Repeats one request to the store until its outcome is known, or until the lease has run out. A store that throws leaves the outcome
 * unknown, and every method is safe to repeat. Errors that a repeat cannot mend are thrown.
 */
export function untilKnown<T>(request: () => Promise<T>, options: RepeatOptions): Promise<T | 'lease_over'> {
  // Nearly always the first one is answered: that costs no more than itself.
  try {
    return request().catch((error: unknown) => repeat(error, request, options))
  } catch (error) {
    // A store that anyone may have written throws before it gives a promise.
    return repeat(error, request, options)
  }
}

async function repeat<T>(first: unknown, request: () => Promise<T>, { clock, leaseHolds }: RepeatOptions): Promise<T | 'lease_over'> {
  let error = first
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    // Elsewhere it may be driven: here no repeat helps.
    if (!isHoldfastError(error) || !error.retryable || error.code === 'thread_unplaceable') throw error
    if (!leaseHolds()) return 'lease_over'
    await clock.sleep(pauseMs)
    try {
      return await request()
    } catch (again) {
      error = again
    }
  }
}
