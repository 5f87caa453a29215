import type { Random } from './random.ts'

/** A process of the model: what it does happens only while it lives and is not stopped. */
export interface Process {
  readonly name: string
  dead: boolean
  /** Until when the operating system gives it no time. */
  stoppedUntil: number
}

interface Event {
  due: number
  readonly order: number
  readonly process: Process | null
  readonly act: () => void
}

/**
 * Owns time and order: whatever is awaited in the model is an event here. Events of one instant happen in random order; those of a
 * dead process never happen, those of a stopped one happen when it goes on.
 */
export class Scheduler {
  readonly #random: Random
  readonly #heap: Event[] = []
  now = 0
  steps = 0

  constructor(random: Random) {
    this.#random = random
  }

  /** Lets something happen. Without a process it happens whoever dies: a request that is under way. */
  after(process: Process | null, delayMs: number, act: () => void): void {
    this.#push({ due: this.now + delayMs, order: this.#random.next(), process, act })
  }

  sleep(process: Process | null, durationMs: number): Promise<void> {
    return new Promise((resolve) => this.after(process, durationMs, resolve))
  }

  /** Lets events happen until `isOver` says so. False when that did not come about within the bound. */
  async run(isOver: () => boolean, maxSteps: number): Promise<boolean> {
    while (!isOver()) {
      const event = this.#pop()
      if (!event || this.steps > maxSteps) return false
      this.now = Math.max(this.now, event.due)
      const { process } = event
      if (process?.dead) continue
      if (process && process.stoppedUntil > this.now) {
        this.#push({ ...event, due: process.stoppedUntil })
        continue
      }
      this.steps++
      event.act()
      // Everything that follows without waiting has happened when this comes back.
      await new Promise((resolve) => setImmediate(resolve))
    }
    return true
  }

  #push(event: Event): void {
    const heap = this.#heap
    let index = heap.push(event) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      const above = heap[parent]
      if (!above || !isBefore(event, above)) break
      heap[index] = above
      index = parent
    }
    heap[index] = event
  }

  #pop(): Event | undefined {
    const heap = this.#heap
    const [first] = heap
    const last = heap.pop()
    if (!first || !last || first === last) return first
    let index = 0
    for (;;) {
      const [left, right] = [heap[2 * index + 1], heap[2 * index + 2]]
      if (!left) break
      const [child, place] = right && isBefore(right, left) ? [right, 2 * index + 2] : [left, 2 * index + 1]
      if (!isBefore(child, last)) break
      heap[index] = child
      index = place
    }
    heap[index] = last
    return first
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order)
}
