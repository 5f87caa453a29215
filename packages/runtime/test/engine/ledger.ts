import type { ThreadId } from '../../src/contracts/ids.ts'
import type { Claim, ClaimRequest } from '../../src/contracts/claim.ts'
import type { AppendRequest, NewItem, Receipt } from '../../src/contracts/store.ts'
import type { EngineHost } from './engine-host.ts'
import type { World } from './world.ts'

/** Something that must lead to progress: an item, or a timer that is due. */
interface Debt {
  readonly id: string
  readonly thread: ThreadId
  /** From when on it is owed: now, or when the timer is due. */
  readonly from: number
  /** Since when nothing excuses that it is not done. */
  since: number
  /** Engines without recovery that were asked for it, or have set the timer. */
  readonly askers: Set<EngineHost>
}

interface Account {
  readonly needs: readonly string[]
  worker: string | null
  attempt: number
  throws: number
  pausesUntil: number
}

/** Time for the requests that a step takes, and for the step of the judge. */
const SLACK_MS = 400

/** Stands at the store's door: what was accepted, what was done, and what is owed (I15). */
export class Ledger {
  readonly threads = new Map<ThreadId, Account>()
  readonly #debts = new Map<string, Debt>()
  readonly #hosts = new Map<string, EngineHost>()
  readonly #world: World
  readonly #released: (thread: ThreadId, host: EngineHost) => void

  /** `released`: an engine has put a thread to rest, and does not know it yet. */
  constructor(world: World, released: (thread: ThreadId, host: EngineHost) => void) {
    this.#world = world
    this.#released = released
  }

  account(thread: ThreadId): Account {
    const known = this.threads.get(thread)
    if (!known) throw new Error(`nobody made ${thread}`)
    return known
  }

  created(thread: ThreadId, needs: readonly string[], first: NewItem): void {
    this.threads.set(thread, { needs, worker: null, attempt: 0, throws: 0, pausesUntil: 0 })
    this.accepted(first)
  }

  accepted(item: NewItem): void {
    const { now } = this.#world
    this.#debts.set(item.id, { id: item.id, thread: item.thread, from: now, since: now, askers: new Set() })
  }

  asked(thread: ThreadId, host: EngineHost): void {
    for (const debt of this.#debts.values()) if (debt.thread === thread && debt.from <= this.#world.now) debt.askers.add(host)
  }

  claimed(host: EngineHost, request: ClaimRequest, claim: Claim): void {
    const account = this.account(claim.thread)
    this.#hosts.set(request.worker, host)
    const { takeover = false } = request
    if (claim.why === 'takeover' && takeover !== true && takeover !== account.worker) {
      this.#world.violate('takeover', `${request.worker} took ${claim.thread} from ${account.worker}, asked for ${takeover}`)
    }
    this.#world.note(`claimed ${claim.why}`, `${claim.thread}#${claim.attempt} by ${request.worker}`)
    account.worker = request.worker
    account.attempt = claim.attempt
    this.#debts.delete(`timer:${claim.thread}`)
  }

  appended(host: EngineHost, request: AppendRequest, receipt: Receipt): void {
    if (!receipt.ok || receipt.repeated) return
    const { thread, timer } = request
    // What was seen and put aside is owed by the timer, or by the end of what runs.
    for (const id of [...request.consumed, ...request.deferred]) this.#debts.delete(id)
    if (receipt.owned) return
    this.account(thread).worker = null
    this.#world.note('released', `${thread}#${request.attempt}, timer ${JSON.stringify(timer)}`)
    this.#released(thread, host)
    if (!timer) return
    const due = timer.at ?? receipt.at + (timer.inMs ?? 0)
    const from = this.#world.now + Math.max(0, due - this.#world.storeNow)
    const askers = new Set(timer.at === undefined ? [] : [host])
    this.#debts.set(`timer:${thread}`, { id: `timer:${thread}`, thread, from, since: from, askers })
  }

  /** A drive here ended with an error: who is not out for whatever is ready has done its part. */
  threw(thread: ThreadId, host: EngineHost): void {
    const account = this.account(thread)
    account.throws++
    account.pausesUntil = this.#world.now + Math.min(60_000, 1_000 * 2 ** (account.throws - 1))
    for (const debt of this.#debts.values()) if (debt.thread === thread) debt.askers.delete(host)
  }

  /** Whether this host is still the owner, as far as the store goes. */
  isOwner(host: EngineHost, thread: ThreadId, attempt: number): boolean {
    const { worker, attempt: last } = this.account(thread)
    return worker !== null && this.#hosts.get(worker) === host && last === attempt
  }

  ownedBy(host: EngineHost): readonly ThreadId[] {
    return [...this.threads].filter(([, { worker }]) => worker !== null && this.#hosts.get(worker) === host).map(([thread]) => thread)
  }

  /** Judges what is owed now. True when somebody still has something to do. */
  judge(hosts: readonly EngineHost[]): boolean {
    const { now, troubledUntil, leaseMs } = this.#world
    let isOpen = false
    for (const debt of this.#debts.values()) {
      if (debt.from > now) continue
      const { pausesUntil } = this.account(debt.thread)
      if (this.#isExcused(debt, hosts)) debt.since = now
      else isOpen = true
      debt.since = Math.max(debt.since, debt.from, troubledUntil, pausesUntil)
      if (now - debt.since <= leaseMs + 1_000 + SLACK_MS) continue
      this.#world.violate('I15', `${debt.id} of ${debt.thread} is not done since ${debt.since}: ${this.#told(debt, hosts)}`)
    }
    return isOpen
  }

  /** Whether a timer of a thread is still to come. */
  get hasTimers(): boolean {
    return [...this.#debts.values()].some((debt) => debt.from > this.#world.now)
  }

  #isExcused(debt: Debt, hosts: readonly EngineHost[]): boolean {
    const { worker } = this.account(debt.thread)
    const owner = worker === null ? undefined : this.#hosts.get(worker)
    if (owner?.isStopping) return true
    return !hosts.some((host) => this.#owes(host, debt))
  }

  #owes(host: EngineHost, debt: Debt): boolean {
    if (!host.isAwake || host.isStopping) return false
    if (host.drives.has(debt.thread)) return true
    if (!this.account(debt.thread).needs.every((need) => host.needs.includes(need))) return false
    return (host.recover || debt.askers.has(host)) && host.drives.size < host.concurrency
  }

  #told(debt: Debt, hosts: readonly EngineHost[]): string {
    const { worker, attempt } = this.account(debt.thread)
    const owing = hosts.filter((host) => this.#owes(host, debt)).map((host) => host.name)
    return `owned by ${worker} at #${attempt}, owed by ${owing.join(', ')}`
  }
}
