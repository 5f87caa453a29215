import type { WakeReason } from '../../src/loop/drive.ts'
import type { Random } from './random.ts'
import type { Process, Scheduler } from './scheduler.ts'

type Ring = Exclude<WakeReason, 'timer'>

/** Wakes one drive. What rings while nobody sleeps is kept. */
export class Alarm {
  readonly #process: Process
  readonly #scheduler: Scheduler
  readonly #random: Random
  readonly #rung = new Set<Ring>()
  #wake: ((reason: WakeReason) => void) | null = null
  #sleeps = 0

  constructor(process: Process, scheduler: Scheduler, random: Random) {
    this.#process = process
    this.#scheduler = scheduler
    this.#random = random
  }

  ring(reason: Ring): void {
    this.#rung.add(reason)
    this.#answerSoon()
  }

  isRung(reason: Ring): boolean {
    return this.#rung.has(reason)
  }

  sleep(durationMs: number | null): Promise<WakeReason> {
    return new Promise((resolve) => {
      this.#wake = resolve
      const sleep = ++this.#sleeps
      if (this.#rung.size > 0) this.#answerSoon()
      if (durationMs !== null) this.#scheduler.after(this.#process, durationMs, () => this.#answer(sleep, 'timer'))
    })
  }

  #answerSoon(): void {
    const sleep = this.#sleeps
    this.#scheduler.after(this.#process, this.#random.int(0, 3), () => {
      const [first, ...rest] = this.#rung
      if (first !== undefined) this.#answer(sleep, this.#rung.has('lost') ? 'lost' : this.#random.pick([first, ...rest]))
    })
  }

  #answer(sleep: number, reason: WakeReason): void {
    const wake = this.#wake
    if (!wake || sleep !== this.#sleeps) return
    this.#wake = null
    if (reason !== 'timer') this.#rung.delete(reason)
    wake(reason)
  }
}
