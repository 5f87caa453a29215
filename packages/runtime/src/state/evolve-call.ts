import type { FactOf } from '../contracts/fact.ts'
import type { Stamp } from '../contracts/heart.ts'
import type { CallId } from '../contracts/ids.ts'
import type { Json } from '../contracts/json.ts'
import { inlineOf } from './body.ts'
import { evolvePauseOver } from './evolve-turn.ts'
import { readDecision } from './decision.ts'
import { toToolMessage } from './history.ts'
import type { Call, Conversation, State } from './state.ts'
import { conversationOf } from './state.ts'

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
  const call = findCall(conversationOf(state, fact.scope), fact.call)
  if (call) call.started = { try: fact.try, leg: fact.leg, effect: fact.effect, deadlineMs: fact.deadlineMs, stamp }
}

/** A call has its one settlement (I7). The last of a turn closes it: the results become history, in call order. */
export function evolveCallSettled(state: State, _stamp: Stamp, fact: FactOf<'call.settled'>): void {
  const conversation = conversationOf(state, fact.scope)
  const { turn } = conversation
  const call = findCall(conversation, fact.call)
  if (!turn || !call || call.settled) return
  call.settled = fact.outcome
  call.result = fact.result
  turn.open--
  if (call.settled === 'ok' && state.tools.get(call.tool)?.identity === TASK_COMPLETE) {
    conversation.completed = { output: resultArgument(call) }
  }
  if (turn.open > 0) return
  turn.phase = 'closed'
  for (const settled of turn.calls) countRepeated(conversation, settled)
  conversation.closed = { turn: turn.id, index: conversation.history.push(toToolMessage(turn.calls)) - 1 }
}

/** A wait was opened: for a call it is held until somebody decides. */
export function evolveWaitOpened(state: State, stamp: Stamp, fact: FactOf<'wait.opened'>): void {
  const scope = fact.scope ?? ''
  const call = fact.call === undefined ? null : findCall(conversationOf(state, scope), fact.call)
  if (call) {
    call.waits++
    call.wait = fact.wait
  }
  if (fact.kind === 'quarantine' && state.run) state.run.quarantines++
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
export function evolveWaitResolved(state: State, _stamp: Stamp, fact: FactOf<'wait.resolved'>): void {
  const wait = state.waits.get(fact.wait)
  state.waits.delete(fact.wait)
  if (wait?.kind === 'timer') evolvePauseOver(state, wait.scope)
  if (wait?.kind === 'quarantine' && fact.as === 'decided') noteTrial(state, fact)
  if (!wait?.call) return
  const call = findCall(conversationOf(state, wait.scope), wait.call)
  if (!call) return
  call.wait = null
  if (fact.as === 'expired') call.decision = 'expired'
  if (fact.as !== 'decided') return
  const { approve, reason, edited, isAnswer, answer } = readDecision(fact.decision ?? null, fact.by)
  if (wait.kind === 'question') {
    call.answer = answer
    call.decision = isAnswer ? 'approved' : 'denied'
    return
  }
  call.decision = approve ? 'approved' : 'denied'
  call.reason = reason
  if (!approve) return
  call.edited = edited
  call.answered = [...call.answered, ...call.asks]
}

/** A person has it tried again, or gives it up. */
function noteTrial({ run }: State, fact: FactOf<'wait.resolved'>): void {
  const { approve, reason } = readDecision(fact.decision ?? null, fact.by)
  if (run && !approve) run.givenUp = reason ?? ''
}

function findCall(conversation: Conversation, id: CallId): Call | undefined {
  return conversation.turn?.calls.find((call) => call.id === id)
}

function resultArgument(call: Call): Json {
  const value = call.arguments ? inlineOf(call.arguments) : null
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null
  return (value as { readonly [key: string]: Json })['result'] ?? null
}

function countRepeated(conversation: Conversation, call: Call): void {
  if (!call.digest) return
  const { repeated } = conversation
  conversation.repeated = { digest: call.digest, count: repeated?.digest === call.digest ? repeated.count + 1 : 1 }
}
