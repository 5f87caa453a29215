// Keeps I4, I5, I6: a call runs only when it is committed as started; a `once` call that an older attempt started never runs again.
import type { PlanContext, Planned } from '../contracts/heart.ts'
import type { CallsDraft } from './plan-held.ts'
import { earliestExpiry, look, planHeld } from './plan-held.ts'
import { acts, follows, rests } from './planned.ts'
import { toSettled, toUnknown } from './settle.ts'
import type { Call, Conversation, Run, State, Turn } from './state.ts'

/** How often a call that may be repeated is started in all. */
export const MAX_TRIES = 3

/** The open calls of a turn: judge, hold, start, run, settle. */
export function planCalls(state: State, run: Run, conversation: Conversation, turn: Turn, context: PlanContext): Planned {
  const draft: CallsDraft = { state, run, conversation, context, facts: [], open: [], close: [], actions: [], isHeldBack: false }
  const open = turn.calls.filter((call) => !call.settled)
  const startable = open.filter((call) => planCall(draft, call))
  for (const call of placeable(state, turn, startable)) start(draft, call, 1)
  if (draft.facts.length > 0) return follows(draft.facts, { open: draft.open, close: draft.close })
  const timer = earliestExpiry(state)
  return draft.actions.length > 0 || draft.isHeldBack ? acts(draft.actions, timer) : rests(timer)
}

/** Plans what follows for one call; true when it may be started as soon as it has a place. */
function planCall(draft: CallsDraft, call: Call): boolean {
  if (call.started) planStarted(draft, call, call.started)
  else if (call.verdict === null) look(draft, call)
  else if (call.verdict === 'block') settle(draft, call, 'blocked')
  else if (call.verdict === 'respond') settle(draft, call, 'ok')
  else if (call.verdict === 'hold') planHeld(draft, call)
  else return true
  return false
}

function planStarted(draft: CallsDraft, call: Call, started: NonNullable<Call['started']>): void {
  const { run, conversation, context } = draft
  if (started.stamp.attempt === context.attempt) {
    draft.actions.push({ id: `${call.id}#${started.try}.${started.leg}`, scope: conversation.scope, do: 'run', call: call.id })
  } else if (started.effect === 'once' || started.try >= MAX_TRIES) draft.facts.push(toUnknown(run, conversation, call))
  else start(draft, call, started.try + 1)
}

/**
 * Which of the startable calls have a place now: all of a parallel turn up to the limit; of any other turn the first, when nothing runs
 * and no call before it is still to be judged.
 */
function placeable(state: State, turn: Turn, startable: readonly Call[]): readonly Call[] {
  const running = turn.calls.filter((call) => call.started && !call.settled).length
  const together = turn.calls.every((call) => state.tools.get(call.tool)?.parallelSafe !== false)
  if (together) return startable.slice(0, Math.max(0, state.limits.maxParallelCalls - running))
  const next = turn.calls.find((call) => !call.settled && (call.verdict === null || startable.includes(call)))
  return running === 0 && next && startable.includes(next) ? [next] : []
}

function start(draft: CallsDraft, call: Call, attempt: number): void {
  const { state, run, conversation, context } = draft
  if (context.stopping) {
    draft.isHeldBack = true
    return
  }
  const tool = state.tools.get(call.tool)
  draft.facts.push({
    v: 1,
    type: 'call.started',
    run: run.id,
    scope: conversation.scope,
    call: call.id,
    try: attempt,
    leg: 1,
    effect: tool?.effect ?? 'once',
    deadlineMs: tool?.timeoutMs ?? state.limits.toolTimeoutMs
  })
}

function settle(draft: CallsDraft, call: Call, outcome: 'blocked' | 'ok'): void {
  const fallback = outcome === 'ok' ? { value: null } : { error: 'blocked' }
  draft.facts.push(toSettled(draft.run, draft.conversation, call, outcome, call.verdictResult ?? fallback))
}
