import type { ThreadId } from '../contracts/ids.ts'

/** Threads that were asked for and are not driven yet, in the order of asking. Each asking has a number of its own. */
export class WantedThreads {
  readonly #askings = new Map<ThreadId, number>()
  /** Those that nobody owned when they were last looked at. */
  readonly #free = new Set<ThreadId>()
  #last = 0

  get size(): number {
    return this.#askings.size
  }

  has(thread: ThreadId): boolean {
    return this.#askings.has(thread)
  }

  add(thread: ThreadId): void {
    this.#last++
    this.#askings.set(thread, this.#last)
    this.#free.delete(thread)
  }

  delete(thread: ThreadId): void {
    this.#askings.delete(thread)
    this.#free.delete(thread)
  }

  /** The first of them, each with its asking. */
  first(most: number): ReadonlyMap<ThreadId, number> {
    const first = new Map<ThreadId, number>()
    for (const [thread, asking] of this.#askings) {
      if (first.size === most) break
      first.set(thread, asking)
    }
    return first
  }

  /** Whether this asking is still the last one for the thread. */
  isLast(thread: ThreadId, asking: number): boolean {
    return this.#askings.get(thread) === asking
  }

  /**
   * A thread that could not be claimed was looked at. One that another owns goes behind the others. One that is `free` is claimed for once
   * more before it is struck off (`gone`): its owner may have gone after it was last claimed for.
   */
  looked(thread: ThreadId, asking: number, { isOwned }: { readonly isOwned: boolean }): 'kept' | 'free' | 'gone' {
    // Somebody asked again meanwhile.
    if (!this.isLast(thread, asking)) return 'kept'
    if (isOwned) {
      this.delete(thread)
      this.add(thread)
      return 'kept'
    }
    if (!this.#free.has(thread)) {
      this.#free.add(thread)
      return 'free'
    }
    this.delete(thread)
    return 'gone'
  }
}
