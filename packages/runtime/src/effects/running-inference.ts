import type { Fact } from '../contracts/fact.ts'
import type { Cancelled, Running } from '../contracts/heart.ts'
import type { StopSignal } from './read-response.ts'

/**
 * A model call in flight: it ends in exactly one `done`. It tells whoever waits for the model here that it is stopped; the signal is for the provider
 * alone, since to listen to one and to ask it costs more than the call itself.
 */
export class RunningInference implements Running, StopSignal {
  aborted = false
  reason: unknown = undefined
  readonly #done: (facts: readonly Fact[]) => void
  readonly #provider = new AbortController()
  #listener: (() => void) | null = null
  #isDropped = false
  #isInterrupted = false

  constructor(done: (facts: readonly Fact[]) => void) {
    this.#done = done
  }

  /** What the provider is told it by. */
  get signal(): AbortSignal {
    return this.#provider.signal
  }

  end(facts: readonly Fact[]): void {
    if (this.#isDropped) this.#done([])
    else this.#done(this.#isInterrupted ? facts.map(toInterrupted) : facts)
  }

  abort(reason: 'unwanted' | 'drain' | 'lost', cancelled?: Cancelled): void {
    this.#isDropped ||= reason !== 'unwanted'
    this.#isInterrupted ||= cancelled?.by === 'interrupt'
    this.stop(new Error(reason))
  }

  /** Ends the call with a reason: the first one counts. */
  stop(reason: Error): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    this.#provider.abort(reason)
    this.#listener?.()
  }

  /** One at a time: what is waited for comes one after the other. */
  addEventListener(_: 'abort', listener: () => void): void {
    this.#listener = listener
  }

  removeEventListener(): void {
    this.#listener = null
  }

  /** The work's result, or the reason as soon as this is stopped: whoever does it need not listen. */
  unlessStopped<T>(work: PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#listener = () => reject(this.reason)
      work.then(resolve, reject)
      if (this.aborted) reject(this.reason)
    })
  }
}

/** An abort that was asked for is no error. What the model used until then stays. */
function toInterrupted(fact: Fact): Fact {
  if (fact.type !== 'model.failed' || fact.why !== 'aborted') return fact
  const { error: _, ...rest } = fact
  return { ...rest, why: 'interrupted' }
}
