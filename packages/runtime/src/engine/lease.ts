import type { Clock } from '../contracts/clock.ts'
import type { Ms } from '../contracts/ids.ts'

// Nothing new starts in the last part of a lease: a stopped process might wake up beyond it.
const MARGIN_MS = 1_000
// However long the lease is: whoever looks for what became of a call reckons with a start at most ten seconds behind its commit.
const BEGIN_WITHIN_MS = 9_000

/** One name of this worker, with what is known of its lease and of the store's clock. */
export interface LeaseView {
  readonly worker: string
  holds(): boolean
  /** Whether what was announced may begin: the store was heard of lately. */
  mayBegin(): boolean
  /** The store's time, as well as it is known. */
  storeNow(): Ms
}

/** The lease of this worker, by its own monotonic clock: counted from before the request that extended it was sent. */
export class Lease {
  readonly #clock: Clock
  readonly #leaseMs: Ms
  readonly #name: () => string
  #view: LeaseView & { until: Ms }
  #offset: Ms
  #hasHeard = false

  constructor(clock: Clock, leaseMs: Ms, name: () => string) {
    this.#clock = clock
    this.#leaseMs = leaseMs
    this.#name = name
    this.#offset = clock.now() - clock.monotonic()
    this.#view = this.#create()
  }

  get worker(): string {
    return this.#view.worker
  }

  /** How often to beat: several times a lease, at most every second. */
  get beatMs(): Ms {
    return Math.min(1_000, this.#leaseMs / 4)
  }

  current(): LeaseView {
    return this.#view
  }

  /** The store has extended the lease by a request that was sent at this point of the monotonic clock. */
  extend(sentAt: Ms): void {
    this.#view.until = Math.max(this.#view.until, sentAt + this.#leaseMs)
  }

  /** The store has told its time in the answer to a request that was sent at this point of the monotonic clock. */
  hear(storeNow: Ms, sentAt: Ms): void {
    const now = this.#clock.monotonic()
    // What comes late, after a stand-still say, tells less than what is known.
    if (this.#hasHeard && now - sentAt > this.beatMs) return
    this.#hasHeard = true
    this.#offset = storeNow - now
  }

  /** Gives the name up: whoever still holds its view finds it over. */
  renew(): void {
    this.#view.until = Number.NEGATIVE_INFINITY
    this.#view = this.#create()
  }

  /** Takes a new name when the lease has run out: a thread may have been taken from the old one, and nobody told. */
  refresh(): void {
    const { until } = this.#view
    if (until !== Number.NEGATIVE_INFINITY && this.#clock.monotonic() >= until) this.renew()
  }

  #create(): LeaseView & { until: Ms } {
    const margin = Math.min(MARGIN_MS, this.#leaseMs / 4)
    const beginMargin = Math.max(margin, this.#leaseMs - BEGIN_WITHIN_MS)
    const view = {
      worker: this.#name(),
      until: Number.NEGATIVE_INFINITY,
      holds: () => this.#clock.monotonic() < view.until - margin,
      mayBegin: () => this.#clock.monotonic() < view.until - beginMargin,
      storeNow: () => this.#clock.monotonic() + this.#offset
    }
    return view
  }
}
