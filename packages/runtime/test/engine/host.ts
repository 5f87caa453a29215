import type { Alarm, Clock } from '../../src/contracts/clock.ts'
import type { Fact } from '../../src/contracts/fact.ts'
import type { Action, Running } from '../../src/contracts/heart.ts'
import type { Ms, ThreadId } from '../../src/contracts/ids.ts'
import type { Claim } from '../../src/contracts/claim.ts'
import type { Store } from '../../src/contracts/store.ts'
import { Engine } from '../../src/engine/engine.ts'
import type { DriveEnd } from '../../src/loop/drive.ts'
import type { Process } from '../model/scheduler.ts'
import type { EngineHost } from './engine-host.ts'
import type { Ledger } from './ledger.ts'
import { linkEngineStore } from './linked-store.ts'
import type { WorkState } from './work-heart.ts'
import { noWork, settled, workHeart } from './work-heart.ts'
import type { World } from './world.ts'

const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
/** How long a thread that failed is left alone, at least. */
const PAUSE_MS = 1_000
const PAGE_BYTES = 1_000_000

/** How often an engine may call, for all that it was told and for each beat. */
const CALLS_PER_EVENT = 3
const CALLS_PER_BEAT = 3

/** One process with the engine under test. */
export class Host implements EngineHost {
  readonly name: string
  readonly process: Process
  readonly recover: boolean
  readonly concurrency: number
  readonly needs: readonly string[]
  readonly engine: Engine<WorkState>
  /** What the engine drives, from the claim's load to its end. */
  readonly drives = new Map<ThreadId, Claim>()
  readonly timers = new Set<Alarm>()
  listeners = 0
  /** All that gives this engine a reason to act, but time. */
  events = 0
  troubledAt = Number.NEGATIVE_INFINITY
  stopsBy: number | null = null
  hasStopped = false
  /** When it stopped or died. */
  goneAt = Number.NEGATIVE_INFINITY
  readonly #world: World
  readonly #ledger: Ledger
  readonly #store: Store
  readonly #startedAt: number
  readonly #calls = new Map<string, number>()
  /** When the last drive of a thread ended with an error here. */
  readonly #threwAt = new Map<ThreadId, number>()
  #ids = 0
  #beatAt = 0

  constructor(world: World, ledger: Ledger, name: string, options: { readonly recover: boolean; readonly needs: readonly string[] }) {
    this.#world = world
    this.#ledger = ledger
    this.#startedAt = world.now
    this.name = name
    this.process = { name, dead: false, stoppedUntil: 0 }
    this.recover = options.recover
    this.needs = options.needs
    this.concurrency = world.random.int(1, 4)
    this.#store = linkEngineStore(world, ledger, this)
    this.engine = new Engine<WorkState>({
      store: this.#store,
      clock: this.#clock(),
      ids: { next: () => `${name}.${this.#ids++}` },
      logger: QUIET,
      heart: workHeart,
      load: (claim) => this.#load(claim),
      perform: (action, state, done) => this.#perform(action, state, done),
      announce: () => {},
      ended: (thread, end) => this.#ended(thread, end),
      asked: () => {},
      needs: () => this.needs,
      leaseMs: world.leaseMs,
      // Its work knows of no quarantine.
      crashBudget: Number.POSITIVE_INFINITY,
      concurrency: this.concurrency,
      recover: this.recover
    })
  }

  get isStopping(): boolean {
    return this.stopsBy !== null
  }

  /** Lives, and is given time by its system. */
  get isAwake(): boolean {
    return !this.process.dead && !this.hasStopped && this.process.stoppedUntil <= this.#world.now
  }

