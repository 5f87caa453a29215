import type { Fact } from '../../src/contracts/fact.ts'
import type { Action, Cancelled } from '../../src/contracts/heart.ts'
import type { Claim } from '../../src/contracts/claim.ts'
import type { InboxItem } from '../../src/contracts/store.ts'
import type { DriveEnd } from '../../src/loop/drive.ts'
import type { Model } from './model.ts'
import { Violation } from './witness.ts'

/** Watches one drive: a worker that lets a thread go has begun what it announced and has recorded what it heard. */
export class DriveCheck {
  readonly #model: Model
  readonly #claim: Claim
  readonly #performed = new Set<string>()
  readonly #reported: Fact[] = []
  /** Model calls that run here, and were not told to stop. */
  readonly #asking = new Set<string>()
  /** Interrupts that this worker has read and not taken. */
  #interrupts: readonly string[] = []
  #wasRefused = false

  constructor(model: Model, claim: Claim) {
    this.#model = model
    this.#claim = claim
  }

  performed({ id, do: kind }: Pick<Action, 'id' | 'do'>): void {
    this.#performed.add(id)
    if (kind === 'infer') this.#asking.add(id)
  }

  reported(id: string, facts: readonly Fact[]): void {
    this.#reported.push(...facts)
    this.#asking.delete(id)
  }

  aborted(id: string, cancelled: Cancelled | undefined): void {
    this.#asking.delete(id)
    if (cancelled?.by === 'interrupt' && this.#interrupts.length === 0) this.#fail(`${id} is interrupted by nobody`, 'interrupt')
  }

  read(items: readonly InboxItem[]): void {
    this.#interrupts = items.filter((item) => item.kind === 'interrupt').map((item) => item.id)
  }

  consumed(items: readonly string[]): void {
    this.#interrupts = this.#interrupts.filter((id) => !items.includes(id))
  }

  /** A worker that knows of an interrupt does not leave the model to its answer. */
  sleeps(): void {
    if (this.#interrupts.length === 0 || this.#asking.size === 0) return
    this.#fail(`${[...this.#asking].join(' ')} goes on although ${this.#interrupts.join(' ')} interrupts it`, 'interrupt')
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
      if (fact.type === 'call.suspended' && !answered.has(`${fact.call}.${fact.leg}`))
        this.#fail(`the suspension of ${fact.call} was dropped`)
      if (fact.type === 'model.failed' && !answered.has(`${fact.turn}#${fact.try}`)) this.#fail(`the failure of ${fact.turn} was dropped`)
      // What a hook answers is dropped when something has come that it has not seen.
      if (fact.type === 'model.responded' && !fact.model.startsWith('hook:') && ![...answered].some((id) => id.startsWith(`${fact.turn}#`)))
        this.#fail(`the answer of ${fact.turn} was dropped`)
    }
  }

  #fail(message: string, rule = 'drain'): void {
    this.#model.violate(new Violation(rule, message))
  }
}
