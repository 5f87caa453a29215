import type { ThreadId } from '../../src/contracts/ids.ts'
import { checkLog } from './check-log.ts'
import { checkMoney } from './check-money.ts'
import { checkRest } from './check-rest.ts'
import { Clients } from './clients.ts'
import { toLogText } from './log-text.ts'
import type { Sabotage } from './model.ts'
import { Model } from './model.ts'
import type { Tally } from './witness.ts'
import { Violation } from './witness.ts'
import { Worker } from './worker.ts'

/** What became of one schedule. */
export interface ScheduleResult {
  readonly violation: Violation | null
  readonly tally: Tally
  readonly steps: number
  readonly commits: number
  /** The logs, for people: made only when something was violated. */
  readonly dump: string
}

const WORKERS = 2
/** In the time of the model, after the last thing that was done to it. */
const REST_WITHIN_MS = 60_000
const DRAIN_WITHIN_MS = 8_000
const MAX_STEPS = 40_000

/** Runs the schedule of a seed to its end and judges it. */
export async function runSchedule(seed: number, sabotage: Sabotage = {}): Promise<ScheduleResult> {
  const model = new Model(seed, sabotage)
  const threads: ThreadId[] = model.random.chance(0.15) ? ['thr_a', 'thr_b'] : ['thr_a']
  const schedule = new Schedule(model, threads)
  try {
    await schedule.run()
  } catch (error) {
    model.violate(error)
  }
  const { violation, witness, scheduler } = model
  return {
    violation,
    tally: witness.tally,
    steps: scheduler.steps,
    commits: [...witness.threads.values()].reduce((sum, thread) => sum + thread.commits.length, 0),
    dump: violation ? toLogText(model) : ''
  }
}

class Schedule {
  readonly #model: Model
  readonly #threads: readonly ThreadId[]
  readonly #workers = new Map<number, Worker>()
  readonly #clients: Clients
  /** Some waits are left open for good: then a thread rests as waiting. */
  readonly #abandons: boolean
  #isOver = false

  constructor(model: Model, threads: readonly ThreadId[]) {
    this.#model = model
    this.#threads = threads
    this.#abandons = model.random.chance(0.08)
    this.#clients = new Clients(model, (thread) => {
      for (const worker of this.#workers.values()) if (model.random.chance(0.8)) worker.hint(thread)
    })
  }

  async run(): Promise<void> {
    const model = this.#model
    for (const thread of this.#threads) await this.#clients.create(thread)
    for (let slot = 0; slot < WORKERS; slot++) this.#startWorker(slot, 0)
    for (const id of ['ann', 'bob']) this.#do(this.#clients.decide(this.#threads, { kind: 'person', id }, () => this.#isDeciderDone()))
    this.#do(this.#trouble())
    const isDone = await model.scheduler.run(() => this.#isOver || model.violation !== null, MAX_STEPS)
    if (model.violation) return
    if (!isDone) throw new Violation('stuck', `not at rest after ${model.scheduler.steps} steps`)
    for (const thread of this.#threads) {
      checkLog(model, thread)
      checkMoney(model, thread)
      await checkRest(model, thread)
    }
  }

  /** What is done to the threads and to the workers; then the weather calms and everything must come to rest. */
  async #trouble(): Promise<void> {
    const { random, scheduler, weather } = this.#model
    const acts = random.int(0, 7)
    const pending: Promise<void>[] = []
    const paceMs = random.pick([40, 150, 400, 900])
    for (let act = 0; act < acts; act++) {
      await scheduler.sleep(null, random.int(0, paceMs))
      pending.push(this.#act())
    }
    await Promise.all(pending)
    if (random.chance(0.5)) await scheduler.sleep(null, random.int(0, 1_000))
    weather.rough = false
    this.#do(this.#judgeRest(scheduler.now + REST_WITHIN_MS))
  }

  async #act(): Promise<void> {
    const { random, scheduler } = this.#model
    const thread = random.pick([this.#threads[0] ?? '', ...this.#threads])
    const slot = random.int(0, WORKERS - 1)
    const worker = this.#workers.get(slot)
    const luck = random.next()
    if (this.#model.publication.definition.budget && random.chance(0.2)) return this.#clients.send(thread, 'budget')
    if (luck < 0.25 || !worker) return this.#clients.send(thread, 'message')
    if (luck < 0.4) return this.#clients.send(thread, 'interrupt')
    if (luck < 0.55) return this.#clients.send(thread, 'cancel')
    if (luck < 0.72) return this.#kill(slot, worker)
    if (luck < 0.88) {
      worker.process.stoppedUntil = scheduler.now + random.pick([50, 500, 1_100, 1_500, 3_000])
      this.#model.witness.count('stopped')
      return
    }
    if (!worker.stopping) this.#do(this.#drain(slot, worker))
  }

  #kill(slot: number, worker: Worker): Promise<void> {
    if (worker.process.dead) return Promise.resolve()
    worker.process.dead = true
    this.#model.witness.count('killed')
    this.#startWorker(slot, this.#model.random.int(5, 900))
    return Promise.resolve()
  }

  async #drain(slot: number, worker: Worker): Promise<void> {
    const { random, scheduler, witness } = this.#model
    const graceMs = random.pick([0, 20, 100, 400])
    witness.count('drained')
    // A signal reaches a stopped process when it goes on.
    await scheduler.sleep(worker.process, 1)
    worker.drain(graceMs)
    let waitedMs = 0
    while (!worker.isIdle && !worker.process.dead) {
      if (waitedMs > DRAIN_WITHIN_MS) throw new Violation('drain', `${worker.process.name} does not let go`)
      await scheduler.sleep(worker.process, 50)
      waitedMs += 50
    }
    if (!worker.process.dead) await this.#kill(slot, worker)
  }

  #startWorker(slot: number, delayMs: number): void {
    const model = this.#model
    model.scheduler.after(null, delayMs, () => {
      const worker = new Worker(model, `w${slot}@${model.scheduler.now}`)
      this.#workers.set(slot, worker)
      worker.start()
    })
  }

  async #judgeRest(until: number): Promise<void> {
    const { scheduler } = this.#model
    while (!(await this.#isAtRest())) {
      if (scheduler.now > until) throw new Violation('stuck', `not at rest ${REST_WITHIN_MS} ms after the last disturbance`)
      await scheduler.sleep(null, 60)
    }
    this.#isOver = true
  }

  async #isAtRest(): Promise<boolean> {
    const { inner, witness } = this.#model
    for (const id of this.#threads) {
      const { owned, openWaits } = witness.thread(id)
      if (owned || (openWaits.size > 0 && !this.#abandons)) return false
      const info = await inner.thread(id)
      const items = await inner.pending(id)
      // A long pause is a wait, and nobody ends it here before its time.
      const isPaused = [...openWaits].some((wait) => wait.includes(':timer:'))
      if ((info?.timerAt !== undefined && !isPaused) || items.some((item) => item.state === 'fresh')) return false
    }
    return true
  }

  #isDeciderDone(): boolean {
    return this.#isOver || (this.#abandons && !this.#model.weather.rough)
  }

  #do(work: Promise<void>): void {
    work.catch((error: unknown) => this.#model.violate(error))
  }
}
