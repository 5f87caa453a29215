import type { JsonObject } from '@holdfast/runtime'
import { EXIT, exitCodeOfSignal, TIME_UP } from './exit-code.ts'

/** What a command holds, for whoever must tell it when code of the user ends the process. */
export interface Held {
  /** How a person goes on with it. */
  readonly goesOn?: string
  /** What was done before, as the document of the result tells it. */
  readonly about?: JsonObject
}

/** The first signal that a command was sent, or the end of its time. What holds something lets go of it in order; everything else may be left where it stands. */
export class Interruption {
  readonly signal: AbortSignal
  readonly #timeUp = new AbortController()
  #hasHeld = false
  #held: Held = {}
  #told: number | undefined

  constructor(signal: AbortSignal | undefined) {
    this.signal = signal === undefined ? this.#timeUp.signal : AbortSignal.any([signal, this.#timeUp.signal])
  }

  /** Bounds the time of the command: after it everything is as after a signal, but for the exit code. */
  limit(timeoutMs: number): void {
    setTimeout(() => this.#timeUp.abort(TIME_UP), timeoutMs).unref()
  }

  /** Exit code of the signal that came. */
  get exitCode(): number {
    return exitCodeOfSignal(String(this.signal.reason))
  }

  /** Whether something was thrown only because the signal came. */
  isCause(error: unknown): boolean {
    if (!this.signal.aborted) return false
    return error === this.signal.reason || (error instanceof Error && error.name === 'AbortError')
  }

  /** What is held now. Empty before anything is, and once the result is told. */
  get held(): Held {
    return this.#held
  }

  /** Exit code when code of the user ends the process now: what is told as the result holds. */
  get strayExitCode(): number {
    return this.#told ?? (this.signal.aborted ? this.exitCode : EXIT.failed)
  }

  /** Says what is held from now on. */
  holds(held: Held): void {
    this.#held = held
    this.#told = undefined
  }

  /** Says that the result is told. */
  tells(code: number): number {
    this.#held = {}
    this.#told = code
    return code
  }

  /** What work gives, or undefined when the signal comes before that: the work is left where it stands. */
  async unlessCome<T>(work: Promise<T>): Promise<T | undefined> {
    const come = new Promise<undefined>((resolve) => {
      if (this.signal.aborted) resolve(undefined)
      else this.signal.addEventListener('abort', () => resolve(undefined), { once: true })
    })
    const done = work.catch((error: unknown) => {
      if (this.isCause(error)) return undefined
      throw error
    })
    return await Promise.race([done, come])
  }

  /** Does work that answers to the signal itself. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.#hasHeld = true
    return await work()
  }

  /** Whether the time of the command was over before anything was held. */
  get isLate(): boolean {
    return this.signal.aborted && this.signal.reason === TIME_UP && !this.#hasHeld
  }

  /** Resolves with the exit code when the signal comes before anything was held: what let go in order has told what came of it. */
  whenFree(): Promise<number> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!this.#hasHeld) resolve(this.exitCode)
      }
      if (this.signal.aborted) look()
      else this.signal.addEventListener('abort', look, { once: true })
    })
  }
}
