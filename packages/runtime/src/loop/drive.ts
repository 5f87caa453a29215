// Keeps I3 (every write names attempt and sequence), I4 (effects start after the commit that announces them), I5, I7, I10, I11 (announced
// only when committed). One call is one attempt. It never learns what an agent is.
import type { Clock } from '../contracts/clock.ts'
import type { Fact } from '../contracts/fact.ts'
import type { Action, Heart, Outcome, Running } from '../contracts/heart.ts'
import type { Ms } from '../contracts/ids.ts'
import type { Claim } from '../contracts/claim.ts'
import type { AppendRequest, InboxItem, Receipt, Store } from '../contracts/store.ts'
import type { Draft } from './draft.ts'
import { fitting, startDraft } from './draft.ts'
import { RunningEffects } from './running-effects.ts'
import { untilKnown } from './until-known.ts'

/** Why a sleeping drive woke. */
export type WakeReason = 'outcome' | 'items' | 'timer' | 'lost' | 'stop'

/** What the driver needs; everything that touches the world stands behind it. */
export interface DrivePorts<State> extends Heart<State> {
  readonly store: Pick<Store, 'append' | 'pending'>
  readonly clock: Clock
  readonly worker: string
  /** How many attempts in a row may end without progress. */
  readonly crashBudget: number
  /** Folds the log of the claimed thread. */
  load(claim: Claim): Promise<{ readonly state: State; readonly head: number }>
  /** Starts one effect. Never throws; ends in exactly one `done`, also when it is aborted. */
  perform(action: Action, state: State, done: (facts: readonly Fact[]) => void): Running
  /** Sleeps until something may have changed. An outcome that came before the call is not missed. */
  wake(claim: Claim, until: Ms | null): Promise<WakeReason>
  /** Shows what was committed. Must not throw. */
  announce(request: AppendRequest, receipt: Extract<Receipt, { ok: true }>): void
  stopping(): boolean
  leaseHolds(): boolean
  /** Whether effects may begin. Never when the lease does not hold. */
  mayBegin(): boolean
}

/** How a drive ended: at rest and released, given up because another worker owns the thread, or let go by a stopping worker. */
export type DriveEnd = 'rested' | 'lost' | 'drained'

/** Drives one attempt: commits what follows, makes the world match the plan, sleeps; until the thread rests or is lost. */
export async function drive<State>(claim: Claim, ports: DrivePorts<State>): Promise<DriveEnd> {
  const loaded = await untilKnown(() => ports.load(claim), ports)
  return loaded === 'lease_over' ? 'lost' : new Drive(claim, ports, loaded).run()
}

/** How soon to look again when the lease forbids to start what is announced: it is extended, or the thread is lost. */
const LEASE_PAUSE_MS = 250

/** What comes next. */
type Step<State> = DriveEnd | 'again' | Committing<State> | 'asleep' | 'inbox' | 'reload'

/** What is committed next, until the store is heard of. */
class Committing<State> {
  readonly draft: Draft<State>
  readonly outcomes: readonly Outcome[]
  readonly request: AppendRequest

  constructor(draft: Draft<State>, outcomes: readonly Outcome[], request: AppendRequest) {
    this.draft = draft
    this.outcomes = outcomes
    this.request = request
  }
}

class Drive<State> {
  readonly #claim: Claim
  readonly #ports: DrivePorts<State>
  readonly #running = new RunningEffects()
  /** Outcomes that are not committed yet. */
  readonly #done: Outcome[] = []
  /** The effects that the committed state speaks of. */
  #named: readonly Action[] = []
  #state: State
  #head: number
  #pending: readonly InboxItem[] = []
  #first = true
  /** Whether too many owners died before this one, and nothing was planned since. */
  #isWorn: boolean
  #stopping = false
  /** Whether something was announced that is not begun yet. */
  #promised = false
  /** Until when to sleep, on the store's clock. */
  #until: Ms | null = null
  /** The store's time at the last receipt, and our own clock then. */
  #storeNow: Ms
  #heardAt: Ms

