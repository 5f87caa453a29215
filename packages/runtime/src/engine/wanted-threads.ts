import type { ThreadId } from '../contracts/ids.ts'

/** Threads that were asked for and are not driven yet, in the order of asking. Each asking has a number of its own. */
export class WantedThreads {
  readonly #askings = new Map<ThreadId, number>()
  #last = 0

  get size(): number {
    return this.#askings.size
  }

  add(thread: ThreadId): void {
    this.#last++
    this.#askings.set(thread, this.#last)
  }

  delete(thread: ThreadId): void {
    this.#askings.delete(thread)
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

  /** Strikes a thread off when nobody asked again meanwhile; `again`: puts it behind the others instead. True when it was struck off. */
  answer(thread: ThreadId, asking: number, { again }: { readonly again: boolean }): boolean {
    if (!this.isLast(thread, asking)) return false
    this.#askings.delete(thread)
    if (again) this.add(thread)
    return !again
  }
}
