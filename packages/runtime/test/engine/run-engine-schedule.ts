import type { Fact } from '../../src/contracts/fact.ts'
import type { ThreadId } from '../../src/contracts/ids.ts'
import type { NewItem } from '../../src/contracts/store.ts'
import { digestJson } from '../../src/util/canonical.ts'
import type { Tally, Violation } from '../model/witness.ts'
import type { EngineHost } from './engine-host.ts'
import { Host } from './host.ts'
import { Ledger } from './ledger.ts'
import type { Job } from './work-heart.ts'
import { workRow } from './work-heart.ts'
import { World } from './world.ts'

/** What became of one schedule. */
export interface EngineScheduleResult {
  readonly violation: Violation | null
  readonly tally: Tally
  readonly steps: number
  readonly journal: readonly string[]
}

const JUDGE_EVERY_MS = 200
/** Who is not out for whatever is ready may still have been asked for it, and looks at every beat. */
const QUIET_MS = 1_400
const MAX_STEPS = 60_000
/** Long enough for the pauses of faulty threads. */
const REST_WITHIN_MS = 60_000

/** Runs the schedule of a seed to its end and judges it. */
export async function runEngineSchedule(seed: number): Promise<EngineScheduleResult> {
  const world = new World(seed)
  const schedule = new EngineSchedule(world)
  await schedule.run()
  return { violation: world.violation, tally: world.tally, steps: world.scheduler.steps, journal: world.journal }
}

class EngineSchedule {
  readonly #world: World
  readonly #ledger: Ledger
  readonly #threads: ThreadId[] = []
  readonly #hosts: Host[] = []
  readonly #slots: (Host | null)[]
  readonly #maxThreads: number
  #items = 0
  /** Engines that are about to start. */
  #starting = 0
  #isResting = false
  #isOver = false

  constructor(world: World) {
    this.#world = world
    this.#ledger = new Ledger(world, (thread, host) => this.#released(thread, host))
    this.#slots = Array.from({ length: world.random.int(2, 3) }, () => null)
    this.#maxThreads = world.random.pick([2, 6, 30])
  }

