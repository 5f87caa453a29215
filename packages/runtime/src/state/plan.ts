// Keeps I4 (an effect is planned only for what is committed as started), I7, I17.
import type { Fact } from '../contracts/fact.ts'
import type { PlanContext, Planned } from '../contracts/heart.ts'
import type { End } from './end.ts'
import { endOf, isOutOfTime } from './end.ts'
import { planCalls } from './plan-calls.ts'
import { planCancel } from './plan-cancel.ts'
import { acts, follows, IDLE, rests } from './planned.ts'
import { isInterrupted } from './take.ts'
import type { Conversation, Run, State, Turn } from './state.ts'
import { conversationOf } from './state.ts'

const FIRST_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 30_000
/** A pause longer than this is spent at rest: the thread is let go and claimed again by its timer. */
const HOLD_PAUSE_MS = 5_000

/** The facts that follow from the state; when none do, the whole set of effects that should be running now, or rest. */
export function plan(state: State, context: PlanContext): Planned {
  const { run } = state
  if (run?.status !== 'running') return IDLE
  const conversation = conversationOf(state)
  const { turn } = conversation
  if (turn?.phase === 'infer' && turn.stamp.attempt !== context.attempt) {
    return follows([{ v: 1, type: 'model.failed', run: run.id, scope: conversation.scope, turn: turn.id, try: turn.try, why: 'lost' }])
  }
  if (run.cancel) return planCancel(state, run, conversation, context)
  if (turn?.phase === 'calls') return planCalls(state, run, conversation, turn, context)
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
  if (end) return follows([toRunEnded(run, end)])
  const { turn, answer } = conversation
  if (answer?.check?.ok === false && conversation.repairs === 0) return follows([toRepair(run, conversation, answer.check.errors)])
  if (isOutOfTime(state, context.now)) return follows([toRunEnded(run, { status: 'stopped', why: 'time_limit' })])
  if (turn?.phase === 'failed') return planRetry(state, run, conversation, turn, context)
  const number = (turn?.number ?? 0) + 1
  return begin(toTurnStarted(state, run, conversation, `${run.id}/${conversation.scope}/${number}`, 1), context)
}

function planRetry(state: State, run: Run, conversation: Conversation, turn: Turn, context: PlanContext): Planned {
  const due = turn.failure?.why === 'transient' ? turn.failure.stamp.at + pauseOf(turn) : 0
  if (due <= context.now) return begin(toTurnStarted(state, run, conversation, turn.id, turn.try + 1), context)
  return due - context.now > HOLD_PAUSE_MS ? rests(due) : acts([], due)
}

/** A worker that stops leaves the announcement to the next one. */
function begin(fact: Fact, context: PlanContext): Planned {
  return context.stopping ? acts([]) : follows([fact])
}

/** What the provider asked for, else 0.5 s, 1 s, 2 s … */
function pauseOf(turn: Turn): number {
  const asked = turn.failure?.retryAfterMs
  if (asked !== null && asked !== undefined) return asked
  return Math.min(FIRST_BACKOFF_MS * 2 ** Math.max(0, turn.retries - 1), MAX_BACKOFF_MS)
}

function toTurnStarted(state: State, run: Run, conversation: Conversation, turn: string, attempt: number): Fact {
  const { model } = state.definition
  const name = 'ref' in model ? model.ref : `${model.provider}/${model.model}`
  return { v: 1, type: 'turn.started', run: run.id, scope: conversation.scope, turn, try: attempt, model: name }
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

function toRunEnded(run: Run, end: End): Fact {
  return {
    v: 1,
    type: 'run.ended',
    run: run.id,
    status: end.status,
    ...(end.why === undefined ? {} : { why: end.why }),
    ...(end.error === undefined ? {} : { error: end.error }),
    ...(end.output === undefined ? {} : { output: { inline: end.output } })
  }
}
