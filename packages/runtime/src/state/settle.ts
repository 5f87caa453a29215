import type { CallOutcome, Effect, FactOf } from '../contracts/fact.ts'
import type { CallResult } from '../contracts/message.ts'
import type { Call, Conversation, Run, Turn } from './state.ts'

/** The one settlement of a call. */
export function toSettled(
  run: Run,
  conversation: Conversation,
  call: Call,
  outcome: CallOutcome,
  result: CallResult
): FactOf<'call.settled'> {
  return { v: 1, type: 'call.settled', run: run.id, scope: conversation.scope, call: call.id, outcome, result: { inline: result } }
}

/** The end of a review that nobody waits for any more: what no hook has let pass, no model sees. */
export function toUnreviewed(run: Run, { scope }: Conversation, call: Call, why: string): FactOf<'call.reviewed'> {
  return { v: 1, type: 'call.reviewed', run: run.id, scope, call: call.id, seen: { inline: { error: `${UNREVIEWED}: ${why}.` } } }
}

/** The same for an answer: nothing of it is seen or run. */
export function toWithheld(run: Run, { scope }: Conversation, { id }: Turn): FactOf<'turn.reviewed'> {
  return { v: 1, type: 'turn.reviewed', run: run.id, scope, turn: id, withheld: true }
}

const UNREVIEWED = 'This call was run. Its result was to be checked first and is not shown'

/** What is known of the effect of a call that was begun and cut short. */
export function toEffectNote(effect: Effect): string {
  return effect === 'read' ? ', and it changes nothing' : ', and it may have had an effect'
}

/** A call that may have happened: the model is told so, and nobody pretends (I5). */
export function toUnknown(run: Run, conversation: Conversation, call: Call): FactOf<'call.settled'> {
  const { try: tries = 1, effect = 'once' } = call.started ?? {}
  const told = tries < 2 ? 'It was not run again.' : `It was started ${tries} times, and no result came.`
  const [before, after] = ADVICE[effect]
  return toSettled(run, conversation, call, 'unknown', {
    error: `The outcome of this call is not known: it was started, and the process that ran it stopped before its result was recorded. ${before} ${told} ${after}`
  })
}

/** What is true of the effect, and what follows from it. The model's own repeat is another call with another key. */
const ADVICE: { readonly [effect in Effect]: readonly [string, string] } = {
  read: ['It changes nothing.', 'Call it again if it is still needed.'],
  idempotent: ['It may have happened.', 'Check before you repeat it.'],
  once: ['It may have happened.', 'Check before you repeat it.']
}
