// Keeps I2 and I13: an estimate from what the last answer used and what has come since; only a conversation without an answer is counted from its beginning.
import type { LanguageModelV4Message } from '@ai-sdk/provider'
import type { Definition } from '../contracts/publication.ts'
import { candidateAt } from './candidate.ts'
import type { Conversation, State } from './state.ts'

const CHARACTERS_PER_TOKEN = 4
/** What a file is taken for. What it really is depends on the provider. */
const TOKENS_OF_FILE = 2_000
/** What an answer is taken for whose model has no `maxOutputTokens`. */
const TOKENS_OF_ANSWER = 4_096

/** Tokens that a model call is expected to use. */
export interface Reservation {
  /** Without these it does not start. */
  readonly needed: number
  /** What is set aside for it while it runs, where there is as much left. */
  readonly wanted: number
}

/** What the next call of a conversation is expected to use: its input, and the most that its model may answer, where that is bounded. */
export function toReservation(state: State, conversation: Conversation, candidate: number): Reservation {
  const { history, measured, prepared } = conversation
  const known = measured ?? { index: 0, tokens: tokensBefore(state.definition, conversation) }
  const asked = history.slice(known.index).reduce((sum, message) => sum + tokensOfMessage(message), known.tokens)
  const input = prepared === null ? asked : prepared.context.reduce((sum, text) => sum + toTokens(text.length), asked)
  const most = candidateAt(state.definition, candidate).settings?.maxOutputTokens
  return { needed: input + (most ?? 1), wanted: input + (most ?? TOKENS_OF_ANSWER) }
}

/** Of what stands before the history. */
function tokensBefore(definition: Definition, { system }: Conversation): number {
  return system.reduce((sum, text) => sum + toTokens(text.length), tokensOfDefinition(definition))
}

const counted = new WeakMap<Definition, number>()

function tokensOfDefinition(definition: Definition): number {
  let tokens = counted.get(definition)
  if (tokens === undefined) {
    const { systemPrompt = '', tools, plugins = [] } = definition
    const told = tools.map(({ name, description, inputSchema }) => `${name}${description}${JSON.stringify(inputSchema)}`)
    const added = plugins.flatMap(({ context = {} }) => Object.values(context))
    tokens = toTokens([systemPrompt, ...told, ...added].reduce((sum, text) => sum + text.length, 0))
    counted.set(definition, tokens)
  }
  return tokens
}

function tokensOfMessage(message: LanguageModelV4Message): number {
  if (message.role === 'system') return toTokens(message.content.length)
  return message.content.reduce((sum, part) => sum + (part.type === 'file' ? TOKENS_OF_FILE : toTokens(JSON.stringify(part).length)), 0)
}

function toTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN)
}