  async run(): Promise<void> {
    const world = this.#world
    this.#do(this.#act())
    this.#do(this.#watch())
    const isDone = await world.scheduler.run(() => this.#isOver || world.violation !== null, MAX_STEPS)
    if (!isDone && !world.violation) world.violate('stuck', `not over after ${world.scheduler.steps} steps`)
  }

  /** What happens to threads and engines; then the weather calms, and everything must come to rest. */
  async #act(): Promise<void> {
    const { random, scheduler, weather } = this.#world
    for (const slot of this.#slots.keys()) this.#startHost(slot)
    const acts = random.int(5, 60)
    const paceMs = random.pick([0, 20, 100, 300])
    for (let act = 0; act < acts; act++) {
      await scheduler.sleep(null, random.int(0, paceMs))
      do this.#actOnce()
      while (random.chance(0.2))
    }
    this.#isResting = true
    weather.lost = 0
    weather.late = 0
    await this.#rest()
  }

  #actOnce(): void {
    const { random } = this.#world
    const thread = this.#threads[random.int(0, Math.max(0, this.#threads.length - 1))]
    const host = this.#awake()
    const luck = random.next()
    if (thread === undefined || (luck < 0.35 && this.#threads.length < this.#maxThreads)) this.#do(this.#start(host))
    else if (luck < 0.72) this.#do(this.#message(thread, host))
    else if (luck < 0.78) host?.wake(thread)
    else if (luck < 0.9) this.#do(this.#acquire(thread, host))
    else this.#disturb(random.int(0, this.#slots.length - 1))
  }

  /** An engine stops, dies or stands still; another may take its place. */
  #disturb(slot: number): void {
    const world = this.#world
    const { random, scheduler } = world
    const host = this.#slots[slot]
    if (!host) return this.#startHost(slot)
    if (!host.isAwake || host.isStopping) return
    const luck = world.isRough ? random.next() : 0
    if (luck < 0.5) {
      this.#slots[slot] = null
      this.#do(host.stop(random.pick([0, 0, 50, 500, 3_000])))
    } else if (luck < 0.7) {
      world.note('killed', host.name)
      world.trouble()
      host.process.dead = true
      host.goneAt = world.now
      this.#slots[slot] = null
    } else {
      host.process.stoppedUntil = world.now + random.pick([200, world.leaseMs * 0.8, world.leaseMs * 1.5])
      host.troubledAt = host.process.stoppedUntil
      world.note('stands still', `${host.name} until ${host.process.stoppedUntil}`)
      world.trouble(host.process.stoppedUntil + 10)
    }
    if (this.#slots[slot] !== null || random.chance(0.3)) return
    this.#starting++
    scheduler.after(null, random.int(0, 1_500), () => {
      this.#starting--
      this.#startHost(slot)
    })
  }

  #startHost(slot: number): void {
    const { random } = this.#world
    if (this.#slots[slot] || this.#isOver) return
    const recover = random.chance(0.4)
    const needs = random.chance(0.7) ? ['tool:a'] : []
    const host = new Host(this.#world, this.#ledger, `${recover ? 'r' : 'e'}${this.#hosts.length}`, { recover, needs })
    this.#world.note('engine', `${host.name} with ${host.concurrency} places${needs.length > 0 ? ' and the tool' : ''}`)
    this.#slots[slot] = host
    this.#hosts.push(host)
  }

  /** By an engine's API, or straight into the store. */
  async #start(host: Host | null): Promise<void> {
    const { random, inner } = this.#world
    const needs = random.chance(0.15) ? ['tool:a'] : []
    const id = `thr_${this.#threads.length}${random.chance(0.1) ? `_broken${random.int(1, 3)}` : ''}`
    const created: Fact = { v: 1, type: 'thread.created', publication: 'sha256:p', grants: null, rules: [], root: id, depth: 0 }
    const first = this.#item(id, 'start')
    this.#threads.push(id)
    this.#ledger.created(id, needs, first)
    this.#world.note('started', `${id} by ${host?.name ?? 'nobody'}`)
    await inner.create({ tenant: 'default', id, root: id, path: '', created, first, row: workRow(needs) })
    this.#wake(id, host)
  }

  async #message(thread: ThreadId, host: Host | null): Promise<void> {
    const item = this.#item(thread, this.#world.random.chance(0.2) ? 'event' : 'message')
    this.#ledger.accepted(item)
    this.#world.note('message', `${item.id} to ${thread} by ${host?.name ?? 'nobody'}: ${JSON.stringify(item.body)}`)
    await this.#world.inner.deliver([item])
    this.#wake(thread, host)
  }

  /** Now and then something comes just then, before the answer. */
  #released(thread: ThreadId, by: EngineHost): void {
    const { random, scheduler } = this.#world
    const host = this.#hosts.find((each) => each === by)
    if (this.#isResting || !host || random.chance(0.8)) return
    scheduler.after(null, random.int(0, 3), () => this.#do(this.#message(thread, host)))
  }

  async #acquire(thread: ThreadId, host: Host | null): Promise<void> {
    const { random, inner } = this.#world
    const owner = (await inner.thread(thread))?.owner?.worker
    await host?.acquire(thread, random.pick<boolean | string>([false, false, true, owner ?? 'nobody', 'somebody else']))
  }

  #wake(thread: ThreadId, host: Host | null): void {
    if (host?.isAwake && !host.isStopping) host.wake(thread)
  }

