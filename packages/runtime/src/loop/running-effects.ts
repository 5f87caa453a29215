import type { Running } from '../contracts/heart.ts'

/**
 * The effects of one drive that run. A few at a time, coming and going for as long as the thread is driven: a list, because a `Map` leaves behind
 * its table whenever it has grown, and each table holds the next, so that what has ended stays in memory until the whole heap is swept.
 */
export class RunningEffects {
  readonly #ids: string[] = []
  readonly #effects: Running[] = []

  get size(): number {
    return this.#ids.length
  }

  has(id: string): boolean {
    return this.#ids.includes(id)
  }

  set(id: string, effect: Running): void {
    const index = this.#ids.indexOf(id)
    if (index >= 0) this.#effects[index] = effect
    else {
      this.#ids.push(id)
      this.#effects.push(effect)
    }
  }

  delete(id: string): void {
    const index = this.#ids.indexOf(id)
    if (index < 0) return
    // In the place of the one that goes comes the last: a list that is cut to nothing gives its room back, and takes more than it needs the next time.
    const lastId = this.#ids.pop()
    const last = this.#effects.pop()
    if (lastId === undefined || last === undefined || index === this.#ids.length) return
    this.#ids[index] = lastId
    this.#effects[index] = last
  }

  /** Those that run now: what comes and goes meanwhile does not matter. */
  entries(): readonly (readonly [id: string, effect: Running])[] {
    return this.#effects.map((effect, index) => [this.#ids[index] ?? '', effect])
  }
}
