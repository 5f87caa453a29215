import { exitCodeOfSignal, TIME_UP } from './exit-code.ts'

/** The first signal that a command was sent, or the end of its time. What holds something lets go of it in order; everything else may be left where it stands. */
export class Interruption {
  readonly signal: AbortSignal
  readonly #timeUp = new AbortController()
  #held = 0

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
    this.#held += 1
    try {
      return await work()
    } finally {
      this.#held -= 1
    }
  }

  /** Resolves with the exit code when the signal comes while nothing is held. */
  whenFree(): Promise<number> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.#held === 0) resolve(this.exitCode)
      }
      if (this.signal.aborted) look()
      else this.signal.addEventListener('abort', look, { once: true })
    })
  }
}
