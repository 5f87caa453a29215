import type { Alarm, Clock } from '../contracts/clock.ts'
import type { Ms } from '../contracts/ids.ts'
import type { WakeReason } from '../loop/drive.ts'

type Latched = Exclude<WakeReason, 'timer'>

// The most urgent first.
const ORDER: readonly Latched[] = ['lost', 'stop', 'outcome', 'items']
const BITS: { readonly [reason in Latched]: number } = { lost: 1, stop: 2, outcome: 4, items: 8 }

/** Wakes one drive. A ring that comes while nobody sleeps is kept: nothing is missed. */
export class Bell {
  readonly #clock: Clock
  /** The reasons that were rung for and not answered, a bit each. */
  #rung = 0
  #wake: (() => void) | null = null
  #alarm: Alarm | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  ring(reason: Latched): void {
    this.#rung |= BITS[reason]
    this.#wake?.()
  }

  /** Whether this ring has not been answered. */
  isRung(reason: Latched): boolean {
    return (this.#rung & BITS[reason]) !== 0
  }

  /** Sleeps until a ring or, when given, for at most this long. */
  sleep(durationMs: Ms | null): Promise<WakeReason> {
    const rung = this.#take()
    if (rung) return Promise.resolve(rung)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    if (durationMs !== null) this.#alarm = this.#clock.alarm(durationMs, resolve)
    return promise.then(this.#awake)
  }

  readonly #awake = (): WakeReason => {
    this.#wake = null
    this.#alarm?.stop()
    this.#alarm = null
    return this.#take() ?? 'timer'
  }

  #take(): Latched | undefined {
    if (this.#rung === 0) return undefined
    for (const reason of ORDER) {
      if ((this.#rung & BITS[reason]) === 0) continue
      // A lost lease stays lost.
      if (reason !== 'lost') this.#rung &= ~BITS[reason]
      return reason
    }
    return undefined
  }
}
