import type { Cursor } from '../contracts/event.ts'
import type { Fact, FactOf } from '../contracts/fact.ts'
import type { CallId, Digest, Ms, Scope, ThreadId, WaitId } from '../contracts/ids.ts'
import type { Part } from '../contracts/message.ts'
import type { RecordedCall, RecordedFailure, RecordedWait, TurnRecord } from '../contracts/turn-record.ts'
import { RECORD_VERSION } from '../contracts/turn-record.ts'
import type { Cost, Usage } from '../contracts/usage.ts'
import { addCost, addUsage, NO_USAGE } from '../contracts/usage.ts'
import { positionOf } from './call-place.ts'
import { isOwnCall } from './evolve-turn.ts'

/** Where a fact stands. */
export interface FactPlace {
  readonly cursor: Cursor
  readonly at: Ms
}

type Changing<T> = { -readonly [Key in keyof T]: T[Key] }
type CallDraft = Changing<Omit<RecordedCall, 'waits'>> & { readonly waits: Changing<RecordedWait>[] }

/** A turn that is not over. */
interface Draft {
  readonly started: FactOf<'turn.started'> | FactOf<'prompts.injected'>
  readonly place: FactPlace
  /** What its last try asks; null where no model is asked. */
  prompt: TurnRecord['prompt']
  failures: RecordedFailure[]
  answer: TurnRecord['answer']
  readonly calls: CallDraft[]
  usage: Usage
  cost: Cost
  copied: boolean
}

/** Makes the records of a thread's turns from its facts, one after another. It begins with the thread or with any run. */
export class TurnRecorder {
  readonly #thread: ThreadId
  readonly #drafts = new Map<Scope, Draft>()
  #publication: Digest = ''

  constructor(thread: ThreadId) {
    this.#thread = thread
  }

  /** Whether nothing is open: the next run can be recorded without what was before. */
  get isIdle(): boolean {
    return this.#drafts.size === 0
  }

  /** The records of the turns that are over with this fact. */
  take(fact: Fact, place: FactPlace): readonly TurnRecord[] {
    switch (fact.type) {
      case 'thread.created':
      case 'run.started':
      case 'thread.repinned':
        this.#publication = fact.publication
        return []
      case 'prompts.injected':
        return this.#inject(fact, place)
      case 'turn.started':
        return this.#begin(fact, place)
      case 'run.ended':
        return this.#endAll(fact, place)
      default:
        this.#note(fact, place)
        return []
    }
  }

