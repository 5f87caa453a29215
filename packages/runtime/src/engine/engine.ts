// Keeps I15: every accepted request leads to progress within the lease and a second when this worker can take it.
import type { Fact } from '../contracts/fact.ts'
import { FORMAT } from '../contracts/fact.ts'
import type { Ms, ThreadId } from '../contracts/ids.ts'
import type { Claim } from '../contracts/claim.ts'
import type { AppendRequest, Receipt } from '../contracts/store.ts'
import type { DriveEnd } from '../loop/drive.ts'
import { drive } from '../loop/drive.ts'
import { errorMessage } from '../util/error-message.ts'
import { Bell } from './bell.ts'
import type { EngineOptions } from './engine-options.ts'
import { FaultyThreads } from './faulty-threads.ts'
import { Lease } from './lease.ts'
import { RestTimers } from './rest-timers.ts'
import { WantedThreads } from './wanted-threads.ts'
import { createWorkerId } from './worker-id.ts'

/** How many of the threads that were asked for are claimed at a time. */
const MAX_ASKED = 1_000

/** `isLimited`: more may be ready, for which there was no place, or which nobody is given whose lease has run out. */
type Claimed = { readonly claims: readonly Claim[]; readonly isLimited: boolean }

/** Drives threads in this process: claims, beats, timers, drain. */
export class Engine<State> {
  readonly #options: EngineOptions<State>
  readonly #lease: Lease
  readonly #drives = new Map<ThreadId, { readonly bell: Bell; readonly ended: Promise<void> }>()
  readonly #wanted = new WantedThreads()
  readonly #faulty = new FaultyThreads()
  readonly #timers = new RestTimers()
  #stopping = false
  #claiming: Promise<void> | null = null
  #claimAgain = false
  /** The last claim asked for. */
  #claimed: Promise<unknown> = Promise.resolve()
  #pulse: Promise<void> | null = null
  #pulseNow: AbortController = new AbortController()
  /** False while the pulse sleeps for a timer alone: new work must shorten its sleep. */
  #isPulseBusy = false
  #hints: Disposable | null = null

  constructor(options: EngineOptions<State>) {
    this.#options = options
    this.#lease = new Lease(options.clock, options.leaseMs, () => createWorkerId(options.ids))
    if (options.recover) this.#sweepSoon()
  }

  /** Drives the thread when it is ready: at once when it is driven here, else as soon as it can be claimed. */
  wake(thread: ThreadId): void {
    const driven = this.#drives.get(thread)
    if (driven) return driven.bell.ring('items')
    if (this.#stopping || this.#options.concurrency === 0) return
    this.#wanted.add(thread)
    this.#sweepSoon()
  }

  /** Claims one thread now. True when it is driven here afterwards. */
  async acquire(thread: ThreadId, options: { readonly takeover: boolean | string }): Promise<boolean> {
    if (this.#drives.has(thread)) return true
    const { claims } = await this.#claim([thread], options.takeover).catch((error: unknown) => {
      // It may be ours in the store: nobody else could take it up.
      this.wake(thread)
      throw error
    })
    return claims.length > 0 || this.#drives.has(thread)
  }

  /** As whom it claims now. */
  get worker(): string {
    return this.#lease.worker
  }

  isDriving(thread: ThreadId): boolean {
    return this.#drives.has(thread)
  }

  /** Whether it is driven here, or is as soon as it can be. */
  attends(thread: ThreadId): boolean {
    return this.#options.recover || this.#drives.has(thread) || this.#wanted.has(thread) || this.#timers.has(thread)
  }

