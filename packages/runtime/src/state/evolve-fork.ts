// Keeps I5 and I8: a fork has the past of another thread, and of its present nothing but what is written behind it.
import { HoldfastError } from '../contracts/errors.ts'
import type { FactOf, GivenResult } from '../contracts/fact.ts'
import type { Stamp } from '../contracts/heart.ts'
import type { CallId } from '../contracts/ids.ts'
import { NO_USAGE } from '../contracts/usage.ts'
import { positionOf, turnOf } from './call-place.ts'
import { toOutput } from './history.ts'
import { toPinned } from './pinned.ts'
import { newSpent } from './spent.ts'
import type { Call, Conversation, State } from './state.ts'

/** What stands before was copied: waits are no one's here, and what was spent was spent by the other thread. */
export function evolveThreadForked(state: State, stamp: Stamp, fact: FactOf<'thread.forked'>): void {
  state.root = state.thread
  state.waits.clear()
  state.admitted.clear()
  state.usage = NO_USAGE
  state.cost = 0
  state.budget = null
  Object.assign(state.spent, newSpent(), { since: state.run?.status === 'running' ? stamp : null })
  // The time between the copied commits and this one is not the run's.
  if (state.run) state.run = { ...state.run, stamp, usage: NO_USAGE, cost: 0 }
  // What was approved there was approved for that thread.
  state.remembered = []
  for (const { turn } of state.conversations.values()) if (turn) turn.reserved = 0
  // Its own hooks look at what it asks.
  for (const conversation of state.conversations.values()) conversation.prepared = null
  for (const { turn } of state.conversations.values()) for (const call of turn?.calls ?? []) forgetDecision(call)
  for (const given of fact.results ?? []) replaceResult(state, given)
}

function forgetDecision(call: Call): void {
  call.wait = null
  if (call.settled) return
  call.decision = null
  call.edited = null
  call.answered = []
}

/** Another publication holds from here on. Throws `publication_missing` when nobody has added it. */
export function evolveThreadRepinned(state: State, stamp: Stamp, fact: FactOf<'thread.repinned'>): void {
  const publication = state.publications.get(fact.publication)
  if (!publication) {
    throw new HoldfastError(
      'publication_missing',
      `the publication ${fact.publication}, named in commit ${stamp.sequence}, is not in the store`
    )
  }
  Object.assign(state, toPinned(publication))
  if (fact.grants !== undefined) state.grants = fact.grants
}

/** Where a settled call's result can still be replaced. `open`: its turn is; `shown`: the model has not answered it. */
export function findReplaceable(state: State, call: CallId): 'open' | 'shown' | null {
  for (const conversation of state.conversations.values()) {
    if (openCall(conversation, call)) return 'open'
    if (shownIndex(conversation, call) !== null) return 'shown'
  }
  return null
}

function replaceResult(state: State, { call, result }: GivenResult): void {
  for (const conversation of state.conversations.values()) {
    const open = openCall(conversation, call)
    if (open?.settled) Object.assign(open, { result: { inline: result }, seen: null })
    const index = shownIndex(conversation, call)
    if (index === null) continue
    const message = conversation.history[index]
    const position = positionOf(call) - (conversation.closed?.first ?? 0)
    if (message?.role !== 'tool') continue
    const content = message.content.map((part, at) =>
      at === position && part.type === 'tool-result' ? { ...part, output: toOutput(result) } : part
    )
    // Requests that were built before hold the message that was.
    conversation.history[index] = { ...message, content }
  }
}

function openCall({ turn }: Conversation, id: CallId) {
  return turn?.phase === 'calls' ? turn.calls.find((call) => call.id === id) : undefined
}

/** Where the results of the call's turn stand, unless the model has spoken since. */
function shownIndex({ closed, history }: Conversation, call: CallId): number | null {
  if (closed === null || closed.turn !== turnOf(call) || positionOf(call) < closed.first) return null
  return history.slice(closed.index + 1).some((message) => message.role === 'assistant') ? null : closed.index
}
