import type { Store } from '../../src/contracts/store.ts'
import { memoryStore } from '../../src/stores/memory-store.ts'
import type { Random } from '../model/random.ts'
import { createRandom } from '../model/random.ts'
import { Scheduler } from '../model/scheduler.ts'
import type { Tally } from '../model/witness.ts'
import { Violation } from '../model/witness.ts'

const EPOCH_MS = 1_800_000_000_000

/** How a schedule treats its engines and their requests. */
export interface EngineWeather {
  /** How often a request is lost, or its answer. */
  lost: number
  /** How often an answer comes late, beyond the lease now and then. */
  late: number
  /** How often a request takes no time at all, as in the memory store itself. */
  readonly instant: number
  /** Hints that are lost, and those that do not name their thread. */
  readonly lostHints: number
}

/** One schedule: its chance, its time, its store, and the first thing that went wrong. */
export class World {
  readonly random: Random
  readonly scheduler: Scheduler
  readonly inner: Store
  readonly weather: EngineWeather
  readonly leaseMs: number
  /** Whether anything may go wrong here at all. */
  readonly isRough: boolean
  readonly tally: Tally = {}
  readonly journal: string[] = []
  /** Until when something was out of order: what is owed counts from then. */
  troubledUntil = Number.NEGATIVE_INFINITY
  violation: Violation | null = null

  constructor(seed: number) {
    this.random = createRandom(seed)
    this.scheduler = new Scheduler(this.random)
    this.inner = memoryStore({ clock: { now: () => this.storeNow } })
    this.leaseMs = this.random.pick([1_000, 1_000, 2_000, 4_000])
    this.isRough = this.random.chance(0.5)
    const harsh = this.isRough ? this.random.pick([0, 1, 1, 4]) : 0
    this.weather = {
      lost: 0.02 * harsh,
      late: 0.01 * harsh,
      instant: this.random.pick([0, 0.3, 0.9, 1]),
      lostHints: this.random.pick([0, 0.2, 1])
    }
  }

  get now(): number {
    return this.scheduler.now
  }

  get storeNow(): number {
    return EPOCH_MS + this.scheduler.now
  }

  /** How often to beat, as the engine must. */
  get beatMs(): number {
    return Math.min(1_000, this.leaseMs / 4)
  }

  trouble(until: number = this.now): void {
    this.troubledUntil = Math.max(this.troubledUntil, until)
  }

  note(event: string, text = ''): void {
    this.tally[event] = (this.tally[event] ?? 0) + 1
    this.journal.push(`${String(this.now).padStart(6)} ${event} ${text}`)
  }

  /** The first thing that must not be ends the schedule. */
  violate(rule: string, message: string): void {
    if (this.violation === null) this.note('violation', `${rule}: ${message}`)
    this.violation ??= new Violation(rule, message)
  }
}
