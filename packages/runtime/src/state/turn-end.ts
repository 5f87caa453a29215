// Keeps I7: calls, then results in the order of the calls.
import type { Stamp } from '../contracts/heart.ts'
import { positionOf } from './call-place.ts'
import { toToolMessage } from './history.ts'
import { placeNextPrompt } from './initial-prompts.ts'
import type { Call, Conversation, State, Turn } from './state.ts'

/** All calls of a turn have ended: their results become history, unless nothing of its answer is seen. */
export function closeTurn(state: State, stamp: Stamp, conversation: Conversation, turn: Turn): void {
  turn.phase = 'closed'
  if (turn.withheld) return
  // What a definition asks for it asks for on purpose.
  if (turn.number > 0) for (const call of turn.calls) countRepeated(conversation, call)
  conversation.closed = {
    turn: turn.id,
    index: conversation.history.push(toToolMessage(turn.calls)) - 1,
    first: positionOf(turn.calls[0]?.id ?? '')
  }
  placeNextPrompt(state, stamp, conversation)
}

function countRepeated(conversation: Conversation, call: Call): void {
  if (!call.digest) return
  const { repeated } = conversation
  conversation.repeated = { digest: call.digest, count: repeated?.digest === call.digest ? repeated.count + 1 : 1 }
}
