import type { Clock } from '../../src/contracts/clock.ts'
import type { Fact } from '../../src/contracts/fact.ts'
import type { Claim } from '../../src/contracts/claim.ts'
import type { ThreadId } from '../../src/contracts/ids.ts'
import type { DriveEnd, DrivePorts } from '../../src/loop/drive.ts'
import { drive } from '../../src/loop/drive.ts'
import { conversationHeart } from '../../src/state/heart.ts'
import type { State } from '../../src/state/state.ts'
import { Alarm } from './alarm.ts'
import { DriveCheck } from './check-drive.ts'
import type { LinkedStore } from './link.ts'
import { linkStore } from './link.ts'
import type { Model } from './model.ts'
import { performFake } from './performers.ts'
import type { Process } from './scheduler.ts'
import { Shadow } from './shadow.ts'

export const LEASE_MS = 1_000
const BEAT_MS = 240
const SWEEP_MS = 200
/** Nothing starts in the last part of a lease. */
const MARGIN_MS = 150

/** One name of a worker. A lease that is over stays over for whoever still holds it. */
interface Identity {
  readonly worker: string
  until: number
}

/** A process that claims, beats and drives, as protocol §5 wants it. */
export class Worker {
  readonly process: Process
  readonly #model: Model
  readonly #store: LinkedStore
  readonly #clock: Clock
  readonly #drives = new Map<ThreadId, { readonly alarm: Alarm; readonly identity: Identity }>()
  readonly #skewMs: number
  readonly #monotonicAt: number
  #identity: Identity
  #nap: (() => void) | null = null
  #renewals = 0
  stopping = false

