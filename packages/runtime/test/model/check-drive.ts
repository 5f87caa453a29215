import type { Fact } from '../../src/contracts/fact.ts'
import type { Claim } from '../../src/contracts/claim.ts'
import type { DriveEnd } from '../../src/loop/drive.ts'
import type { Model } from './model.ts'
import { Violation } from './witness.ts'

/** Watches one drive: a worker that lets a thread go has begun what it announced and has recorded what it heard. */
export class DriveCheck {
  readonly #model: Model
  readonly #claim: Claim
  readonly #performed = new Set<string>()
  readonly #reported: Fact[] = []
  #wasRefused = false

  constructor(model: Model, claim: Claim) {
    this.#model = model
    this.#claim = claim
  }

  performed(id: string): void {
    this.#performed.add(id)
  }

  reported(facts: readonly Fact[]): void {
    this.#reported.push(...facts)
  }

  /** The lease did not allow anything to start: what was announced may be left undone. */
  leaseHolds(holds: boolean): boolean {
    this.#wasRefused ||= !holds
    return holds
  }

  ended(end: DriveEnd): void {
    if (end === 'lost') return
    const { announced, answered } = this.#model.witness.thread(this.#claim.thread)
    for (const [id, attempt] of announced) {
      if (attempt === this.#claim.attempt && !this.#performed.has(id) && !this.#wasRefused)
        this.#fail(`${id} was announced and never begun`)
    }
    for (const fact of this.#reported) {
      if (fact.type === 'call.settled' && !answered.has(fact.call)) this.#fail(`the result of ${fact.call} was dropped`)
      if (fact.type === 'model.failed' && !answered.has(`${fact.turn}#${fact.try}`)) this.#fail(`the failure of ${fact.turn} was dropped`)
      if (fact.type === 'model.responded' && ![...answered].some((id) => id.startsWith(`${fact.turn}#`)))
        this.#fail(`the answer of ${fact.turn} was dropped`)
    }
  }

  #fail(message: string): void {
    this.#model.violate(new Violation('drain', message))
  }
}
