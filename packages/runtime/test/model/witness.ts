import type { Commit, Fact } from '../../src/contracts/fact.ts'
import type { ItemId, RunId, ThreadId, WaitId } from '../../src/contracts/ids.ts'
import type { Json } from '../../src/contracts/json.ts'
import type { AppendRequest, NewItem, Receipt, Store } from '../../src/contracts/store.ts'
import type { LinkedStore } from './link.ts'

/** A rule of the protocol was broken. */
export class Violation extends Error {
  readonly rule: string

  constructor(rule: string, message: string) {
    super(`${rule}: ${message}`)
    this.rule = rule
  }
}

/** What a store has accepted for one thread, seen at the moment at which a request reached it. */
export interface WitnessedThread {
  /** The last attempt that was handed out. */
  attempt: number
  /** Attempts before it without progress. */
  idle: number
  owned: boolean
  readonly commits: Pick<Commit, 'sequence' | 'attempt' | 'at' | 'facts'>[]
  /** Ids of announced effects (`turn#try`, `call#try.leg`), with the attempt that announced them. */
  readonly announced: Map<string, number>
  /** Effects (`turn#try`, calls) whose end is recorded. */
  readonly answered: Set<string>
  readonly gated: Map<string, Extract<Fact, { type: 'call.gated' }>>
  readonly cancelled: Set<RunId>
  readonly ended: Set<RunId>
  readonly openWaits: Set<WaitId>
  readonly decisions: Map<WaitId, Json>
  /** In order of arrival, with the store's time once somebody has read them. */
  readonly items: Map<ItemId, Pick<NewItem, 'kind'> & { readonly order: number; at?: number }>
}

/** How often the interesting things happened. */
export type Tally = { [event: string]: number }

/** Stands at the store's door and keeps what was accepted: the truth that effects and logs are judged by. */
export class Witness {
  readonly threads = new Map<ThreadId, WitnessedThread>()
  readonly tally: Tally = {}
  readonly #crashBudget: number
  readonly #violate: (violation: Violation) => void

  constructor(crashBudget: number, violate: (violation: Violation) => void) {
    this.#crashBudget = crashBudget
    this.#violate = violate
  }

  count(event: string): void {
    this.tally[event] = (this.tally[event] ?? 0) + 1
  }

  thread(id: ThreadId): WitnessedThread {
    const known = this.threads.get(id)
    if (known) return known
    const made: WitnessedThread = {
      attempt: 0,
      idle: 0,
      owned: false,
      commits: [],
      announced: new Map(),
      answered: new Set(),
      gated: new Map(),
      cancelled: new Set(),
      ended: new Set(),
      openWaits: new Set(),
      decisions: new Map(),
      items: new Map()
    }
    this.threads.set(id, made)
    return made
  }

  /** The same store, watched. */
  watch(store: LinkedStore): LinkedStore {
    return {
      pending: async (thread) => {
        const items = await store.pending(thread)
        for (const { id, at } of items) Object.assign(this.thread(thread).items.get(id) ?? {}, { at })
        return items
      },
      read: (thread, from, limitBytes) => store.read(thread, from, limitBytes),
      beat: (worker, leaseMs, mine) => store.beat(worker, leaseMs, mine),
      append: async (request) => this.#appended(request, await store.append(request)),
      deliver: async (items) => this.#delivered(items, await store.deliver(items)),
      decide: async (wait, decision, by) => this.#decided(wait, decision, await store.decide(wait, decision, by)),
      claim: async (request) => {
        const claims = await store.claim(request)
        for (const claim of claims) {
          this.count(`claim ${claim.why}`)
          const thread = this.thread(claim.thread)
          thread.attempt = claim.attempt
          thread.idle = claim.idle
          thread.owned = true
        }
        return claims
      }
    }
  }

  accept(thread: ThreadId, item: Pick<NewItem, 'id' | 'kind'>): void {
    const { items } = this.thread(thread)
    items.set(item.id, { kind: item.kind, order: items.size })
  }

  #appended(request: AppendRequest, receipt: Receipt): Receipt {
    if (!receipt.ok) {
      this.count(`refused ${receipt.why}`)
      return receipt
    }
    const thread = this.thread(request.thread)
    if (receipt.repeated) {
      this.count(receipt.owned ? 'repeated' : 'repeated too late')
      return receipt
    }
    if (request.attempt !== thread.attempt) {
      this.#violate(new Violation('I3', `accepted a commit of attempt ${request.attempt} while ${thread.attempt} owns ${request.thread}`))
    }
    thread.owned = receipt.owned
    if (thread.idle >= this.#crashBudget) this.#judgeWorn(request)
    thread.idle = 0
    if (request.then === 'release') this.#released(request, receipt.owned)
    thread.commits.push({ sequence: receipt.sequence, attempt: request.attempt, at: receipt.at, facts: request.facts })
    for (const fact of request.facts) this.#note(thread, request.attempt, fact)
    return receipt
  }

