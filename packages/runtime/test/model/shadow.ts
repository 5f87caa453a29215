import { isDeepStrictEqual } from 'node:util'
import type { Heart } from '../../src/contracts/heart.ts'
import type { Claim } from '../../src/contracts/claim.ts'
import type { AppendRequest, Receipt } from '../../src/contracts/store.ts'
import type { Fact } from '../../src/contracts/fact.ts'
import { conversationHeart } from '../../src/state/heart.ts'
import { project } from '../../src/state/project.ts'
import type { State } from '../../src/state/state.ts'
import { foldLog } from './fold-log.ts'
import type { LinkedStore } from './link.ts'
import type { Model } from './model.ts'
import { Violation } from './witness.ts'

/** Follows one drive with a state folded from what was committed, stamps and all, and compares the two after every commit (I2). */
export class Shadow {
  readonly #model: Model
  readonly #claim: Claim
  readonly #store: LinkedStore
  #live: State | null = null
  #folded: State | null = null

  constructor(model: Model, claim: Claim, store: LinkedStore) {
    this.#model = model
    this.#claim = claim
    this.#store = store
  }

  /** The same heart; it lets the state be seen that the driver has. */
  heart(heart: Heart<State>): Heart<State> {
    return {
      ...heart,
      project: (state) => {
        this.#live = state
        return heart.project(state)
      }
    }
  }

  async load(): Promise<{ readonly state: State; readonly head: number }> {
    const { thread } = this.#claim
    const commits = []
    for (;;) {
      const page = await this.#store.read(thread, commits.length + 1, 3_000)
      if (page.length === 0) break
      commits.push(...page)
    }
    this.#folded = foldLog(thread, this.#model.publication, commits)
    return { state: foldLog(thread, this.#model.publication, commits), head: commits.length }
  }

  announce(request: AppendRequest, receipt: Extract<Receipt, { ok: true }>): void {
    let folded = this.#folded
    if (!folded) return
    const stamp = { at: receipt.at, attempt: request.attempt, sequence: receipt.sequence }
    for (const fact of JSON.parse(JSON.stringify(request.facts)) as Fact[]) folded = conversationHeart.evolve(folded, stamp, fact)
    if (!isDeepStrictEqual(request.row, project(folded)))
      this.#model.violate(new Violation('I1', 'the row is not what the log projects to'))
    if (!isDeepStrictEqual(this.#live, folded)) this.#model.violate(new Violation('I2', 'the live state differs from the folded one'))
  }
}
