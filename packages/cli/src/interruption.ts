import { exitCodeOfSignal, TIME_UP } from './exit-code.ts'

/** The first signal that a command was sent, or the end of its time. What holds something lets go of it in order; everything else may be left where it stands. */
export class Interruption {
  readonly signal: AbortSignal
  /** How a person goes on with what is held, once that is known. */
  goesOn: string | undefined
  readonly #timeUp = new AbortController()
  #hasHeld = false

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
