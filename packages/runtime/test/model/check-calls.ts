import type { Fact, FactOf } from '../../src/contracts/fact.ts'
import type { Json, JsonObject } from '../../src/contracts/json.ts'
import type { Publication, ToolDescriptor } from '../../src/contracts/publication.ts'
import { inlineOf } from '../../src/state/body.ts'
import { isOwnCall } from '../../src/state/evolve-turn.ts'
import { APPROVALS } from './clients.ts'
import { Violation } from './witness.ts'

/** A call as the log tells of it. */
export interface LoggedCall {
  readonly id: string
  readonly tool: string
  verdict: string | null
  approved: boolean | null
  expired: boolean
  held: boolean
  started: (Pick<FactOf<'call.started'>, 'try' | 'leg' | 'effect'> & { readonly attempt: number; readonly at: number }) | null
  /** Its leg has let go, and nobody has decided. */
  suspended: FactOf<'call.suspended'> | null
  /** Somebody has decided, and the next leg has not begun. */
  mayGoOn: boolean
  /** What was found out about its last start. */
  found: 'done' | 'not_done' | 'asked' | null
  settled: string | null
  /** It is settled, and hooks look at its result. */
  inReview: boolean
  /** Somebody was asked about it, and not only what became of it. */
  hasWaited: boolean
}

/** Where a fact stands. */
export interface LogPlace {
  readonly attempt: number
  readonly at: number
}

type CallFact = FactOf<'call.gated' | 'call.started' | 'call.suspended' | 'call.reconciled' | 'call.settled' | 'call.reviewed'>
type WaitFact = FactOf<'wait.opened'> & { readonly call: string }

/** Judges what the log says of the calls of a turn: each starts, waits and ends only as it may (I5, I6, I7, I11, I12). */
export class CallJudge {
  readonly #publication: Publication
  calls: LoggedCall[] = []
  readonly all: LoggedCall[] = []
  /** Calls of initial prompts that have not had their turn. */
  #left: (readonly LoggedCall[])[] = []

  constructor(publication: Publication) {
    this.#publication = publication
  }

  /** Hooks look at the answer: nothing of it is judged or run before they have. */
  inReview = false
  /** Nothing of the answer is run. */
  #isWithheld = false

  get hasOpen(): boolean {
    return this.inReview || this.calls.some((call) => !call.settled || call.inReview)
  }

  /** Whether calls of initial prompts are still to be made. */
  get hasLeft(): boolean {
    return this.#left.length > 0
  }

  respond({ turn, parts, review }: FactOf<'model.responded'>): void {
    this.inReview = review === true
    this.#isWithheld = false
    this.calls = inlineOf(parts)
      .filter(isOwnCall)
      .map((part, position) => newCall(`${turn}.${position}`, part.tool))
    this.all.push(...this.calls)
  }

  /** The calls of initial prompts, which come one prompt after another. */
  begin({ turn, prompts }: FactOf<'prompts.injected'>): void {
    let position = 0
    this.#left = inlineOf(prompts)
      .map(({ calls = [] }) => calls.map(({ tool }) => newCall(`${turn}.${position++}`, tool)))
      .filter((calls) => calls.length > 0)
    this.goOn({ isEnding: false })
  }

