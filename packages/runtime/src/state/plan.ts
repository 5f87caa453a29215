// Keeps I4 (an effect is planned only for what is committed as started), I7, I17.
import type { Fact, FactOf } from '../contracts/fact.ts'
import type { ModelMove } from '../contracts/model-move.ts'
import type { PlanContext, Planned } from '../contracts/heart.ts'
import type { TurnId } from '../contracts/ids.ts'
import type { InboxItem } from '../contracts/store.ts'
import { endOfBudget, reserve } from './budget.ts'
import { candidateAt, candidatesOf, firstCandidate, nextTry, toModelName } from './candidate.ts'
import { endOf, isOutOfTime } from './end.ts'
import { toRunEnded } from './run-end.ts'
import { planPause, planPauseEnd } from './pause.ts'
import { planBeyond, planBudgetWait } from './plan-budget.ts'
import { planCalls } from './plan-calls.ts'
import { planCancel } from './plan-cancel.ts'
import { acts, follows, IDLE } from './planned.ts'
import { planQuarantine } from './quarantine.ts'
import { countWithheld, providerOf } from './shown-history.ts'
import { findUnseen, isInterrupted } from './take.ts'
import type { Conversation, Run, State, Turn } from './state.ts'
import { conversationOf, hasOpenTurn, isActive, isEnding } from './state.ts'

/** The facts that follow from the state; when none do, the whole set of effects that should be running now, or rest. */
export function plan(state: State, context: PlanContext): Planned {
  const unseen = findUnseen(state, context)
  if (unseen === null) return planRun(state, context)
  const aside = planWorn(state, unseen, context)
  if (aside) return aside
  const admit = { id: `${unseen.id}#admit`, scope: '', do: 'admit', item: unseen } as const
  // At a turn boundary nothing else follows before it is taken or returned.
  if (!isActive(state) || !hasOpenTurn(conversationOf(state))) return acts([admit])
  const planned = planRun(state, context)
  return planned.facts.length > 0 ? planned : acts([...planned.actions, admit], planned.timer)
}

/** Hooks that have ended their processes too often are not asked again by themselves: a person is, or, where no run is under way, the message goes back. */
function planWorn(state: State, { id }: InboxItem, context: PlanContext): Planned | null {
  const { crashes = 0 } = context
  if (isActive(state) && state.run) return planQuarantine(state, state.run, context)
  if (crashes === 0) return null
  const message = `no hook has let the message pass: the processes that were to look at it ended ${crashes} times`
  return follows([{ v: 1, type: 'message.admitted', scope: '', item: id, error: { code: 'hook_failed', message } }])
}

function planRun(state: State, context: PlanContext): Planned {
  const { run } = state
  if (run?.status !== 'running') return IDLE
  const aside = run.cancel ? null : planQuarantine(state, run, context)
  if (aside) return aside
  const conversation = conversationOf(state)
  const { turn } = conversation
  if (turn?.phase === 'infer' && turn.stamp.attempt !== context.attempt) {
    return follows([{ v: 1, type: 'model.failed', run: run.id, scope: conversation.scope, turn: turn.id, try: turn.try, why: 'lost' }])
  }
  if (isEnding(state)) return planCancel(state, run, conversation, context)
  if (turn?.phase === 'calls') return planCalls(state, run, conversation, turn, context)
  if (turn?.phase === 'review') return acts([{ id: `${turn.id}#review`, scope: conversation.scope, do: 'reviewTurn', turn: turn.id }])
  if (turn?.phase === 'infer') return planInfer(state, conversation, turn, context)
  return planBoundary(state, run, conversation, context)
}

/** The model is asked; or it is in the way of somebody who interrupts, whose message is taken when it has ended. */
function planInfer(state: State, { scope }: Conversation, turn: Turn, context: PlanContext): Planned {
  const action = { id: `${turn.id}#${turn.try}`, scope, do: 'infer', turn: turn.id } as const
  return acts([isInterrupted(state, context.pending) ? { ...action, cancelled: { by: 'interrupt', graceMs: 0 } } : action])
}

