import type { Ms, ThreadId } from '../contracts/ids.ts'

const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 60_000

/** Threads whose last drive ended with an error. They are left alone for a while, so that one of them cannot keep a worker busy. */
export class FaultyThreads {
  readonly #pauses = new Map<ThreadId, { readonly until: Ms; readonly pauseMs: Ms }>()

  /** How a drive ended, at this point of the monotonic clock. Each failure in a row makes the pause twice as long. */
  note(thread: ThreadId, { failed, now }: { readonly failed: boolean; readonly now: Ms }): void {
    if (!failed) {
      this.#pauses.delete(thread)
      return
    }
    const pauseMs = Math.min((this.#pauses.get(thread)?.pauseMs ?? FIRST_PAUSE_MS / 2) * 2, MAX_PAUSE_MS)
    this.#pauses.set(thread, { until: now + pauseMs, pauseMs })
  }

  /** Those that are left alone now. */
  pausing(now: Ms): readonly ThreadId[] {
    return [...this.#pauses].filter(([, { until }]) => until > now).map(([thread]) => thread)
  }
}