  /** Every call to the store and every sleep: none after the stop, and not more than there is reason for. */
  called(name: string): void {
    if (this.hasStopped) this.#world.violate('stop', `${this.name} calls ${name} after its stop`)
    if (name === 'beat') this.#beatAt = this.#world.now
    const calls = (this.#calls.get(name) ?? 0) + 1
    this.#calls.set(name, calls)
    if (name !== 'claim' && name !== 'beat' && name !== 'sleep') return
    const beats = (this.#world.now - this.#startedAt) / this.#world.beatMs
    const most = 10 + this.events * CALLS_PER_EVENT + beats * CALLS_PER_BEAT
    if (calls > most)
      this.#world.violate('spin', `${this.name} made ${calls} calls of ${name} for ${this.events} events and ${beats} beats`)
  }

  /** Who drives beats. */
  judgeBeat(): void {
    const { now, beatMs, troubledUntil } = this.#world
    if (this.drives.size === 0 || !this.isAwake || now - Math.max(this.#beatAt, troubledUntil) <= beatMs + 500) return
    this.#world.violate('beat', `${this.name} drives ${[...this.drives.keys()].join(', ')} and has not beaten since ${this.#beatAt}`)
  }

  swept(thread: ThreadId): void {
    const pausedMs = this.#world.now - (this.#threwAt.get(thread) ?? Number.NEGATIVE_INFINITY)
    if (pausedMs < PAUSE_MS) this.#world.violate('pause', `${this.name} takes ${thread} up ${pausedMs} ms after it failed`)
  }

  wake(thread: ThreadId): void {
    this.events++
    this.#ledger.asked(thread, this)
    this.engine.wake(thread)
  }

  async acquire(thread: ThreadId, takeover: boolean | string): Promise<void> {
    this.events++
    try {
      const isDriven = await this.engine.acquire(thread, { takeover })
      if (!isDriven && this.drives.has(thread)) this.#world.violate('acquire', `${this.name} drives ${thread} and denies it`)
      this.#world.note(isDriven ? 'acquired' : 'not acquired', `${thread} ${this.name}`)
      if (!isDriven && this.isAwake && this.#world.random.chance(0.5)) this.wake(thread)
    } catch {
      this.#world.note('acquire failed', `${thread} ${this.name}`)
    }
  }

  async stop(graceMs: Ms): Promise<void> {
    const world = this.#world
    world.note('stops', `${this.name} within ${graceMs}`)
    this.stopsBy = world.now + graceMs
    await this.engine.stop(graceMs)
    this.hasStopped = true
    this.goneAt = world.now
    world.note('stopped', this.name)
    const owned = this.#ledger.ownedBy(this)
    // What it could not say to the store is over with its lease.
    const isTroubled = world.now - Math.max(world.troubledUntil, this.troubledAt) < world.leaseMs * 2
    if (owned.length > 0 && !isTroubled) world.violate('stop', `${this.name} stopped and owns ${owned.join(', ')}`)
    if (this.drives.size > 0) world.violate('stop', `${this.name} stopped and drives ${[...this.drives.keys()].join(', ')}`)
    this.mustHoldNothing('stop')
  }

  /** No timer and no listener. */
  mustHoldNothing(rule: string): void {
    if (this.timers.size > 0) this.#world.violate(rule, `${this.name} holds ${this.timers.size} timers`)
    if (this.listeners > 0) this.#world.violate(rule, `${this.name} holds ${this.listeners} listeners`)
  }

  async #load(claim: Claim): Promise<{ readonly state: WorkState; readonly head: number }> {
    const { thread, attempt } = claim
    const world = this.#world
    const other = this.drives.get(thread)
    if (other && other.attempt !== attempt) world.violate('twice', `${this.name} drives ${thread} at #${other.attempt} and #${attempt}`)
    if (this.drives.size === 0) this.#beatAt = world.now
    this.drives.set(thread, claim)
    if (this.drives.size > this.concurrency) world.violate('places', `${this.name} drives ${this.drives.size} of ${this.concurrency}`)
    const state = noWork(this.#ledger.account(thread).needs)
    let head = 0
    while (head < claim.sequence) {
      for (const commit of await this.#store.read(thread, head + 1, PAGE_BYTES)) {
        for (const fact of commit.facts)
          workHeart.evolve(state, { at: commit.at, attempt: commit.attempt, sequence: commit.sequence }, fact)
        head = commit.sequence
      }
    }
    if (faultsOf(thread) > this.#ledger.account(thread).throws) {
      this.#threwAt.set(thread, world.now)
      throw new Error(`${thread} is broken`)
    }
    return { state, head }
  }

  #perform(action: Action, state: WorkState, done: (facts: readonly Fact[]) => void): Running {
    const { scheduler, random } = this.#world
    const call = action.do === 'run' ? action.call : ''
    const workMs = state.works.get(call)?.workMs ?? 0
    let isOver = false
    const end = (facts: readonly Fact[]): void => {
      if (isOver) return
      isOver = true
      this.events++
      done(facts)
    }
    if (workMs === 0) end([settled(call)])
    else scheduler.after(this.process, workMs, () => end([settled(call)]))
    return { abort: () => scheduler.after(this.process, random.int(0, 20), () => end([])) }
  }

  #ended(thread: ThreadId, end: DriveEnd | { readonly error: unknown }): void {
    const world = this.#world
    const claim = this.drives.get(thread)
    this.drives.delete(thread)
    this.events++
    world.note(`drive ${typeof end === 'object' ? 'threw' : end}`, `${thread}#${claim?.attempt} ${this.name}`)
    if (!claim) return world.violate('ended', `${this.name} ends ${thread}, which it does not drive`)
    if (typeof end === 'object') {
      this.#ledger.threw(thread, this)
      return
    }
    this.#threwAt.delete(thread)
    if (end === 'lost' && world.troubledUntil < 0 && this.#ledger.isOwner(this, thread, claim.attempt)) {
      world.violate('lost', `${this.name} gave up ${thread}#${claim.attempt}, which it owns`)
    }
  }

  #clock(): Clock {
    const world = this.#world
    const { random, scheduler } = world
    const skewMs = random.pick([0, 0, random.int(-1_000, 1_000)])
    const startedAt = random.int(0, 1_000) - world.now
    const alarm = (durationMs: Ms, ring: () => void): Alarm => {
      const timer: Alarm = { stop: () => void this.timers.delete(timer) }
      this.timers.add(timer)
      if (durationMs === Number.POSITIVE_INFINITY) return timer
      scheduler.after(this.process, Math.max(0, durationMs), () => {
        if (this.timers.delete(timer)) ring()
      })
      return timer
    }
    return {
      now: () => world.storeNow + skewMs,
      monotonic: () => world.now + startedAt,
      alarm,
      sleep: (durationMs, signal) => {
        this.called('sleep')
        return new Promise((resolve) => {
          if (signal?.aborted || world.violation) return world.violation ? undefined : resolve()
          const timer = alarm(durationMs, resolve)
          signal?.addEventListener('abort', () => {
            timer.stop()
            resolve()
          })
        })
      }
    }
  }
}

/** How often the drive of this thread fails: its name says so. */
export function faultsOf(thread: ThreadId): number {
  return Number(/broken(\d)/.exec(thread)?.[1] ?? 0)
}