/** No turn is open: the run ends, repairs, waits for its back-off, or begins the next try or turn. */
function planBoundary(state: State, run: Run, conversation: Conversation, context: PlanContext): Planned {
  const end = endOf(state, conversation)
  const isLate = isOutOfTime(state, context.now)
  const paused = planPauseEnd(state, run, conversation, end !== null || isLate, context)
  if (paused) return paused
  const held = planBudgetWait(state, run, conversation, end !== null || isLate)
  if (held) return held
  if (end) return follows([toRunEnded(run, end)])
  const { turn, answer } = conversation
  if (answer?.check?.ok === false && conversation.repairs === 0) return follows([toRepair(run, conversation, answer.check.errors)])
  if (isLate) return follows([toRunEnded(run, { status: 'stopped', why: 'time_limit' })])
  if (turn?.phase === 'failed') return planRetry(state, run, conversation, turn, context)
  const number = (turn?.number ?? 0) + 1
  const next = { turn: `${run.id}/${conversation.scope}/${number}`, try: 1, candidate: firstCandidate(state, context.now) }
  return planTurn(state, run, conversation, next, context)
}

function planRetry(state: State, run: Run, conversation: Conversation, turn: Turn, context: PlanContext): Planned {
  const { candidate, due } = nextTry(state, turn, context.now) ?? { candidate: turn.candidate, due: 0 }
  if (due > context.now) return planPause(state, run, conversation, turn, due, context)
  return planTurn(state, run, conversation, { turn: turn.id, try: turn.try + 1, candidate }, context)
}

/** A model is asked as far as the budget goes. */
function planTurn(state: State, run: Run, conversation: Conversation, asked: Asked, context: PlanContext): Planned {
  const end = endOfBudget(state, conversation, asked.candidate, context.now)
  if (end) return follows([toRunEnded(run, end)])
  const beyond = planBeyond(state, run, conversation, asked, context)
  if (beyond) return beyond
  if (context.hooked?.beforeInference && conversation.prepared?.turn !== asked.turn) return prepare(conversation, asked)
  return begin(toTurnStarted(state, run, conversation, asked), context)
}

/** Hooks look at the request first, and again when something has come that they have not seen. */
function prepare({ scope, history }: Conversation, { turn, candidate }: Asked): Planned {
  return acts([{ id: `${turn}#prepare.${history.length}`, scope, do: 'prepare', turn, candidate }])
}

/** A worker that stops leaves the announcement to the next one. */
function begin(fact: Fact, context: PlanContext): Planned {
  return context.stopping ? acts([]) : follows([fact])
}

type Asked = Pick<FactOf<'turn.started'>, 'turn' | 'try'> & { readonly candidate: number }

function toTurnStarted(state: State, run: Run, conversation: Conversation, { turn, try: count, candidate }: Asked): Fact {
  const model = toModelName(candidateAt(state.definition, candidate))
  const moved = toMove(state, conversation, model)
  const reservedTokens = reserve(state, conversation, candidate)
  const last = isLast(state, turn)
  const started: Fact = { v: 1, type: 'turn.started', run: run.id, scope: conversation.scope, turn, try: count, model }
  if (candidate === 0 && moved === null && !last && reservedTokens === 0) return started
  return {
    ...started,
    ...(candidate === 0 ? {} : { candidate }),
    ...(moved ? { moved } : {}),
    ...(last ? { last } : {}),
    ...(reservedTokens === 0 ? {} : { reservedTokens })
  }
}

/** Before the limit stops the run the model is to answer, where it has had tools so far. */
function isLast({ limits, tools }: State, turn: TurnId): boolean {
  const number = Number(turn.slice(turn.lastIndexOf('/') + 1))
  return limits.lastTurn === 'answer' && number > 1 && number >= limits.maxTurns && tools.size > 0
}

function toMove(state: State, conversation: Conversation, model: string): ModelMove | null {
  const from = conversation.asked
  if (from === null || from === model) return null
  const withheld = countWithheld(conversation, providerOf(state.definition, model))
  const isCandidate = candidatesOf(state.definition).some((each) => toModelName(each) === from)
  return { from, why: isCandidate ? (state.aside.get(from)?.why ?? 'back') : 'replaced', withheld }
}

function toRepair(run: Run, conversation: Conversation, errors: string): Fact {
  const text = `Your answer does not match the required output schema:\n${errors}\nAnswer again with JSON that matches it, and with nothing else.`
  return {
    v: 1,
    type: 'message.received',
    run: run.id,
    scope: conversation.scope,
    source: { kind: 'runtime', id: 'output' },
    injected: true,
    parts: { inline: [{ type: 'text', text }] }
  }
}
