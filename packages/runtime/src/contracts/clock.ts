import type { Ms } from './ids.ts'

/**
 * Time, so that tests own it.
 *
 * **Contract**: `now` is the wall clock (a store's clock may be set to it), `monotonic` never runs backwards and is used for
 * leases; `sleep` resolves early and without an error when the signal aborts; any duration is honoured, also beyond 2^31 ms.
 */
export interface Clock {
  now(): Ms
  monotonic(): Ms
  sleep(durationMs: Ms, signal?: AbortSignal): Promise<void>
}

/** Where identities come from. **Contract**: never the same value twice; URL-safe. */
export interface IdSource {
  /** A random part of at least 10 characters of `[0-9a-z]`. */
  next(length: number): string
}
