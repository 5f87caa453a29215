import type { Fact } from '../contracts/fact.ts'
import type { Cancelled, Planned } from '../contracts/heart.ts'
import { inlineOf } from './body.ts'
import { hasNextLeg } from './call-legs.ts'
import { toRunEnded } from './run-end.ts'
import { acts, follows } from './planned.ts'
import { endOfGivenUp } from './quarantine.ts'
import { toEffectNote, toSettled, toUnknown, toUnreviewed, toWithheld } from './settle.ts'
import type { Call, Conversation, Run, State, Turn } from './state.ts'

/** A run that is cancelled or given up settles what is open, lets what runs here report, and ends. No provider is called, no call is started. */
export function planCancel(state: State, run: Run, conversation: Conversation, context: { readonly attempt: number }): Planned {
  const { turn } = conversation
  const open = turn?.phase === 'calls' ? turn.calls.filter((call) => !call.settled) : []
  const facts: Fact[] = [...state.waits.values()].map((wait) => ({
    v: 1,
    type: 'wait.resolved',
    run: run.id,
    scope: wait.scope,
    wait: wait.id,
    as: 'cancelled'
  }))
  if (turn) facts.push(...endReviews(run, conversation, turn))
  for (const call of open) {
    const fact = settleUnlessRunning(run, conversation, call, context.attempt)
    if (fact) facts.push(fact)
  }
  if (facts.length > 0) return follows(facts, { close: [...state.waits.keys()] })
  const cancelled: Cancelled = { by: 'cancel', graceMs: run.cancel?.graceMs ?? 0 }
  const { scope } = conversation
  if (turn?.phase === 'infer') return acts([{ id: `${turn.id}#${turn.try}`, scope, do: 'infer', turn: turn.id, cancelled }])
  if (open.length > 0) {
    return acts(
      open.map((call) => ({
        id: `${call.id}#${call.started?.try ?? 1}.${call.started?.leg ?? 1}`,
        scope,
        do: 'run',
        call: call.id,
        cancelled
      }))
    )
  }
  const { givenUp } = run
  const isGivenUp = givenUp !== null && !run.cancel
  return follows([toRunEnded(run, isGivenUp ? endOfGivenUp(givenUp) : { status: 'cancelled', why: run.cancel?.reason ?? 'cancelled' })])
}

/** What no hook has let pass, no later run shows. */
function endReviews(run: Run, conversation: Conversation, turn: Turn): readonly Fact[] {
  if (turn.phase === 'review') return [toWithheld(run, conversation, turn)]
  return turn.calls.filter((call) => call.inReview).map((call) => toUnreviewed(run, conversation, call, 'the run was ended before'))
}

function settleUnlessRunning(run: Run, conversation: Conversation, call: Call, attempt: number): Fact | null {
  if (!call.started) return toSettled(run, conversation, call, 'cancelled', { error: 'cancelled before it was run' })
  if (call.suspended || hasNextLeg(call)) {
    return toSettled(run, conversation, call, 'cancelled', { error: `cancelled while it waited${toEffectNote(call.started.effect)}` })
  }
  if (call.outcome?.outcome === 'not_happened') {
    return toSettled(run, conversation, call, 'cancelled', {
      error: 'cancelled; a person says that it had not happened, and it was not run again'
    })
  }
  if (call.started.stamp.attempt === attempt) return null
  const said = settleSaid(run, conversation, call)
  if (said) return said
  if (call.started.effect === 'once') return toUnknown(run, conversation, call)
  return toSettled(run, conversation, call, 'cancelled', { error: `cancelled; it had been started${toEffectNote(call.started.effect)}` })
}

/** What the tool has said of it in the commit in which the run is cancelled. */
function settleSaid(run: Run, conversation: Conversation, call: Call): Fact | null {
  const { said = null, final = false, result = null, review = false } = call.reconciled ?? {}
  if (said === 'done') {
    const done = result ? inlineOf(result) : { value: null }
    const settled = toSettled(run, conversation, call, 'error' in done ? 'error' : 'ok', done)
    return review ? { ...settled, review } : settled
  }
  if (said !== 'not_done' || !final) return null
  return toSettled(run, conversation, call, 'cancelled', {
    error: 'cancelled; it had been started, and its tool says that it was not done'
  })
}
