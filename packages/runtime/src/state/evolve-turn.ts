import type { LanguageModelV4Message } from '@ai-sdk/provider'
import type { FactOf } from '../contracts/fact.ts'
import type { Stamp } from '../contracts/heart.ts'
import type { Scope } from '../contracts/ids.ts'
import type { Part, ToolCallPart } from '../contracts/message.ts'
import type { Cost, Usage } from '../contracts/usage.ts'
import { addCost, addUsage } from '../contracts/usage.ts'
import { inlineOf } from './body.ts'
import { toAside } from './candidate.ts'
import { toAssistantMessage } from './history.ts'
import { providerOf } from './shown-history.ts'
import { newCall } from './new-call.ts'
import { NewTurn } from './new-turn.ts'
import { spend, spendUnknown, tokensOf } from './spent.ts'
import { closeTurn } from './turn-end.ts'
import type { GivenAnswer } from './given-answer.ts'
import type { Conversation, State, Turn } from './state.ts'
import { conversationOf } from './state.ts'

const NO_ASKS: Turn['asks'] = []

/** A try of a turn begins: a new turn, or the next try of the same. */
export function evolveTurnStarted(state: State, stamp: Stamp, fact: FactOf<'turn.started'>): void {
  const conversation = conversationOf(state, fact.scope)
  const turn = conversation.turn
  if (fact.hook === undefined) conversation.asked = fact.model
  if (turn && turn.id === fact.turn) {
    turn.phase = 'infer'
    turn.try = fact.try
    turn.stamp = stamp
    turn.candidate = fact.candidate ?? 0
    turn.model = fact.model
    turn.last = fact.last ?? false
    turn.hook = fact.hook ?? null
    turn.reserved = fact.reservedTokens ?? 0
    return
  }
  conversation.turn = new NewTurn(fact, stamp)
  conversation.answer = null
  if (state.run) state.run.turns++
}

/** Hooks have looked at what a model is about to be asked. */
export function evolveTurnPrepared(state: State, _stamp: Stamp, { scope, turn, context, error }: FactOf<'turn.prepared'>): void {
  const texts = context === undefined ? [] : inlineOf(context).map(({ text }) => text)
  conversationOf(state, scope).prepared = { turn, context: texts, error: error ?? null }
}

/** The model answered: its parts become history, its calls become the open calls of the turn; where hooks are to look, once they have. */
export function evolveModelResponded(state: State, _stamp: Stamp, fact: FactOf<'model.responded'>): void {
  const conversation = conversationOf(state, fact.scope)
  const { turn } = conversation
  if (!turn) return
  conversation.prepared = null
  addSpent(state, fact.usage, fact.cost)
  const parts = inlineOf(fact.parts)
  turn.calls = parts.filter(isOwnCall).map((part, position) => newCall(conversation, turn, part, position))
  turn.open = turn.calls.length
  turn.failure = null
  state.aside.delete(turn.model)
  if (fact.usage.estimated) state.spent.unmetered++
  const { finish, usage, cost, model } = fact
  const given = { parts, finish, check: fact.output ?? null, usage, cost, model }
  turn.phase = fact.review ? 'review' : turn.open > 0 ? 'calls' : 'closed'
  if (fact.review) turn.given = given
  else showAnswer(state, conversation, turn, given)
}

/** Hooks have looked at an answer: what is left of it is seen. */
export function evolveTurnReviewed(state: State, stamp: Stamp, fact: FactOf<'turn.reviewed'>): void {
  const conversation = conversationOf(state, fact.scope)
  const { turn } = conversation
  if (!turn?.given || turn.id !== fact.turn) return
  const { given } = turn
  turn.given = null
  turn.phase = turn.open > 0 ? 'calls' : 'closed'
  turn.asks = fact.asks ?? NO_ASKS
  turn.withheld = fact.withheld ?? false
  turn.refused = fact.error ?? null
  const seen = fact.seen ? { ...given, parts: inlineOf(fact.seen), check: fact.output ?? null } : given
  if (!turn.withheld) showAnswer(state, conversation, turn, seen)
  // A fork may know already how its calls have ended.
  if (turn.open === 0 && turn.calls.length > 0) closeTurn(state, stamp, conversation, turn)
}

/** An answer becomes history. */
function showAnswer(state: State, conversation: Conversation, turn: Turn, given: GivenAnswer): void {
  const message = toAssistantMessage(given.parts, turn.calls)
  if (message) addAnswer(conversation, message, providerOf(state.definition, turn.model))
  // A hook has counted nothing.
  if (turn.hook === null) conversation.measured = { index: conversation.history.length, tokens: tokensOf(given.usage) }
  if (turn.calls.length > 0) conversation.emptyAnswers = 0
  else noteAnswer(conversation, given)
}

/** A try gave no answer. */
export function evolveModelFailed(state: State, stamp: Stamp, fact: FactOf<'model.failed'>): void {
  const { turn } = conversationOf(state, fact.scope)
  if (!turn) return
  if (fact.usage) addSpent(state, fact.usage, fact.cost ?? 'unknown')
  else spendUnknown(state.spent, fact, turn.reserved)
  const { why, error = null, retryAfterMs = null } = fact
  turn.phase = 'failed'
  turn.failure = { why, candidate: turn.candidate, model: turn.model, error, retryAfterMs, stamp, waited: false }
  if (why !== 'transient' && why !== 'permanent') return
  turn.failures.push(turn.failure)
  const aside = toAside(turn, turn.failure)
  if (aside) state.aside.set(turn.model, aside)
}

/** The pause that a provider asked for is over, or somebody says so. */
export function evolvePauseOver(state: State, scope: Scope): void {
  const failure = conversationOf(state, scope).turn?.failure
  if (failure) failure.waited = true
}

/** Whether a part is a call that we run: not one that the provider has executed itself. */
export function isOwnCall(part: Part): part is ToolCallPart {
  return part.type === 'tool-call' && part.providerExecuted !== true
}

function addAnswer({ history, authors }: Conversation, message: LanguageModelV4Message, provider: string): void {
  if (authors.at(-1)?.provider !== provider) authors.push({ from: history.length, provider })
  history.push(message)
}

function noteAnswer(conversation: Conversation, { parts, finish, check }: GivenAnswer): void {
  const text = textOf(parts)
  const isEmpty = text.trim() === '' && !parts.some((part) => part.type === 'file')
  conversation.emptyAnswers = isEmpty ? conversation.emptyAnswers + 1 : 0
  conversation.answer = { text, finish, check }
}

function textOf(parts: readonly Part[]): string {
  return parts
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('')
}

function addSpent(state: State, usage: Usage, cost: Cost): void {
  state.usage = addUsage(state.usage, usage)
  state.cost = addCost(state.cost, cost)
  spend(state.spent, usage, cost)
  if (!state.run) return
  state.run.usage = addUsage(state.run.usage, usage)
  state.run.cost = addCost(state.run.cost, cost)
}
