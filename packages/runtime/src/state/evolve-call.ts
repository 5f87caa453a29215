import type { FactOf, WaitKind } from '../contracts/fact.ts'
import type { Stamp } from '../contracts/heart.ts'
import type { CallId } from '../contracts/ids.ts'
import type { Json } from '../contracts/json.ts'
import { inlineOf } from './body.ts'
import { evolvePauseOver } from './evolve-turn.ts'
import type { ReadDecision } from './decision.ts'
import { readDecision, readExtension, readOutcome } from './decision.ts'
import { noteHeld } from './initial-prompts.ts'
import { startWork, stopWork } from './spent.ts'
import { closeTurn } from './turn-end.ts'
import type { Call, Conversation, OpenWait, State } from './state.ts'
import { conversationOf, isActive } from './state.ts'

/** The tool that ends a run with a validated result. */
export const TASK_COMPLETE = 'agent:task_complete'
/** The tool that asks a person. */
export const ASK_USER = 'agent:ask_user'

/** The gate has judged a call. */
export function evolveCallGated(state: State, _stamp: Stamp, fact: FactOf<'call.gated'>): void {
  const call = findCall(conversationOf(state, fact.scope), fact.call)
  if (!call) return
  call.verdict = fact.verdict
  call.arguments = fact.arguments
  call.digest = fact.digest
  call.verdictResult = fact.result ?? null
  call.asks = fact.asks
  call.expiresAfterMs = fact.expiresAfterMs ?? null
  call.needed = fact.needed ?? 1
  if (call.edited !== null) call.changed = true
  // The look after an approval: what it says now stands, also that somebody new asks.
  call.edited = null
  call.decision = null
}

/** A call was announced as started. */
export function evolveCallStarted(state: State, stamp: Stamp, fact: FactOf<'call.started'>): void {
  if (fact.try === 1 && fact.leg === 1) state.spent.toolCalls++
  const call = findCall(conversationOf(state, fact.scope), fact.call)
  if (!call) return
  call.started = { try: fact.try, leg: fact.leg, effect: fact.effect, deadlineMs: fact.deadlineMs, stamp }
  call.reconciled = null
  call.outcome = null
}

/** A leg has ended: the call waits. */
export function evolveCallSuspended(state: State, _stamp: Stamp, fact: FactOf<'call.suspended'>): void {
  const call = findCall(conversationOf(state, fact.scope), fact.call)
  if (!call) return
  const { leg, wait, kind, subject, expiresAfterMs = null } = fact
  call.suspended = { leg, wait, kind, state: fact.state, subject, expiresAfterMs }
  call.decision = null
  call.reason = null
}

/** The tool of a call has said what became of its last start. */
export function evolveCallReconciled(state: State, _stamp: Stamp, fact: FactOf<'call.reconciled'>): void {
  const call = findCall(conversationOf(state, fact.scope), fact.call)
  const isLast = call?.started?.try === fact.try && call.started.leg === fact.leg
  if (call && isLast) call.reconciled = { said: fact.said, final: fact.final, result: fact.result ?? null, review: fact.review ?? false }
}

/** A call has its one settlement (I7). */
export function evolveCallSettled(state: State, stamp: Stamp, fact: FactOf<'call.settled'>): void {
  const conversation = conversationOf(state, fact.scope)
  const call = findCall(conversation, fact.call)
  if (!call || call.settled) return
  call.settled = fact.outcome
  call.result = fact.result
  if (fact.review) call.inReview = true
  else finishCall(state, stamp, conversation, call)
}

/** Hooks have looked at what a call gave. */
export function evolveCallReviewed(state: State, stamp: Stamp, fact: FactOf<'call.reviewed'>): void {
  const conversation = conversationOf(state, fact.scope)
  const call = findCall(conversation, fact.call)
  if (!call?.inReview) return
  call.inReview = false
  call.seen = fact.seen ?? null
  finishCall(state, stamp, conversation, call)
}

/** The last of a turn closes it: the results become history, in call order. */
function finishCall(state: State, stamp: Stamp, conversation: Conversation, call: Call): void {
  const { turn } = conversation
  if (!turn) return
  turn.open--
  if (call.settled === 'ok' && !turn.withheld && state.tools.get(call.tool)?.identity === TASK_COMPLETE) {
    conversation.completed = { output: resultArgument(call) }
  }
  // What a fork knows of calls may come before its hooks have looked at the answer.
  if (turn.open === 0 && turn.phase === 'calls') closeTurn(state, stamp, conversation, turn)
}

