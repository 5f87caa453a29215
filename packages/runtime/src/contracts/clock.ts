import type { Ms } from './ids.ts'

/**
 * Time, so that tests own it.
 *
 * **Contract**: `now` is the wall clock (a store's clock may be set to it), `monotonic` never runs backwards and is used for
 * leases; `sleep` resolves early and without an error when the signal aborts; `alarm` calls `ring` once, later, unless it is stopped
 * before: cheap, as most alarms are. Any duration is honoured, also beyond 2^31 ms.
 */
export interface Clock {
  now(): Ms
  monotonic(): Ms
  sleep(durationMs: Ms, signal?: AbortSignal): Promise<void>
  alarm(durationMs: Ms, ring: () => void): Alarm
}

/** Something that is due later on a clock. */
export interface Alarm {
  /** Nothing comes of it any more. After the ring: nothing happens. */
  stop(): void
}

/** Where identities come from. **Contract**: never the same value twice; URL-safe. */
export interface IdSource {
  /** A random part of at least 10 characters of `[0-9a-z]`. */
  next(length: number): string
}