  /** The next prompt begins when the calls of the one before are over; none does in a run that ends, or behind a call that has waited. */
  goOn({ isEnding }: { readonly isEnding: boolean }): void {
    if (this.hasOpen || this.#left.length === 0) return
    if (isEnding || this.calls.some((call) => call.hasWaited)) this.#left = []
    else {
      this.calls = [...(this.#left.shift() ?? [])]
      this.all.push(...this.calls)
    }
  }

  /** Those of the run before are nobody's. */
  clear(): void {
    this.calls = []
    this.#left = []
  }

  /** Only what came to be looked at, and once. */
  reviewAnswer({ turn, withheld }: FactOf<'turn.reviewed'>): void {
    assert(this.inReview, 'I7', `${turn} is looked at and does not wait for that`)
    this.inReview = false
    this.#isWithheld = withheld === true
  }

  read(fact: CallFact, place: LogPlace): void {
    assert(!this.inReview, 'I9', `${fact.type} of ${fact.call} comes before the hooks have looked at the answer`)
    const isEnd = fact.type === 'call.settled' && (fact.outcome === 'blocked' || fact.outcome === 'cancelled')
    assert(!this.#isWithheld || isEnd, 'I9', `${fact.type} of ${fact.call}, whose answer is withheld`)
    if (fact.type === 'call.reviewed') return this.#review(fact)
    const call = this.open(fact.call)
    if (fact.type === 'call.gated') gate(call, fact)
    else if (fact.type === 'call.started') this.#start(call, fact, place)
    else if (fact.type === 'call.suspended') suspend(call, fact, place)
    else if (fact.type === 'call.reconciled') this.#reconcile(call, fact, place)
    else settle(call, fact, place, this.#isWithheld)
  }

  /** Only what was settled to be looked at, and once. */
  #review({ call: id }: FactOf<'call.reviewed'>): void {
    const call = this.calls.find((each) => each.id === id)
    assert(call?.inReview === true, 'I7', `${id} is looked at and does not wait for that`)
    call.inReview = false
  }

  open(id: string): LoggedCall {
    const call = this.calls.find((each) => each.id === id)
    assert(call !== undefined && !call.settled, 'I7', `${id} is spoken of and is not open`)
    return call
  }

  waits(fact: WaitFact, place: LogPlace): LoggedCall {
    const call = this.open(fact.call)
    const { started, suspended } = call
    const message = `${fact.wait} is opened for a call that does not wait for it`
    if (fact.kind !== 'outcome') {
      assert(suspended ? suspended.wait === fact.wait && suspended.kind === fact.kind : call.held && !started, 'I11', message)
      call.hasWaited = true
      return call
    }
    assert(started !== null && !suspended && !call.mayGoOn && started.attempt < place.attempt, 'I11', message)
    assert(this.#toolOf(call)?.onUnknown === 'ask' && this.#isOver(call, place), 'I11', message)
    call.found = 'asked'
    return call
  }

  #start(call: LoggedCall, fact: FactOf<'call.started'>, place: LogPlace): void {
    const { started } = call
    assert(call.verdict === 'run', 'I6', `${fact.call} starts without leave`)
    assert(!call.suspended, 'I5', `${fact.call} starts although it waits`)
    const next = call.mayGoOn ? { try: 1, leg: (started?.leg ?? 0) + 1 } : { try: (started?.try ?? 0) + 1, leg: started?.leg ?? 1 }
    assert(fact.try === next.try && fact.leg === next.leg, 'I5', `${fact.call} starts as ${fact.try}.${fact.leg} out of order`)
    const isAgain = started !== null && !call.mayGoOn
    assert(!isAgain || this.#mayRepeat(call, place), 'I5', `${fact.call} is started again`)
    const { effect } = fact
    call.started = { try: fact.try, leg: fact.leg, effect, ...place }
    call.mayGoOn = false
    call.found = null
    this.#assertPlace(call, isAgain)
  }

  #mayRepeat({ started, found, ...call }: LoggedCall, place: LogPlace): boolean {
    if (!started || started.attempt >= place.attempt) return false
    if (found === 'not_done') return this.#isOver({ ...call, started, found }, place)
    return found === null && started.effect !== 'once' && started.try < 3
  }

  /** Nothing more can come of its last start. */
  #isOver(call: LoggedCall, { at }: LogPlace): boolean {
    return call.started !== null && at >= call.started.at + (this.#toolOf(call)?.timeoutMs ?? 0)
  }

  #toolOf({ tool }: LoggedCall): ToolDescriptor | undefined {
    return this.#publication.definition.tools.find((each) => each.name === tool)
  }

  /** A turn with one call that is not safe beside others runs in call order, one at a time; any other up to the limit. */
  #assertPlace(started: LoggedCall, isAgain: boolean): void {
    const { calls } = this
    const together = calls.every((call) => this.#toolOf(call)?.parallelSafe !== false)
    const running = calls.filter((call) => call.started && !call.settled && !call.suspended && !call.mayGoOn && call.found === null)
    const limit = together ? (this.#publication.definition.limits.maxParallelCalls ?? 16) : 1
    assert(running.length <= limit, 'order', `${running.map((call) => call.id).join(' ')} run together`)
    const before = calls.slice(0, calls.indexOf(started))
    const skipped = before.find((call) => !call.started && !call.settled && !call.held)
    assert(together || isAgain || !skipped, 'order', `${started.id} starts before ${skipped?.id}`)
  }

  #reconcile(call: LoggedCall, { said, final }: FactOf<'call.reconciled'>, place: LogPlace): void {
    const { started } = call
    assert(started !== null && started.attempt < place.attempt && !call.suspended, 'I5', `${call.id} is asked about and is not lost`)
    assert(this.#toolOf(call)?.reconcile === true, 'I5', `${call.id} has a tool that cannot be asked`)
    assert(!final || this.#isOver(call, place), 'I5', `${call.id} is said to be over before its deadline`)
    if (said === 'done' || (final && said === 'not_done')) call.found = said
  }
}

function newCall(id: string, tool: string): LoggedCall {
  const undecided = { verdict: null, approved: null, expired: false, held: false }
  return {
    id,
    tool,
    ...undecided,
    started: null,
    suspended: null,
    mayGoOn: false,
    found: null,
    settled: null,
    inReview: false,
    hasWaited: false
  }
}

function gate(call: LoggedCall, fact: FactOf<'call.gated'>): void {
  const isAgain = call.verdict === 'hold' && call.approved === true
  assert(!call.started && (call.verdict === null || isAgain), 'I6', `${fact.call} is gated again without an approval`)
  call.verdict = fact.verdict
  call.held = fact.verdict === 'hold'
  call.approved = null
}

function suspend(call: LoggedCall, fact: FactOf<'call.suspended'>, { attempt }: LogPlace): void {
  const { started } = call
  const isRunning = started?.attempt === attempt && started.leg === fact.leg && !call.suspended && !call.mayGoOn
  assert(isRunning, 'I5', `${fact.call} lets go and does not run`)
  call.suspended = fact
  call.approved = null
  call.expired = false
}

function settle(call: LoggedCall, { outcome, review }: FactOf<'call.settled'>, { attempt }: LogPlace, isWithheld: boolean): void {
  const { id, started } = call
  if (outcome === 'denied') assert(call.approved === false, 'I12', `${id} is denied by nobody`)
  if (outcome === 'expired') assert(call.expired, 'I12', `${id} has not expired`)
  // What the gate lets run is not run where the budget of tool calls is used up.
  if (outcome === 'blocked')
    assert(isWithheld || call.verdict === 'block' || (call.verdict === 'run' && !started), 'I6', `${id} is blocked without a reason`)
  const isLost = started !== null && started.attempt < attempt && !call.suspended && !call.mayGoOn
  if (outcome === 'unknown')
    assert(isLost && (call.found === null || call.found === 'asked'), 'I5', `${id} is unknown, and somebody knows of it`)
  if (outcome === 'ok') assert(started ? !isLost || call.found === 'done' : call.verdict === 'respond', 'I5', `${id} is said to have run`)
  if (outcome === 'ok') assert(!call.suspended && !call.mayGoOn, 'I5', `${id} ends in the middle of its work`)
  assert(!review || outcome === 'ok' || outcome === 'error', 'I9', `${id} gave nothing that could be looked at`)
  call.settled = outcome
  call.inReview = review === true
}

/** A wait of a call is over. */
export function resolveWait(call: LoggedCall, kind: string, fact: FactOf<'wait.resolved'>): void {
  call.expired = fact.as === 'expired'
  if (fact.as !== 'decided') return
  if (kind === 'outcome') call.found = FOUND[outcomeIn(fact.decision)] ?? 'asked'
  else if (!call.suspended) call.approved = APPROVALS.includes(JSON.stringify(fact.decision))
  else {
    call.approved = kind === 'approval' ? APPROVALS.includes(JSON.stringify(fact.decision)) : wordOf(fact.decision) === 'answer'
    call.mayGoOn = call.approved
    if (call.mayGoOn) call.suspended = null
  }
}

const FOUND: { readonly [outcome: string]: 'done' | 'not_done' } = { happened: 'done', not_happened: 'not_done' }

function wordOf(decision: Json | undefined): Json | undefined {
  return typeof decision === 'object' && decision !== null ? (decision as JsonObject)['decision'] : undefined
}

function outcomeIn(decision: Json | undefined): string {
  return wordOf(decision) === 'outcome' ? String((decision as JsonObject)['outcome']) : ''
}

function assert(condition: boolean, rule: string, message: string): asserts condition {
  if (!condition) throw new Violation(rule, message)
}

/** Whether a fact is about one call. */
export function isCallFact(fact: Fact): fact is CallFact {
  return fact.type.startsWith('call.')
}