/** A wait was opened: for a call it is held until somebody decides. */
export function evolveWaitOpened(state: State, stamp: Stamp, fact: FactOf<'wait.opened'>): void {
  const scope = fact.scope ?? ''
  const call = fact.call === undefined ? null : findCall(conversationOf(state, scope), fact.call)
  if (call) {
    call.waits++
    call.wait = fact.wait
    noteHeld(conversationOf(state, scope), fact.kind)
  }
  if (fact.kind === 'quarantine' && state.run) state.run.quarantines++
  if (fact.kind === 'budget' && state.run) state.run.budgetWaits++
  stopWork(state.spent, stamp)
  state.waits.set(fact.wait, {
    id: fact.wait,
    kind: fact.kind,
    scope,
    call: fact.call ?? null,
    expiresAfterMs: fact.expiresAfterMs ?? null,
    stamp
  })
}

/** An approval goes on to hold. */
export function evolveApprovalRemembered(state: State, _stamp: Stamp, fact: FactOf<'approval.remembered'>): void {
  state.remembered = [...state.remembered, { ...fact.rule, for: fact.for }]
}

/** A wait is over. */
export function evolveWaitResolved(state: State, stamp: Stamp, fact: FactOf<'wait.resolved'>): void {
  const wait = state.waits.get(fact.wait)
  state.waits.delete(fact.wait)
  if (state.waits.size === 0 && isActive(state)) startWork(state.spent, stamp)
  if (wait?.kind === 'timer') evolvePauseOver(state, wait.scope)
  if (wait && fact.as === 'decided') noteDecision(state, wait.kind, fact)
  if (!wait?.call) return
  const call = findCall(conversationOf(state, wait.scope), wait.call)
  if (!call) return
  call.wait = null
  if (fact.as !== 'decided' && fact.as !== 'expired') return
  // Nobody who said nothing knows anything.
  if (wait.kind === 'outcome') call.outcome = readOutcome(fact.decision ?? null, fact.by)
  else if (fact.as === 'expired') call.decision = 'expired'
  else decide(call, wait, fact)
  call.decidedIn = stamp.sequence
}

function decide(call: Call, wait: OpenWait, fact: FactOf<'wait.resolved'>): void {
  const decision = readDecision(fact.decision ?? null, fact.by)
  if (call.suspended) resume(call, call.suspended, decision)
  else if (wait.kind === 'question') {
    call.answer = decision.answer
    call.decision = decision.isAnswer ? 'approved' : 'denied'
    call.reason = decision.reason
  } else approve(call, decision)
}

/** A refusal ends it; anything that was asked for lets its next leg begin. */
function resume(call: Call, { leg, state, kind }: NonNullable<Call['suspended']>, decision: ReadDecision): void {
  if (kind === 'approval' ? decision.approve : decision.isAnswer) {
    call.resumed = { leg: leg + 1, state, answer: kind === 'approval' ? true : decision.answer }
    call.suspended = null
    return
  }
  call.decision = 'denied'
  call.reason = decision.reason
}

function approve(call: Call, decision: ReadDecision): void {
  call.decision = decision.approve ? 'approved' : 'denied'
  call.reason = decision.reason
  if (!decision.approve) return
  call.edited = decision.edited
  call.answered = [...call.answered, ...call.asks]
}

/** What a person says of the run as a whole: that it is tried again or given up, that its budget is extended or not. */
function noteDecision({ run }: State, kind: WaitKind, { decision = null, by }: FactOf<'wait.resolved'>): void {
  if (!run) return
  if (kind === 'budget') run.budgetRefused = readExtension(decision, by) === null
  if (kind !== 'quarantine') return
  const { approve, reason } = readDecision(decision, by)
  if (!approve) run.givenUp = reason ?? ''
}

function findCall(conversation: Conversation, id: CallId): Call | undefined {
  return conversation.turn?.calls.find((call) => call.id === id)
}

function resultArgument(call: Call): Json {
  const value = call.arguments ? inlineOf(call.arguments) : null
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null
  return (value as { readonly [key: string]: Json })['result'] ?? null
}
