// Keeps I4, I5, I6: a call runs only when it is committed as started; a `once` call that an older attempt started never runs again.
import type { PlanContext, Planned } from '../contracts/heart.ts'
import type { Ms } from '../contracts/ids.ts'
import { isLetGo } from './call-legs.ts'
import { withinBudget } from './plan-budget.ts'
import type { CallsDraft } from './plan-held.ts'
import { earliestExpiry, look, planHeld, settle } from './plan-held.ts'
import { planStarted, start } from './plan-started.ts'
import { acts, follows, rests } from './planned.ts'
import { toSettled } from './settle.ts'
import type { Call, Conversation, Run, State, Turn } from './state.ts'

/** The open calls of a turn: judge, hold, start, run, settle. */
export function planCalls(state: State, run: Run, conversation: Conversation, turn: Turn, context: PlanContext): Planned {
  if (turn.withheld) return planWithheld(run, conversation, turn)
  const draft: CallsDraft = { state, run, conversation, context, facts: [], open: [], close: [], actions: [], due: null, isHeldBack: false }
  const startable = turn.calls.filter((call) => !call.settled && planCall(draft, call))
  for (const call of turn.calls) if (call.inReview) review(draft, call)
  for (const call of withinBudget(draft, placeable(state, turn, startable))) start(draft, call)
  if (draft.facts.length > 0) return follows(draft.facts, { open: draft.open, close: draft.close })
  const timer = earlier(draft.due, earliestExpiry(state))
  return draft.actions.length > 0 || draft.isHeldBack ? acts(draft.actions, timer) : rests(timer)
}

/** Nothing of the answer is run. */
function planWithheld(run: Run, conversation: Conversation, { calls, refused }: Turn): Planned {
  const error = refused?.message ?? 'Not run: the answer was withheld.'
  return follows(calls.filter((call) => !call.settled).map((call) => toSettled(run, conversation, call, 'blocked', { error })))
}

/** Plans what follows for one call; true when it may be started as soon as it has a place. */
function planCall(draft: CallsDraft, call: Call): boolean {
  if (call.started) return planStarted(draft, call, call.started)
  if (call.verdict === null) look(draft, call)
  else if (call.verdict === 'block') settleGated(draft, call, 'blocked')
  else if (call.verdict === 'respond') settleGated(draft, call, 'ok')
  else if (call.verdict === 'hold') planHeld(draft, call)
  else return true
  return false
}

function review({ actions, conversation }: CallsDraft, call: Call): void {
  actions.push({ id: `${call.id}#review`, scope: conversation.scope, do: 'reviewCall', call: call.id })
}

function earlier(a: Ms | null, b: Ms | null): Ms | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b)
}

/**
 * Which of the startable calls have a place now: all of a parallel turn up to the limit; of any other turn the first, when nothing runs
 * and no call before it is still to be judged.
 */
function placeable(state: State, turn: Turn, startable: readonly Call[]): readonly Call[] {
  if (startable.length === 0) return startable
  const running = turn.calls.filter((call) => call.started && !call.settled && !isLetGo(call)).length
  const together = turn.calls.every((call) => state.tools.get(call.tool)?.parallelSafe !== false)
  if (together) return startable.slice(0, Math.max(0, state.limits.maxParallelCalls - running))
  const next = turn.calls.find((call) => !call.settled && (call.verdict === null || startable.includes(call)))
  return running === 0 && next && startable.includes(next) ? [next] : []
}

function settleGated(draft: CallsDraft, call: Call, outcome: 'blocked' | 'ok'): void {
  const fallback = outcome === 'ok' ? { value: null } : { error: 'blocked' }
  settle(draft, call, outcome, call.verdictResult ?? fallback)
}