  #begin(fact: FactOf<'turn.started'>, place: FactPlace): readonly TurnRecord[] {
    const scope = fact.scope ?? ''
    const before = this.#drafts.get(scope)
    const prompt = fact.hook === undefined ? { publication: this.#publication, model: fact.model, try: fact.try } : null
    if (before?.started.turn === fact.turn) {
      before.prompt = prompt
      return []
    }
    this.#drafts.set(scope, toDraft(fact, place, prompt))
    return before ? [toRecord(this.#thread, before, place)] : []
  }

  /** Texts alone are no turn. */
  #inject(fact: FactOf<'prompts.injected'>, place: FactPlace): readonly TurnRecord[] {
    const calls = 'inline' in fact.prompts ? fact.prompts.inline.flatMap((prompt) => prompt.calls ?? []) : null
    if (calls?.length === 0) return []
    const draft = toDraft(fact, place, null)
    for (const [position, { tool }] of calls?.entries() ?? []) callOf(draft, `${fact.turn}.${position}`).tool = tool
    this.#drafts.set(fact.scope ?? '', draft)
    return []
  }

  #endAll(fact: FactOf<'run.ended'>, place: FactPlace): readonly TurnRecord[] {
    const records = [...this.#drafts.values()].map((draft) => toRecord(this.#thread, draft, place, fact))
    this.#drafts.clear()
    return records
  }

  #note(fact: Fact, place: FactPlace): void {
    if (fact.type === 'thread.forked') for (const draft of this.#drafts.values()) copy(draft)
    const draft = this.#drafts.get(fact.scope ?? '')
    if (!draft) return
    if (fact.type === 'model.responded') answer(draft, fact)
    else if (fact.type === 'model.failed') fail(draft, fact)
    else if (fact.type === 'turn.reviewed') review(draft, fact)
    else if (fact.type === 'wait.resolved') resolve(draft, fact, place.at)
    else if ('call' in fact && fact.call !== undefined) noteCall(draft, fact, fact.call, place.at)
  }
}

function toDraft(started: Draft['started'], place: FactPlace, prompt: TurnRecord['prompt']): Draft {
  return { started, place, prompt, failures: [], answer: null, calls: [], usage: NO_USAGE, cost: 0, copied: false }
}

/** What was spent so far was spent by the other thread, and its waits are no waits of this one. */
function copy(draft: Draft): void {
  draft.copied = true
  draft.usage = NO_USAGE
  draft.cost = 0
  draft.failures = draft.failures.map(({ usage: _, cost: __, ...failure }) => failure)
}

function answer(draft: Draft, { parts, finish, model, usage, cost }: FactOf<'model.responded'>): void {
  draft.answer = { parts, finish, model }
  spend(draft, usage, cost)
  const calls: readonly Part[] = 'inline' in parts ? parts.inline : []
  for (const [position, { tool }] of calls.filter(isOwnCall).entries()) callOf(draft, `${draft.started.turn}.${position}`).tool = tool
}

function review(draft: Draft, { seen, withheld }: FactOf<'turn.reviewed'>): void {
  if (!draft.answer) return
  draft.answer = { ...draft.answer, ...(seen === undefined ? {} : { seen }), ...(withheld ? { withheld } : {}) }
}

function fail(draft: Draft, fact: FactOf<'model.failed'>): void {
  const { why, error, usage, cost } = fact
  draft.failures.push({
    ...{ try: fact.try, why, ...(error === undefined ? {} : { error }) },
    ...(usage === undefined ? {} : { usage, cost: cost ?? 'unknown' })
  })
  if (usage !== undefined) spend(draft, usage, cost ?? 'unknown')
}

function spend(draft: Draft, usage: Usage, cost: Cost): void {
  draft.usage = addUsage(draft.usage, usage)
  draft.cost = addCost(draft.cost, cost)
}

function noteCall(draft: Draft, fact: Fact, id: CallId, at: Ms): void {
  if (!id.startsWith(`${draft.started.turn}.`)) return
  const call = callOf(draft, id)
  if (fact.type === 'call.gated') {
    call.verdict = fact.verdict
    call.by = fact.by
    call.arguments = fact.arguments
  } else if (fact.type === 'call.started') {
    call.effect = fact.effect
    call.starts++
  } else if (fact.type === 'wait.opened') {
    call.waits.push({ wait: fact.wait, kind: fact.kind, openedAt: at, as: null, resolvedAt: null })
  } else if (fact.type === 'call.settled') {
    call.outcome = fact.outcome
    call.result = fact.result
    if (fact.copied) call.copied = true
  } else if (fact.type === 'call.reviewed' && fact.seen !== undefined) call.seen = fact.seen
}

function resolve(draft: Draft, { wait: id, as, decision, by }: FactOf<'wait.resolved'>, at: Ms): void {
  const wait = waitOf(draft, id)
  if (!wait) return
  wait.as = as
  wait.resolvedAt = at
  if (decision !== undefined) wait.decision = decision
  if (by !== undefined) wait.decidedBy = by
}

function waitOf({ calls }: Draft, id: WaitId): Changing<RecordedWait> | undefined {
  return calls.flatMap((call) => call.waits).find((wait) => wait.wait === id)
}

/** Facts of calls may come in any order. */
function callOf({ calls }: Draft, id: CallId): CallDraft {
  const known = calls.find((call) => call.call === id)
  if (known) return known
  const unjudged = { call: id, tool: null, verdict: null, by: null, arguments: null }
  const made: CallDraft = { ...unjudged, effect: null, starts: 0, waits: [], outcome: null, result: null }
  calls.push(made)
  calls.sort((a, b) => positionOf(a.call) - positionOf(b.call))
  return made
}

function toRecord(thread: ThreadId, draft: Draft, over: FactPlace, end?: FactOf<'run.ended'>): TurnRecord {
  const { started, place, prompt, failures, answer: given, calls, usage, cost, copied } = draft
  return {
    record: RECORD_VERSION,
    thread,
    run: started.run ?? '',
    scope: started.scope ?? '',
    turn: started.turn,
    from: place.cursor,
    to: over.cursor,
    startedAt: place.at,
    endedAt: over.at,
    prompt,
    ...(started.type === 'prompts.injected' ? { injected: started.prompts } : {}),
    ...{ failures, answer: given, calls, usage, cost },
    ...(copied ? { copied: true } : {}),
    ...(end ? { end: toEnd(end) } : {})
  }
}

function toEnd({ status, why, error, output }: FactOf<'run.ended'>): NonNullable<TurnRecord['end']> {
  return {
    status,
    ...(why === undefined ? {} : { why }),
    ...(error === undefined ? {} : { error }),
    ...(output === undefined ? {} : { output })
  }
}