  /** Starts nothing new, lets running effects end for `graceMs`, then lets them go; releases every thread. */
  async stop(graceMs: Ms): Promise<void> {
    this.#stopping = true
    this.#pulseNow.abort()
    for (const { bell } of this.#drives.values()) bell.ring('outcome')
    const late = this.#options.clock.alarm(graceMs, () => {
      for (const { bell } of this.#drives.values()) bell.ring('stop')
    })
    // What was claimed at the last moment is let go at once.
    await this.#claimed
    while (this.#drives.size > 0) await Promise.all([...this.#drives.values()].map((each) => each.ended))
    late.stop()
    await this.#claiming
    this.#listen(false)
    this.#pulseNow.abort()
    await this.#pulse
  }

  #sweepSoon(): void {
    if (this.#claiming !== null) {
      this.#claimAgain = true
      return
    }
    this.#claiming = this.#sweep().finally(() => {
      this.#claiming = null
      if (!this.#claimAgain) return
      this.#claimAgain = false
      this.#sweepSoon()
    })
  }

  async #sweep(): Promise<void> {
    // Requests of one turn of the event loop are claimed together.
    await Promise.resolve()
    const asked = this.#wanted.first(MAX_ASKED)
    try {
      const { claims, isLimited } = await this.#claim(this.#options.recover ? null : [...asked.keys()], false)
      if (claims.length > 0 && this.#options.recover) this.#claimAgain = true
      // Where places ran out nothing is known of the rest: they are tried again when one is free.
      if (!isLimited) await this.#forget(asked)
      this.#options.asked(null)
    } catch (error) {
      this.#options.asked(error)
    }
    this.#startPulse()
  }

  /** One claim at a time: a thread that is claimed and not yet driven would be handed out to this worker again. */
  #claim(only: readonly ThreadId[] | null, takeover: boolean | string): Promise<Claimed> {
    const claims = this.#claimed.then(() => this.#claimNow(only, takeover))
    this.#claimed = claims.catch(() => {})
    return claims
  }

  async #claimNow(only: readonly ThreadId[] | null, takeover: boolean | string): Promise<Claimed> {
    const { store, concurrency, leaseMs, clock } = this.#options
    const max = concurrency - this.#drives.size
    if (this.#stopping || max <= 0) return { claims: [], isLimited: true }
    if (only?.length === 0) return { claims: [], isLimited: false }
    if (this.#drives.size === 0) this.#lease.refresh()
    const since = clock.monotonic()
    const lease = this.#drives.size === 0 ? null : this.#lease.current()
    const claims = await store.claim({
      worker: this.#lease.worker,
      leaseMs,
      max,
      not: [...this.#drives.keys(), ...(only ? [] : this.#faulty.pausing(since))],
      can: { format: FORMAT, needs: this.#options.needs() },
      takeover,
      ...(only ? { only } : {})
    })
    if (claims.length > 0) this.#lease.extend(since)
    for (const claim of claims) this.#drive(claim)
    if (claims.length > 0) this.#startPulse()
    return { claims, isLimited: claims.length >= max || lease?.holds() === false }
  }

  /** Asked-for threads that rest are not ours to watch, but for their timers; those that another worker owns are tried again, behind the others. */
  async #forget(asked: ReadonlyMap<ThreadId, number>): Promise<void> {
    for (const [thread, asking] of asked) {
      if (!this.#wanted.isLast(thread, asking)) continue
      const info = await this.#options.store.thread(thread)
      const isOwned = info?.owner !== undefined && info.owner.worker !== this.#lease.worker
      const found = this.#wanted.looked(thread, asking, { isOwned })
      if (found === 'free' || (found === 'gone' && asked.size === MAX_ASKED)) this.#claimAgain = true
      // What cannot be driven here would be due for ever.
      const canDrive = info?.row.needs.every((need) => this.#options.needs().includes(need))
      if (found === 'gone' && canDrive && info?.timerAt !== undefined) this.#timers.set(thread, info.timerAt)
    }
  }

  #drive(claim: Claim): void {
    const { thread } = claim
    const { clock } = this.#options
    const bell = new Bell(clock)
    const lease = this.#lease.current()
    this.#wanted.delete(thread)
    this.#timers.delete(thread)
    const ended = drive(claim, {
      ...this.#options.heart,
      store: { append: (request) => this.#append(request), pending: (each) => this.#options.store.pending(each) },
      clock,
      worker: lease.worker,
      crashBudget: this.#options.crashBudget,
      load: (each) => this.#options.load(each),
      perform: (action, state, done) => {
        const settle = (facts: readonly Fact[]): void => {
          done(facts)
          bell.ring('outcome')
        }
        return this.#options.perform(action, state, settle, lease.mayBegin)
      },
      wake: (_claim, until) => bell.sleep(until === null ? null : Math.max(1, until - lease.storeNow())),
      announce: (request, receipt) => this.#options.announce(request, receipt),
      stopping: () => this.#stopping,
      leaseHolds: () => lease.holds(),
      mayBegin: () => lease.mayBegin()
    })
      .catch((error: unknown) =>
        this.#faulty.letGo(claim, error, this.#options, (pauseMs) => this.#timers.set(thread, lease.storeNow() + pauseMs))
      )
      .then((end) => this.#end(thread, bell, end, lease.worker))
    this.#drives.set(thread, { bell, ended })
  }

  #end(thread: ThreadId, bell: Bell, end: DriveEnd | { readonly error: unknown }, worker: string): void {
    this.#drives.delete(thread)
    if (typeof end !== 'object') this.#faulty.delete(thread)
    this.#options.ended(thread, end, worker)
    // Something came between the release and this line.
    if (bell.isRung('items')) this.wake(thread)
    // A thread that was lost is watched until its new owner is done: there may be none.
    if (end === 'lost') this.#wanted.add(thread)
    // A slot is free.
    if (this.#wanted.size > 0 || this.#options.recover) this.#sweepSoon()
  }

  /** Every release may set a timer, also one that has nothing to announce. */
  async #append(request: AppendRequest): Promise<Receipt> {
    const since = this.#options.clock.monotonic()
    const receipt = await this.#options.store.append(request)
    this.#lease.hear(receipt.now, since)
    if (receipt.ok && !receipt.owned && request.timer?.at !== undefined) this.#timers.set(request.thread, request.timer.at)
    return receipt
  }

  #startPulse(): void {
    if (this.#pulse !== null && !this.#isPulseBusy) this.#pulseNow.abort()
    this.#pulse ??= this.#beatUntilIdle().finally(() => {
      this.#pulse = null
      // Something may have begun since its last look.
      if (this.#drives.size > 0 || (this.#wanted.size > 0 && !this.#stopping)) this.#startPulse()
    })
  }

  /** One timer for everything: the heartbeat while something is driven or wanted, and the earliest timer of a resting thread. */
  async #beatUntilIdle(): Promise<void> {
    while (!this.#stopping || this.#drives.size > 0) {
      const isBusy = this.#drives.size > 0 || this.#wanted.size > 0 || this.#options.recover
      const due = this.#stopping ? null : this.#timers.next(this.#lease.current().storeNow())
      if (!isBusy && due === null) break
      this.#isPulseBusy = isBusy
      this.#listen(isBusy)
      const pauseMs = Math.min(isBusy ? this.#lease.beatMs : Number.POSITIVE_INFINITY, due ?? Number.POSITIVE_INFINITY)
      await this.#options.clock.sleep(pauseMs, this.#pulseNow.signal)
      if (this.#pulseNow.signal.aborted) this.#pulseNow = new AbortController()
      await this.#beat()
      if (!this.#stopping) this.#lookAgain()
    }
    this.#listen(false)
  }

  #lookAgain(): void {
    for (const thread of this.#timers.take(this.#lease.current().storeNow())) this.wake(thread)
    if (this.#wanted.size > 0 || this.#options.recover) this.#sweepSoon()
  }

  async #beat(): Promise<void> {
    const { store, clock, leaseMs, logger } = this.#options
    if (this.#drives.size === 0) return
    const mine = new Map(this.#drives)
    const since = clock.monotonic()
    const { worker } = this
    try {
      const beat = await store.beat(worker, leaseMs, [...mine.keys()])
      this.#lease.hear(beat.now, since)
      // It says nothing of what is held under a name that was taken since then.
      if (worker !== this.worker) return
      if (!beat.alive) return this.#loseAll()
      this.#lease.extend(since)
      for (const thread of beat.fresh) this.#drives.get(thread)?.bell.ring('items')
      // Who was claimed again since then is not lost.
      for (const thread of beat.lost) mine.get(thread)?.bell.ring('lost')
    } catch (error) {
      logger.warn('the heartbeat did not reach the store', { error: errorMessage(error) })
      if (!this.#lease.current().holds()) this.#loseAll()
    }
  }

  /** The lease is over: what runs here is no longer ours, and the name is burnt. */
  #loseAll(): void {
    for (const { bell } of this.#drives.values()) bell.ring('lost')
    this.#lease.renew()
  }

  /** Other processes are noticed through the store's hints only while something is driven or wanted here. */
  #listen(wanted: boolean): void {
    if (wanted === (this.#hints !== null)) return
    this.#hints?.[Symbol.dispose]()
    this.#hints = wanted ? this.#options.store.hint((thread) => this.#hinted(thread)) : null
  }

  #hinted(thread: ThreadId | null): void {
    if (thread === null) this.#pulseNow.abort()
    // What is driven here learns of its items by `wake`, by its receipts and by the beat: the store also hints at our own commits.
    else if (this.#options.recover && !this.#drives.has(thread) && !this.#stopping) this.#sweepSoon()
  }
}
