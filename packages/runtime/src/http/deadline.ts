import type { Ms } from '../contracts/ids.ts'
import type { Phase, Place } from './failure.ts'
import { toTimedOut } from './failure.ts'
import type { HttpLimits } from './limits.ts'

/** The time that one request has. */
export interface Deadline {
  /** Aborts when the caller gives up, with the caller's reason, and when a limit has passed, with `http_timeout`. */
  readonly signal: AbortSignal
  /** Says how far the request is; some phases have a limit of their own, which begins now. */
  enter(phase: Phase, place: Place): void
  /** What a promise gives, unless the time is over before. The promise itself goes on. */
  within<T>(promise: Promise<T>): Promise<T>
  [Symbol.dispose](): void
}

/** Starts the clock of a request. */
export function startDeadline(limits: HttpLimits, place: Place, signal?: AbortSignal): Deadline {
  const stop = new AbortController()
  let current: { readonly phase: Phase; readonly place: Place } = { phase: 'resolve', place }
  let alarm: NodeJS.Timeout | undefined
  const over = (name: string, afterMs: Ms): NodeJS.Timeout =>
    setTimeout(() => stop.abort(toTimedOut(name, afterMs, current.phase, current.place)), afterMs)
  const total = over('totalTimeoutMs', limits.totalTimeoutMs)
  const cancel = (): void => stop.abort(signal?.reason)
  if (signal?.aborted) cancel()
  signal?.addEventListener('abort', cancel, { once: true })
  return {
    signal: stop.signal,
    enter(phase, place) {
      current = { phase, place }
      // Resolving and connecting share one limit.
      if (phase === 'connect') return
      clearTimeout(alarm)
      if (phase === 'resolve') alarm = over('connectTimeoutMs', limits.connectTimeoutMs)
      if (phase === 'headers') alarm = over('headersTimeoutMs', limits.headersTimeoutMs)
    },
    within: (promise) => orAborted(promise, stop.signal),
    [Symbol.dispose]() {
      clearTimeout(total)
      clearTimeout(alarm)
      signal?.removeEventListener('abort', cancel)
    }
  }
}

async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const give = (): void => reject(signal.reason)
  if (signal.aborted) give()
  signal.addEventListener('abort', give, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', give)
  }
}
