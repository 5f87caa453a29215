import { HoldfastError } from '../contracts/errors.ts'
import type { Fact } from '../contracts/fact.ts'
import type { Heart, Outcome, Planned, Stamp, TakeContext } from '../contracts/heart.ts'
import type { ItemId, Ms, ThreadId, WaitId } from '../contracts/ids.ts'
import type { Claim } from '../contracts/claim.ts'
import type { AppendRequest, InboxItem, NewItem, NewThread, ThreadRow } from '../contracts/store.ts'
import type { NewWait } from '../contracts/wait.ts'

/** Where a draft starts from. */
export interface DraftStart<State> {
  readonly state: State
  readonly claim: Claim
  /** The head of the log. */
  readonly head: number
  /** Whether this is the first commit of the attempt. */
  readonly first: boolean
  readonly worker: string
  readonly outcomes: readonly Outcome[]
  readonly pending: readonly InboxItem[]
  /** The store's time, as well as it is known. */
  readonly now: Ms
  /** A worker that stops starts nothing new. */
  readonly stopping: boolean
  /** Attempts in a row without progress, when they are too many; else 0. */
  readonly crashes: number
}

/** What would be committed next, and what should then run. */
export interface Draft<State> {
  readonly facts: readonly Fact[]
  /** The state once the facts are committed. */
  readonly state: State
  readonly stamp: Stamp
  readonly plan: Planned
  /** Items that nobody took. */
  readonly left: readonly InboxItem[]
  /** The commit is full: what can still be taken is for the next one. */
  readonly more: boolean
  /** `ready`: let go with work left, so that another worker finds it at once. */
  request(then: 'keep' | 'release', options: { readonly ready: boolean }): AppendRequest
}

const NONE: readonly never[] = []
const NOTHING_YET: Planned = { facts: NONE, send: NONE, spawn: NONE, open: NONE, close: NONE, actions: NONE, timer: null, rest: false }
const MAX_ROUNDS = 1_000
/** What of a commit may come from outside, in bytes of JSON: as much again may follow from it, and a store takes 1 MiB. */
const MAX_TAKEN_BYTES = 500_000

/**
 * Everything pure that follows from a state: the outcomes of effects, then takeable items and planned facts in turn, until nothing
 * follows. Changes the state that it is given (the heart may reuse it), so a draft that is not committed must be followed by a load.
 */
export function startDraft<State>(start: DraftStart<State>, heart: Heart<State>): Draft<State> {
  const draft = new Drafting(start, heart)
  if (start.first) draft.add({ v: 1, type: 'attempt.claimed', worker: start.worker, why: start.claim.why })
  for (const outcome of start.outcomes) for (const fact of outcome.facts) draft.add(fact)
  draft.settle(start)
  return draft
}

/** The first outcomes that fit into one commit; at least one. */
export function fitting(outcomes: readonly Outcome[]): readonly Outcome[] {
  if (outcomes.length < 2) return outcomes
  let bytes = 0
  const beyond = outcomes.findIndex((outcome, index) => {
    bytes += sizeOf(outcome.facts)
    return index > 0 && bytes > MAX_TAKEN_BYTES
  })
  return beyond < 0 ? outcomes : outcomes.slice(0, beyond)
}

/** A class, since all that a commit in flight holds hangs on it: where many are in flight at once V8 puts object literals among what lives long. */
class Drafting<State> implements Draft<State> {
  readonly facts: Fact[] = []
  readonly stamp: Stamp
  readonly #claim: Claim
  readonly #head: number
  readonly #outcomes: readonly Outcome[]
  readonly #heart: Heart<State>
  consumed: readonly ItemId[] = NONE
  send: readonly NewItem[] = NONE
  spawn: readonly NewThread[] = NONE
  open: readonly NewWait[] = NONE
  close: readonly WaitId[] = NONE
  /** Bytes of outcomes and items so far; null before anything was taken. */
  #takenBytes: number | null = null
  state: State
  left: readonly InboxItem[]
  more = false
  plan: Planned = NOTHING_YET

  constructor(start: DraftStart<State>, heart: Heart<State>) {
    this.#claim = start.claim
    this.#head = start.head
    this.#outcomes = start.outcomes
    this.#heart = heart
    this.state = start.state
    this.left = start.pending
    this.stamp = { at: start.now, attempt: start.claim.attempt, sequence: start.head + 1 }
  }

  add(fact: Fact): void {
    this.facts.push(fact)
    this.state = this.#heart.evolve(this.state, this.stamp, fact)
  }

