import type { Fact } from '../contracts/fact.ts'
import type { Cancelled, Running } from '../contracts/heart.ts'

/** A model call in flight: it ends in exactly one `done`. */
export class RunningInference implements Running {
  readonly stop = new AbortController()
  readonly #done: (facts: readonly Fact[]) => void
  #isDropped = false
  #isInterrupted = false

  constructor(done: (facts: readonly Fact[]) => void) {
    this.#done = done
  }

  end(facts: readonly Fact[]): void {
    if (this.#isDropped) this.#done([])
    else this.#done(this.#isInterrupted ? facts.map(toInterrupted) : facts)
  }

  abort(reason: 'unwanted' | 'drain' | 'lost', cancelled?: Cancelled): void {
    this.#isDropped ||= reason !== 'unwanted'
    this.#isInterrupted ||= cancelled?.by === 'interrupt'
    this.stop.abort(new Error(reason))
  }
}

/** An abort that was asked for is no error. What the model used until then stays. */
function toInterrupted(fact: Fact): Fact {
  if (fact.type !== 'model.failed' || fact.why !== 'aborted') return fact
  const { error: _, ...rest } = fact
  return { ...rest, why: 'interrupted' }
}
