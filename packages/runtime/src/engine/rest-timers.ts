import type { Ms, ThreadId } from '../contracts/ids.ts'

/** When resting threads want to be looked at again, on the store's clock. */
export class RestTimers {
  readonly #due = new Map<ThreadId, Ms>()

  set(thread: ThreadId, due: Ms): void {
    this.#due.set(thread, due)
  }

  has(thread: ThreadId): boolean {
    return this.#due.has(thread)
  }

  delete(thread: ThreadId): void {
    this.#due.delete(thread)
  }

  /** How long until the earliest, or null when there is none. */
  next(now: Ms): Ms | null {
    if (this.#due.size === 0) return null
    let earliest = Number.POSITIVE_INFINITY
    for (const due of this.#due.values()) earliest = Math.min(earliest, due)
    return Math.max(0, earliest - now)
  }

  /** Takes out what is due. */
  take(now: Ms): readonly ThreadId[] {
    const threads = [...this.#due].filter(([, due]) => due <= now).map(([thread]) => thread)
    for (const thread of threads) this.#due.delete(thread)
    return threads
  }
}
