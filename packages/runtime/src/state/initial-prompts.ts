// Keeps I2 and I7: what stands before the first message is placed by the fold alone. A prompt with calls is over when each of them has its result.
import type { FactOf, WaitKind } from '../contracts/fact.ts'
import type { Stamp } from '../contracts/heart.ts'
import type { InjectedPrompt } from '../contracts/initial-prompt.ts'
import type { ToolCallPart } from '../contracts/message.ts'
import { inlineOf } from './body.ts'
import { toAssistantMessage, toUserMessage } from './history.ts'
import type { InitialPrompts } from './initial-state.ts'
import { newCall } from './new-call.ts'
import { NewTurn } from './new-turn.ts'
import type { Conversation, State } from './state.ts'
import { conversationOf, isEnding } from './state.ts'

/** What a model reads where calls stand at the very beginning: providers take calls only behind somebody who asks for them. */
export const BEFORE_CALLS = 'These calls were made before the task was given.'

/** The thread begins with prompts and calls that nobody has to think of. */
export function evolvePromptsInjected(state: State, stamp: Stamp, fact: FactOf<'prompts.injected'>): void {
  const conversation = conversationOf(state, fact.scope)
  conversation.initial = { turn: fact.turn, prompts: inlineOf(fact.prompts), next: 0, calls: 0, isHeld: false, behind: [] }
  placeNextPrompt(state, stamp, conversation)
}

/**
 * Places prompts up to the first that has calls; behind the last one, or once the rest is left out, what was said meanwhile. A run that ends does not
 * open calls: those that are cancelled are its last ones.
 */
export function placeNextPrompt(state: State, stamp: Stamp, conversation: Conversation): void {
  const { initial } = conversation
  if (!initial) return
  const isOver = initial.isHeld || isEnding(state) || conversation.turn?.calls.some((call) => call.settled === 'cancelled')
  while (!isOver) {
    const prompt = initial.prompts[initial.next++]
    if (prompt === undefined) break
    if (prompt.text !== undefined) placeText(conversation, prompt.role, prompt.text)
    if (prompt.calls !== undefined && prompt.calls.length > 0) return openCalls(conversation, initial, prompt.calls, stamp)
  }
  endInitialPrompts(conversation)
}

/** A call that waits for somebody makes the task the next thing that is said. What became of one that a crash cut short changes nothing. */
export function noteHeld({ initial }: Conversation, kind: WaitKind): void {
  if (initial && kind !== 'outcome') initial.isHeld = true
}

/** Nothing more is placed before what was said meanwhile. */
export function endInitialPrompts(conversation: Conversation): void {
  const { initial } = conversation
  if (!initial) return
  conversation.history.push(...initial.behind)
  conversation.initial = null
}

/** Not every provider takes what the system says anywhere but at the beginning. */
function placeText(conversation: Conversation, role: InjectedPrompt['role'], text: string): void {
  if (text.trim() === '') return
  if (role === 'system') conversation.system = [...conversation.system, text]
  else placeUser(conversation, text)
}

function placeUser({ history }: Conversation, text: string): void {
  const message = toUserMessage([{ type: 'text', text }])
  if (message) history.push(message)
}

function openCalls(conversation: Conversation, initial: InitialPrompts, asked: NonNullable<InjectedPrompt['calls']>, stamp: Stamp): void {
  const { history } = conversation
  if (!history.some((message) => message.role === 'user')) placeUser(conversation, BEFORE_CALLS)
  const parts = asked.map(({ tool, input }): ToolCallPart => ({ type: 'tool-call', id: '', tool, input }))
  const calls = parts.map((part) => newCall(conversation, { id: initial.turn, number: 0 }, part, initial.calls++))
  const message = toAssistantMessage(parts, calls)
  if (message) history.push(message)
  const turn = new NewTurn({ turn: initial.turn, try: 1, model: '' }, stamp)
  turn.phase = 'calls'
  turn.calls = calls
  turn.open = calls.length
  conversation.turn = turn
}
