import type { Clock } from '../contracts/clock.ts'
import type { Ms } from '../contracts/ids.ts'
import type { WakeReason } from '../loop/drive.ts'

type Latched = Exclude<WakeReason, 'timer'>

// The most urgent first.
const ORDER: readonly Latched[] = ['lost', 'stop', 'outcome', 'items']

/** Wakes one drive. A ring that comes while nobody sleeps is kept: nothing is missed. */
export class Bell {
  readonly #clock: Clock
  readonly #rung: { [reason in Latched]: boolean } = { lost: false, stop: false, outcome: false, items: false }
  #wake: (() => void) | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  ring(reason: Latched): void {
    this.#rung[reason] = true
    this.#wake?.()
  }

  /** Whether this ring has not been answered. */
  isRung(reason: Latched): boolean {
    return this.#rung[reason]
  }

  /** Sleeps until a ring or, when given, for at most this long. */
  async sleep(durationMs: Ms | null): Promise<WakeReason> {
    const rung = this.#take()
    if (rung) return rung
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    const alarm = durationMs === null ? null : this.#clock.alarm(durationMs, resolve)
    await promise
    this.#wake = null
    alarm?.stop()
    return this.#take() ?? 'timer'
  }

  #take(): Latched | undefined {
    for (const reason of ORDER) {
      if (!this.#rung[reason]) continue
      // A lost lease stays lost.
      if (reason !== 'lost') this.#rung[reason] = false
      return reason
    }
    return undefined
  }
}