  /** Where too many owners have died in a row, the next one announces nothing. */
  #judgeWorn({ thread, facts }: AppendRequest): void {
    if (facts.some((fact) => fact.type === 'wait.opened' && fact.kind === 'quarantine')) return this.count('quarantined')
    const announced = facts.find(isAnnouncement)
    if (announced) this.#violate(new Violation('quarantine', `${announced.type} in ${thread}, whose owners have died too often`))
  }

  #released(request: AppendRequest, isKept: boolean): void {
    this.count(isKept ? 'release refused' : 'released')
    const announced = request.facts.find(isAnnouncement)
    if (announced) this.#violate(new Violation('drain', `${announced.type} is announced by a worker that lets go`))
  }

  #note(thread: WitnessedThread, attempt: number, fact: Fact): void {
    if (fact.type === 'model.failed') thread.answered.add(`${fact.turn}#${fact.try}`)
    if (fact.type === 'model.responded')
      for (const id of thread.announced.keys()) if (id.startsWith(`${fact.turn}#`)) thread.answered.add(id)
    if (fact.type === 'call.settled') thread.answered.add(fact.call)
    if (fact.type === 'call.suspended') thread.answered.add(`${fact.call}.${fact.leg}`)
    if (fact.type === 'turn.started' && fact.hook === undefined) thread.announced.set(`${fact.turn}#${fact.try}`, attempt)
    else if (fact.type === 'call.started') thread.announced.set(`${fact.call}#${fact.try}.${fact.leg}`, attempt)
    else if (fact.type === 'call.gated') thread.gated.set(fact.call, fact)
    else if (fact.type === 'wait.opened') thread.openWaits.add(fact.wait)
    else if (fact.type === 'wait.resolved') thread.openWaits.delete(fact.wait)
    if (fact.type === 'run.cancelRequested') thread.cancelled.add(fact.run ?? '')
    else if (fact.type === 'run.ended') {
      thread.ended.add(fact.run ?? '')
      // A cancelled run says why in the canceller's own words.
      this.count(`ended ${[fact.status, ...(fact.why === undefined || fact.status === 'cancelled' ? [] : [fact.why])].join(' ')}`)
    } else if (fact.type === 'call.settled') this.count(`settled ${fact.outcome}`)
    else this.#countModel(fact)
  }

  #countModel(fact: Fact): void {
    if (fact.type === 'model.failed') this.count(`failed ${fact.why}`)
    else if (fact.type === 'prompts.injected') this.count('begun with prompts')
    else if (fact.type === 'message.received' && fact.interrupts !== undefined) this.count('interrupted')
    else if (fact.type === 'turn.prepared')
      this.count(fact.error ? 'request refused' : fact.context ? 'request changed' : 'request prepared')
    else if (fact.type === 'turn.started' && fact.hook !== undefined) this.count('answered by a hook')
    else if (fact.type === 'turn.started') this.#countTurn(fact)
    else if (isReview(fact)) this.#countReview(fact)
    else if (fact.type === 'call.suspended') this.count(`suspended ${fact.kind}`)
    else if (fact.type === 'call.reconciled') this.count(`reconciled ${fact.said}${fact.final ? ' at last' : ''}`)
    else if (fact.type === 'call.started') this.#countStart(fact)
    else if (fact.type === 'wait.resolved' && fact.wait.includes(':outcome:')) this.#countOutcome(fact)
    else if (fact.type === 'wait.resolved' && fact.wait.includes(':budget:')) this.count(`budget ${fact.as}`)
    else if (fact.type === 'wait.resolved' && fact.wait.includes(':timer:')) this.count(`pause ${fact.as}`)
  }

  #countTurn({ hook, moved }: Extract<Fact, { type: 'turn.started' }>): void {
    if (hook !== undefined) this.count('answered by a hook')
    if (moved) this.count(`moved ${moved.why}`)
  }

  #countReview(fact: Review): void {
    if (fact.type === 'call.reviewed') this.count(fact.seen ? 'reviewed and changed' : 'reviewed')
    else if (fact.type === 'message.admitted') this.count(`message ${fact.error ? 'refused' : fact.seen ? 'changed' : 'admitted'}`)
    else if (fact.type === 'turn.prepared') this.count(`request ${fact.error ? 'refused' : fact.context ? 'changed' : 'prepared'}`)
    else this.count(`answer ${fact.withheld ? 'withheld' : fact.seen ? 'changed' : 'reviewed'}`)
  }

  #countStart({ try: count, leg, effect }: Extract<Fact, { type: 'call.started' }>): void {
    if (leg > 1) this.count(`leg ${leg < 4 ? leg : 'beyond 3'}`)
    if (count > 1) this.count(`tried again ${effect}`)
  }

  #countOutcome({ decision }: Extract<Fact, { type: 'wait.resolved' }>): void {
    if (typeof decision === 'object' && decision !== null && 'outcome' in decision) this.count(`told ${String(decision.outcome)}`)
  }

  #delivered(items: readonly NewItem[], results: Awaited<ReturnType<Store['deliver']>>): typeof results {
    for (const [index, item] of items.entries()) {
      this.count(`delivered ${results[index]}`)
      if (results[index] === 'queued') this.accept(item.thread, item)
    }
    return results
  }

  #decided(wait: WaitId, decision: Json, decided: Awaited<ReturnType<Store['decide']>>): typeof decided {
    this.count(`decided ${decided.state}`)
    if (decided.state !== 'accepted') return decided
    const id = wait.slice(0, wait.indexOf(':'))
    const thread = this.thread(id)
    if (thread.decisions.has(wait)) this.#violate(new Violation('I5', `two decisions were accepted for ${wait}`))
    thread.decisions.set(wait, decision)
    this.accept(id, { id: `decide:${wait}`, kind: 'decision' })
    return decided
  }
}

type Review = Extract<Fact, { type: 'message.admitted' | 'turn.prepared' | 'turn.reviewed' | 'call.reviewed' }>

function isReview(fact: Fact): fact is Review {
  return fact.type === 'message.admitted' || fact.type === 'turn.prepared' || fact.type === 'turn.reviewed' || fact.type === 'call.reviewed'
}

/** What a hook answers is over with the commit that tells of it. */
function isAnnouncement(fact: Fact): boolean {
  return fact.type === 'call.started' || (fact.type === 'turn.started' && fact.hook === undefined)
}
