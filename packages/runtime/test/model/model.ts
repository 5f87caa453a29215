import type { Budget } from '../../src/contracts/budget.ts'
import type { WaitKind } from '../../src/contracts/fact.ts'
import { FORMAT } from '../../src/contracts/fact.ts'
import type { Heart, HookedPoints } from '../../src/contracts/heart.ts'
import type { Publication } from '../../src/contracts/publication.ts'
import type { ThreadId } from '../../src/contracts/ids.ts'
import type { Claim } from '../../src/contracts/claim.ts'
import type { Store } from '../../src/contracts/store.ts'
import type { DrivePorts } from '../../src/loop/drive.ts'
import { conversationHeart } from '../../src/state/heart.ts'
import type { State } from '../../src/state/state.ts'
import { needsOf } from '../../src/state/pinned.ts'
import { memoryStore } from '../../src/stores/memory-store.ts'
import { Effects } from './effects.ts'
import type { LinkedStore, Weather } from './link.ts'
import { FALLBACKS, publicationOf } from './publication.ts'
import type { Random } from './random.ts'
import { createRandom } from './random.ts'
import { Scheduler } from './scheduler.ts'
import { Violation, Witness } from './witness.ts'

/** What takes a rule of the protocol out, to see that the model then fails. */
export interface Sabotage {
  store?(store: Store): Store
  ports?(ports: DrivePorts<State>, claim: Claim): DrivePorts<State>
}

/** What is used up soon, some of it from the beginning. */
function budgetOf(random: Random): Budget {
  return {
    ...(random.chance(0.5) ? { maxTotalTokens: random.pick([60, 300, 350, 500]) } : {}),
    ...(random.chance(0.3) ? { maxCost: random.pick([0.25, 0.5, 1]) } : {}),
    ...(random.chance(0.4) ? { maxToolCalls: random.int(1, 4) } : {}),
    ...(random.chance(0.2) ? { maxDurationMs: random.int(20, 1_000) } : {}),
    ...(random.chance(0.25) ? { hard: true } : {})
  }
}

/** Waits that end by a decision alone. */
const LASTING: ReadonlySet<WaitKind> = new Set(['quarantine', 'budget'])

const EPOCH_MS = 1_800_000_000_000

/** One schedule: its chance, its time, its store, its world. */
export class Model {
  readonly seed: number
  readonly sabotage: Sabotage
  readonly random: Random
  readonly scheduler: Scheduler
  readonly weather: Weather
  readonly witness: Witness
  readonly effects: Effects
  readonly publication: Publication
  readonly can: { readonly format: number; readonly needs: readonly string[] }
  /** The store itself, without faults. */
  readonly inner: Store
  /** The store as requests reach it: watched. */
  readonly store: LinkedStore
  /** How many attempts in a row may end without progress. */
  readonly crashBudget: number
  /** Whether the waits of this schedule expire. */
  readonly expiresAfterMs: number | null
  /** By how much calls last longer than the shortest: then more of them are cut off. */
  readonly slowness: number
  /** Where hooks look first. */
  readonly hooked: HookedPoints
  violation: Violation | null = null

  constructor(seed: number, sabotage: Sabotage = {}) {
    this.seed = seed
    this.sabotage = sabotage
    const random = createRandom(seed)
    this.random = random
    this.scheduler = new Scheduler(random)
    const harsh = random.pick([0, 0.5, 1, 1, 3])
    this.weather = { rough: true, lostRequest: 0.02 * harsh, lostAnswer: 0.03 * harsh, lateRequest: 0.01 * harsh }
    this.crashBudget = random.pick([1, 2, 3, 5])
    this.witness = new Witness(this.crashBudget, (violation) => this.violate(violation))
    this.effects = new Effects(this.witness, () => this.storeNow())
    this.slowness = random.pick([1, 1, 4])
    this.expiresAfterMs = random.chance(0.3) ? random.int(20, 1_500) : null
    this.hooked = { beforeInference: random.chance(0.25), onMessage: random.chance(0.2) }
    const limits = {
      maxTurns: random.int(2, 5),
      maxRetries: random.int(0, 2),
      maxParallelCalls: random.int(1, 3),
      maxRepeatedCalls: random.int(2, 6),
      ...(random.chance(0.2) ? { runTimeoutMs: random.int(100, 2_500) } : {})
    }
    this.publication = publicationOf(
      undefined,
      limits,
      FALLBACKS.slice(0, random.int(0, 3)),
      random.chance(0.3) ? budgetOf(random) : undefined
    )
    this.can = { format: FORMAT, needs: needsOf(this.publication.definition) }
    const store = memoryStore({ clock: { now: () => this.storeNow() } })
    this.inner = sabotage.store?.(store) ?? store
    this.store = this.witness.watch(this.inner)
  }

  storeNow(): number {
    return EPOCH_MS + this.scheduler.now
  }

  /** The first thing that must not be ends the schedule. */
  violate(error: unknown): void {
    this.violation ??=
      error instanceof Violation ? error : new Violation('threw', error instanceof Error ? (error.stack ?? error.message) : String(error))
  }

  /** The heart under test. Waits expire here as they do where a definition says so. */
  heartOf(_thread: ThreadId): Heart<State> {
    const { expiresAfterMs, hooked } = this
    const heart: Heart<State> = {
      ...conversationHeart,
      take: (state, items, context) => conversationHeart.take(state, items, { ...context, hooked }),
      plan: (state, context) => conversationHeart.plan(state, { ...context, hooked })
    }
    if (expiresAfterMs === null) return heart
    return {
      ...heart,
      plan: (state, context) => {
        const planned = heart.plan(state, context)
        if (planned.open.length === 0) return planned
        return {
          ...planned,
          facts: planned.facts.map((fact) => (fact.type === 'wait.opened' && !LASTING.has(fact.kind) ? { ...fact, expiresAfterMs } : fact)),
          open: planned.open.map((wait) => (LASTING.has(wait.kind) ? wait : { ...wait, expiresInMs: expiresAfterMs }))
        }
      }
    }
  }
}
