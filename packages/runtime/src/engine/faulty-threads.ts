import type { Clock } from '../contracts/clock.ts'
import type { Ms, ThreadId } from '../contracts/ids.ts'
import type { Claim } from '../contracts/claim.ts'
import type { Logger } from '../contracts/tool.ts'
import { errorMessage } from '../util/error-message.ts'
import type { EngineStore } from './engine-options.ts'
import { releaseAfter } from './release-after.ts'

const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 60_000

/** Threads whose last drive ended with an error. They are left alone for a while, so that one of them cannot keep a worker busy. */
export class FaultyThreads {
  readonly #pauses = new Map<ThreadId, { readonly until: Ms; readonly pauseMs: Ms }>()

  /**
   * A drive ended with an error: its thread is let go, and left alone here for a pause that each failure in a row makes twice as long.
   * `kept`: it may still be this worker's, who alone can take it up again, after the pause.
   */
  async letGo(
    claim: Claim,
    error: unknown,
    { store, clock, logger }: { readonly store: EngineStore; readonly clock: Clock; readonly logger: Logger },
    kept: (pauseMs: Ms) => void
  ): Promise<{ readonly error: unknown }> {
    const { thread } = claim
    const pauseMs = Math.min((this.#pauses.get(thread)?.pauseMs ?? FIRST_PAUSE_MS / 2) * 2, MAX_PAUSE_MS)
    this.#pauses.set(thread, { until: clock.monotonic() + pauseMs, pauseMs })
    logger.error('a thread could not be driven', { thread, error: errorMessage(error) })
    try {
      await releaseAfter(store, claim, pauseMs)
    } catch (failure) {
      logger.warn('a thread that could not be driven could not be let go', { thread, error: errorMessage(failure) })
      kept(pauseMs)
    }
    return { error }
  }

  delete(thread: ThreadId): void {
    this.#pauses.delete(thread)
  }

  /** Those that are left alone now. */
  pausing(now: Ms): readonly ThreadId[] {
    return [...this.#pauses].filter(([, { until }]) => until > now).map(([thread]) => thread)
  }
}