  constructor(claim: Claim, ports: DrivePorts<State>, loaded: { readonly state: State; readonly head: number }) {
    this.#claim = claim
    this.#ports = ports
    this.#state = loaded.state
    this.#head = loaded.head
    this.#isWorn = claim.idle >= ports.crashBudget
    this.#storeNow = claim.now
    this.#heardAt = ports.clock.monotonic()
  }

  async run(): Promise<DriveEnd> {
    try {
      // One frame for everything that is awaited: nearly all of it comes at once, and a frame for each would cost more than what it waits for.
      let step: Step<State> = 'inbox'
      for (;;) {
        // In no variable but this one: what else holds it in this frame holds it through the longest sleep.
        if (typeof step === 'object') step = this.#hear(step, await this.#append(step.request))
        else if (step === 'again') step = this.#next()
        else if (step === 'asleep') step = this.#woken(await this.#ports.wake(this.#claim, this.#until))
        else if (step === 'inbox') step = await this.#readInbox()
        else if (step === 'reload') step = await this.#reload()
        else return step
      }
    } catch (error) {
      // Nobody would commit what still runs.
      this.#lose()
      throw error
    }
  }

  /** Something to commit, or to make the world match the plan. */
  #next(): Step<State> {
    const outcomes = this.#takeOutcomes()
    const draft = this.#draft(outcomes)
    const request = this.#request(draft, outcomes)
    return request === null ? this.#begin(draft) : new Committing(draft, outcomes, request)
  }

  /**
   * What is to be committed. An effect that was dropped says nothing, and neither does one that the state does not speak of any more (a
   * gate that ended while its call was cancelled): they leave without a commit.
   */
  #takeOutcomes(): readonly Outcome[] {
    for (let index = this.#done.length - 1; index >= 0; index--) {
      const outcome = this.#done[index]
      if (!outcome || this.#isSaid(outcome)) continue
      this.#running.delete(outcome.id)
      this.#done.splice(index, 1)
    }
    return fitting(this.#done).slice()
  }

  #isSaid({ id, facts }: Outcome): boolean {
    return facts.length > 0 && this.#named.some((action) => action.id === id)
  }

  #now(): Ms {
    return this.#storeNow + (this.#ports.clock.monotonic() - this.#heardAt)
  }

  #draft(outcomes: readonly Outcome[]): Draft<State> {
    // What is announced is begun before this worker is seen to stop: nobody else could tell that it never began.
    if (!this.#promised) this.#stopping = this.#ports.stopping()
    return startDraft(
      {
        state: this.#state,
        claim: this.#claim,
        head: this.#head,
        first: this.#first,
        worker: this.#ports.worker,
        outcomes,
        pending: this.#pending,
        now: this.#now(),
        stopping: this.#stopping,
        crashes: this.#isWorn ? this.#claim.idle : 0
      },
      this.#ports
    )
  }

  /** What is to be committed now; null when nothing is. */
  #request(draft: Draft<State>, outcomes: readonly Outcome[]): AppendRequest | null {
    const rests = !draft.more && (draft.plan.rest || this.#stopping) && this.#running.size === outcomes.length
    if (draft.facts.length === 0 && !rests) return null
    return draft.request(rests ? 'release' : 'keep', { ready: this.#stopping && !draft.plan.rest })
  }

  #append(request: AppendRequest): Promise<Receipt | 'lease_over'> {
    return untilKnown(() => this.#ports.store.append(request), this.#ports)
  }

  #hear({ draft, outcomes, request }: Committing<State>, receipt: Receipt | 'lease_over'): Step<State> {
    if (receipt === 'lease_over') return this.#lose()
    this.#storeNow = receipt.now
    this.#heardAt = this.#ports.clock.monotonic()
    if (!receipt.ok) return receipt.why === 'decided' ? 'reload' : this.#lose()
    this.#accept(draft, outcomes, request, receipt)
    const rests = request.then === 'release'
    if (!receipt.owned) {
      if (!rests) return this.#lose()
      return this.#stopping ? 'drained' : 'rested'
    }
    if (receipt.fresh) return 'inbox'
    return rests ? 'again' : this.#begin(draft)
  }

  /** A wait was decided meanwhile. The draft has changed the state: fold the log again; its outcomes are drafted anew. */
  async #reload(): Promise<Step<State>> {
    // The log has grown since the claim, by the commits of this attempt.
    const claim = { ...this.#claim, sequence: this.#head }
    const loaded = await untilKnown(() => this.#ports.load(claim), this.#ports)
    if (loaded === 'lease_over') return this.#lose()
    this.#state = loaded.state
    return 'inbox'
  }

  #accept(draft: Draft<State>, outcomes: readonly Outcome[], request: AppendRequest, receipt: Extract<Receipt, { ok: true }>): void {
    this.#head = receipt.sequence
    this.#state = draft.state
    if (draft.facts.length > 0) {
      draft.stamp.at = receipt.at
      this.#first = false
      this.#ports.announce(request, receipt)
    }
    this.#pending = draft.left
    // Committed, so it may leave the set of running effects: not when it finished.
    for (const outcome of outcomes) this.#running.delete(outcome.id)
    this.#done.splice(0, outcomes.length)
    // Nothing is planned behind a full commit: what was named before is.
    if (draft.more) return
    this.#isWorn = false
    this.#named = draft.plan.actions
    this.#promised = !this.#stopping && this.#named.some((action) => !this.#running.has(action.id))
  }

  /** Makes the world match the plan; then there is nothing to do until something happens. */
  #begin(draft: Draft<State>): Step<State> {
    // Nothing is planned behind a full commit.
    if (draft.more) return 'again'
    this.#until = this.#match(draft.plan.actions) ? draft.plan.timer : this.#now() + LEASE_PAUSE_MS
    return this.#done.length > 0 ? 'again' : 'asleep'
  }

  /** Starts what is missing, aborts what is no longer wanted; an aborted effect still reports. False when the lease forbids to start. */
  #match(actions: readonly Action[]): boolean {
    this.#named = actions
    if (this.#running.size > 0) this.#abortUnwanted(actions)
    if (this.#stopping) return true
    const missing = actions.filter((action) => !this.#running.has(action.id))
    if (missing.length > 0 && !this.#ports.mayBegin()) return false
    for (const action of missing) {
      // `done` may be called before `perform` returns.
      this.#running.set(action.id, NOT_YET)
      this.#running.set(
        action.id,
        this.#ports.perform(action, this.#state, (facts) => this.#done.push({ id: action.id, facts }))
      )
    }
    this.#promised = false
    return true
  }

  #abortUnwanted(actions: readonly Action[]): void {
    const wanted = new Map(actions.map((action) => [action.id, action]))
    for (const [id, effect] of this.#running.entries()) {
      const action = wanted.get(id)
      if (!action || action.cancelled) effect.abort('unwanted', action?.cancelled)
    }
  }

  #woken(why: WakeReason): Step<State> {
    if (why === 'lost') return this.#lose()
    if (why === 'stop') this.#letGo()
    return why === 'items' ? 'inbox' : 'again'
  }

  /** The grace is over: what runs is left as it is, and so is what was only announced. */
  #letGo(): void {
    this.#promised = false
    for (const [, effect] of this.#running.entries()) effect.abort('drain')
  }

  #lose(): 'lost' {
    for (const [, effect] of this.#running.entries()) effect.abort('lost')
    return 'lost'
  }

  async #readInbox(): Promise<Step<State>> {
    const items = await untilKnown(() => this.#ports.store.pending(this.#claim.thread), this.#ports)
    if (items === 'lease_over') return this.#lose()
    this.#pending = items
    return 'again'
  }
}

const NOT_YET: Running = { abort: () => {} }
