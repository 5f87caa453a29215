import type { Clock } from './contracts/clock.ts'
import type { Ms } from './contracts/ids.ts'
import type { Logger } from './contracts/tool.ts'
import { errorMessage } from './util/error-message.ts'

/** As long as a lease by default: an owner that does not reach the store has lost its threads by then. */
const PATIENCE_MS: Ms = 10_000

/** For how long the store has been failing to hand out threads, so that whoever waits for one is told in the end. */
export class StoreTrouble {
  readonly #clock: Clock
  readonly #logger: Logger
  #since: Ms | null = null
  #error: unknown

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock
    this.#logger = logger
  }

  /** The store was asked for threads: with what it failed, or null. */
  hear(error: unknown): void {
    if (error !== null) this.#logger.warn('threads could not be claimed; they are tried again', { error: errorMessage(error) })
    this.#since = error === null ? null : (this.#since ?? this.#clock.monotonic())
    this.#error = error
  }

  /** What the store says when it has been failing for long, also for whoever waits since a point of the monotonic clock; else undefined. */
  lasting(waitingSince: Ms): unknown {
    if (this.#since === null) return undefined
    return this.#clock.monotonic() - Math.max(this.#since, waitingSince) >= PATIENCE_MS ? this.#error : undefined
  }
}