  #item(thread: ThreadId, kind: 'start' | 'message' | 'event'): NewItem {
    const { random } = this.#world
    const body: Job = {
      workMs: random.pick([null, 0, 5, 40, 40, random.int(100, 1_500)]),
      restMs: random.pick([null, null, 1, 30, 700, 2_500])
    }
    return { id: `item_${this.#items++}`, thread, kind, from: { kind: 'person', id: 'ada' }, digest: digestJson(body), body }
  }

  /** The engine whose API is called; null for none of these. */
  #awake(): Host | null {
    const { random } = this.#world
    const awake = this.#hosts.filter((host) => host.isAwake && !host.isStopping)
    return random.chance(0.25) ? null : (awake[random.int(0, Math.max(0, awake.length - 1))] ?? null)
  }

  async #rest(): Promise<void> {
    const world = this.#world
    const { random, scheduler } = world
    if (random.chance(0.6)) this.#hosts.push(new Host(world, this.#ledger, `r${this.#hosts.length}`, { recover: true, needs: ['tool:a'] }))
    const until = Math.max(world.now, world.troubledUntil) + REST_WITHIN_MS
    for (let quietMs = 0; quietMs < QUIET_MS; quietMs = this.#isBusy() ? 0 : quietMs + JUDGE_EVERY_MS) {
      if (world.now > until) return world.violate('stuck', 'the engines do not come to rest')
      await scheduler.sleep(null, JUDGE_EVERY_MS)
    }
    // Nothing is to be done any more; who polls for another's thread sees it now.
    await scheduler.sleep(null, world.leaseMs + 2_500)
    if (this.#isBusy()) return world.violate('rest', 'something began without a reason')
    for (const host of this.#hosts) if (host.isAwake && !host.isStopping && !host.recover) host.mustHoldNothing('rest')
    await this.#judgeLeft()
    await Promise.all(this.#hosts.filter((host) => host.isAwake && !host.isStopping).map((host) => host.stop(0)))
    // Who has stopped stays quiet.
    await scheduler.sleep(null, 3_000)
    this.#isOver = true
  }

  #isBusy(): boolean {
    const isDriving = this.#hosts.some((host) => {
      if (host.process.dead || host.hasStopped) return false
      return host.isStopping || host.drives.size > 0 || this.#ledger.ownedBy(host).length > 0
    })
    const { now, troubledUntil, leaseMs } = this.#world
    // What an engine left behind is taken up after its lease.
    const isTroubled = now <= Math.max(troubledUntil, ...this.#hosts.map((host) => host.goneAt + leaseMs + 1_000))
    return isDriving || isTroubled || this.#starting > 0 || this.#ledger.judge(this.#hosts) || this.#ledger.hasTimers
  }

  /** Where an engine is out for whatever is ready, every item is consumed. */
  async #judgeLeft(): Promise<void> {
    for (const thread of this.#threads) {
      const { needs } = this.#ledger.account(thread)
      const isServed = this.#hosts.some((host) => host.isAwake && host.recover && needs.every((need) => host.needs.includes(need)))
      const info = await this.#world.inner.thread(thread)
      if (isServed && info?.pending !== 0) this.#world.violate('I15', `${thread} rests with ${info?.pending} items`)
      if (isServed && info?.owner) this.#world.violate('rest', `${thread} rests and is owned by ${info.owner.worker}`)
    }
  }

  async #watch(): Promise<void> {
    const world = this.#world
    while (!this.#isOver && world.violation === null) {
      await world.scheduler.sleep(null, JUDGE_EVERY_MS)
      this.#ledger.judge(this.#hosts)
      for (const host of this.#hosts) {
        host.judgeBeat()
        this.#judgeStop(host)
      }
    }
  }

  #judgeStop(host: Host): void {
    const world = this.#world
    if (host.stopsBy === null || host.hasStopped || host.process.dead) return
    const since = Math.max(host.stopsBy, world.troubledUntil)
    if (world.now - since > world.leaseMs + 1_000) world.violate('stop', `${host.name} does not stop`)
  }

  #do(work: Promise<void>): void {
    work.catch((error: unknown) => this.#world.violate('threw', error instanceof Error ? (error.stack ?? error.message) : String(error)))
  }
}