  settle({ claim: { thread, attempt }, now, stopping, crashes }: DraftStart<State>): void {
    const { sequence } = this.stamp
    for (let round = 0; round < MAX_ROUNDS; round++) {
      // Each leaves fewer: what was sent has an end, however much it is.
      while (this.left.length > 0 && this.#takeOne({ now, sequence }));
      // What follows may depend on what found no place: a decision is not passed over by the expiry of its wait.
      if (this.more) return
      const plan = this.#heart.plan(this.state, { attempt, now, stopping, pending: this.left, crashes })
      if (plan.facts.length === 0) {
        this.plan = plan
        return
      }
      this.#addPlanned(plan)
    }
    throw new HoldfastError('livelock', `the plan of thread ${thread} did not come to an end after ${MAX_ROUNDS} rounds`)
  }

  #addPlanned(plan: Planned): void {
    for (const fact of plan.facts) this.add(fact)
    if (plan.send.length > 0) this.send = [...this.send, ...plan.send]
    if (plan.spawn.length > 0) this.spawn = [...this.spawn, ...plan.spawn]
    if (plan.open.length > 0) this.open = [...this.open, ...plan.open]
    if (plan.close.length > 0) this.close = [...this.close, ...plan.close]
  }

  request(then: 'keep' | 'release', { ready }: { readonly ready: boolean }): AppendRequest {
    const request = new DraftRequest({ claim: this.#claim, head: this.#head }, this, this.#heart.project(this.state), then)
    request.timer = timerOf(this.plan, ready)
    request.progress = this.#heart.progress(this.facts)
    if (this.#mayLag(then)) request.sync = 'later'
    return request
  }

  /** Whether nothing outside learns of this commit or follows from it. */
  #mayLag(then: 'keep' | 'release'): boolean {
    if (then !== 'keep' || this.consumed.length > 0 || this.send.length > 0 || this.spawn.length > 0) return false
    return this.open.length === 0 && this.close.length === 0 && !this.#heart.reachesOut(this.facts)
  }

  #takeOne(context: TakeContext): boolean {
    const taken = this.#heart.take(this.state, this.left, context)
    if (!taken) return false
    if (!this.#hasPlaceFor(taken.facts)) return false
    this.consumed = [...this.consumed, taken.item.id]
    if (taken.close) this.close = [...this.close, ...taken.close]
    this.left = this.left.filter((item) => item.id !== taken.item.id)
    for (const fact of taken.facts) this.add(fact)
    return true
  }

  /** The first item has one in any case, where no outcomes take it. */
  #hasPlaceFor(facts: readonly Fact[]): boolean {
    const before = this.#takenBytes ?? this.#outcomes.reduce((sum, outcome) => sum + sizeOf(outcome.facts), 0)
    const after = before + sizeOf(facts)
    this.more = before > 0 && after > MAX_TAKEN_BYTES
    if (!this.more) this.#takenBytes = after
    return !this.more
  }
}

/** What is appended; a class for the same reason. */
class DraftRequest implements AppendRequest {
  readonly tenant: string
  readonly thread: ThreadId
  readonly attempt: number
  readonly expectedSequence: number
  readonly facts: readonly Fact[]
  readonly consumed: readonly ItemId[]
  readonly deferred: readonly ItemId[]
  readonly send: readonly NewItem[]
  readonly spawn: readonly NewThread[]
  readonly open: readonly NewWait[]
  readonly close: readonly WaitId[]
  readonly artifacts = NONE
  readonly row: ThreadRow
  readonly then: 'keep' | 'release'
  timer: AppendRequest['timer'] = null
  progress = false
  sync: AppendRequest['sync'] = 'now'

  constructor(
    { claim, head }: Pick<DraftStart<unknown>, 'claim' | 'head'>,
    draft: Drafting<unknown>,
    row: ThreadRow,
    then: 'keep' | 'release'
  ) {
    this.tenant = claim.tenant
    this.thread = claim.thread
    this.attempt = claim.attempt
    this.expectedSequence = head
    this.facts = draft.facts
    this.consumed = draft.consumed
    this.deferred = draft.left.length === 0 ? NONE : draft.left.filter((item) => item.state === 'fresh').map((item) => item.id)
    this.send = draft.send
    this.spawn = draft.spawn
    this.open = draft.open
    this.close = draft.close
    this.row = row
    this.then = then
  }
}

function timerOf(plan: Planned, ready: boolean): AppendRequest['timer'] {
  if (ready) return { inMs: 0 }
  return plan.timer === null ? null : { at: Math.ceil(plan.timer) }
}

function sizeOf(facts: readonly Fact[]): number {
  return Buffer.byteLength(JSON.stringify(facts))
}