  constructor(model: Model, name: string) {
    this.#model = model
    this.process = { name, dead: false, stoppedUntil: 0 }
    this.#store = linkStore(this.process, model.store, model)
    this.#skewMs = model.random.int(-5_000, 5_000)
    this.#monotonicAt = model.random.int(0, 1_000) - model.scheduler.now
    this.#identity = { worker: name, until: Number.NEGATIVE_INFINITY }
    this.#clock = {
      now: () => model.storeNow() + this.#skewMs,
      monotonic: () => model.scheduler.now + this.#monotonicAt,
      sleep: (durationMs) => model.scheduler.sleep(this.process, durationMs),
      alarm: (durationMs, ring) => {
        let isStopped = false
        model.scheduler.after(this.process, durationMs, () => {
          if (!isStopped) ring()
        })
        return {
          stop: () => {
            isStopped = true
          }
        }
      }
    }
  }

  start(): void {
    this.#beat().catch((error: unknown) => this.#model.violate(error))
    this.#sweep().catch((error: unknown) => this.#model.violate(error))
  }

  get isIdle(): boolean {
    return this.#drives.size === 0
  }

  /** Something may have happened to a thread. */
  hint(thread: ThreadId): void {
    const driven = this.#drives.get(thread)
    if (driven) driven.alarm.ring('items')
    else this.#nap?.()
  }

  /** Starts nothing new; after a grace, running effects are let go. */
  drain(graceMs: number): void {
    this.stopping = true
    for (const { alarm } of this.#drives.values()) alarm.ring('outcome')
    this.#model.scheduler.after(this.process, graceMs, () => {
      for (const { alarm } of this.#drives.values()) alarm.ring('stop')
    })
  }

  async #beat(): Promise<void> {
    for (;;) {
      await this.#clock.sleep(BEAT_MS)
      if (this.#drives.size === 0) continue
      const identity = this.#identity
      const sentAt = this.#clock.monotonic()
      const mine = [...this.#drives].filter(([, each]) => each.identity === identity).map(([thread]) => thread)
      const beat = await this.#store.beat(identity.worker, LEASE_MS, mine).catch(() => null)
      if (identity !== this.#identity) continue
      if (beat ? !beat.alive : this.#clock.monotonic() >= identity.until) {
        this.#lose()
        continue
      }
      if (!beat) continue
      identity.until = Math.max(identity.until, sentAt + LEASE_MS)
      for (const thread of beat.fresh) this.#drives.get(thread)?.alarm.ring('items')
      for (const thread of beat.lost) this.#drives.get(thread)?.alarm.ring('lost')
    }
  }

  /** The lease is over: what runs here is not ours any more, and the name is burnt. */
  #lose(): void {
    this.#model.witness.count('lease over')
    this.#identity.until = Number.NEGATIVE_INFINITY
    for (const { alarm } of this.#drives.values()) alarm.ring('lost')
    this.#identity = { worker: `${this.process.name}+${++this.#renewals}`, until: Number.NEGATIVE_INFINITY }
  }

  /** A name whose lease has run out may have lost a thread that is not driven here. */
  #refresh(): void {
    const { until } = this.#identity
    if (until !== Number.NEGATIVE_INFINITY && this.#clock.monotonic() >= until) {
      this.#identity = { worker: `${this.process.name}+${++this.#renewals}`, until: Number.NEGATIVE_INFINITY }
    }
  }

  async #sweep(): Promise<void> {
    const { scheduler, random } = this.#model
    while (!this.stopping) {
      if (this.#drives.size === 0) this.#refresh()
      const identity = this.#identity
      const sentAt = this.#clock.monotonic()
      const claims = await this.#store
        .claim({ worker: identity.worker, leaseMs: LEASE_MS, max: 4, not: [...this.#drives.keys()], can: this.#model.can })
        .catch(() => [])
      // Answers that came too late are left alone: the store gives those threads out again.
      if (identity === this.#identity && !this.stopping) {
        if (claims.length > 0) identity.until = Math.max(identity.until, sentAt + LEASE_MS)
        for (const claim of claims) this.#drive(claim, identity)
      }
      await new Promise<void>((resolve) => {
        this.#nap = () => scheduler.after(this.process, random.int(0, 4), resolve)
        scheduler.after(this.process, SWEEP_MS, resolve)
      })
    }
  }

  #drive(claim: Claim, identity: Identity): void {
    const model = this.#model
    const { witness, scheduler, random } = model
    const alarm = new Alarm(this.process, scheduler, random)
    const check = new DriveCheck(model, claim)
    const shadow = new Shadow(model, claim, this.#store)
    const heardAt = this.#clock.monotonic()
    this.#drives.set(claim.thread, { alarm, identity })
    const world = { ...model, process: this.process, attempt: claim.attempt, violate: (error: unknown) => model.violate(error) }
    const ports: DrivePorts<State> = {
      ...conversationHeart,
      ...shadow.heart(model.heartOf(claim.thread)),
      store: watchDrive(this.#store, check),
      clock: this.#clock,
      worker: identity.worker,
      crashBudget: model.crashBudget,
      load: () => shadow.load(),
      perform: (action, state, done) => {
        check.performed(action)
        const report = (facts: readonly Fact[]): void => {
          check.reported(action.id, facts)
          done(facts)
          alarm.ring('outcome')
        }
        const running = performFake(action, state, report, world)
        return {
          abort: (reason, cancelled) => {
            check.aborted(action.id, cancelled)
            running.abort(reason, cancelled)
          }
        }
      },
      wake: (_claim, until) => {
        check.sleeps()
        const storeNow = claim.now + (this.#clock.monotonic() - heardAt)
        return alarm.sleep(until === null ? null : Math.max(1, until - storeNow))
      },
      announce: (request, receipt) => shadow.announce(request, receipt),
      stopping: () => this.stopping,
      leaseHolds: () => check.leaseHolds(this.#clock.monotonic() < identity.until - MARGIN_MS),
      mayBegin: () => ports.leaseHolds()
    }
    drive(claim, model.sabotage.ports?.(ports, claim) ?? ports).then(
      (end) => {
        check.ended(end)
        this.#ended(claim, end, alarm)
      },
      (error: unknown) => {
        witness.count('drive threw')
        model.violate(error)
      }
    )
  }

  #ended(claim: Claim, end: DriveEnd, alarm: Alarm): void {
    this.#model.witness.count(`drive ${end}`)
    this.#drives.delete(claim.thread)
    if (alarm.isRung('items')) this.#nap?.()
  }
}

/** What a drive has read and taken, as it knows it. */
function watchDrive(store: LinkedStore, check: DriveCheck): DrivePorts<State>['store'] {
  return {
    pending: async (thread) => {
      const items = await store.pending(thread)
      check.read(items)
      return items
    },
    append: async (request) => {
      const receipt = await store.append(request)
      if (receipt.ok) check.consumed(request.consumed)
      return receipt
    }
  }
}
