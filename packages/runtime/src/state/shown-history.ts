// Keeps I7 and I19: what a provider is shown of the answers of others is valid for it, and follows from the facts alone.
import type { LanguageModelV4Message } from '@ai-sdk/provider'
import type { Definition } from '../contracts/publication.ts'
import { digestText } from '../util/canonical.ts'
import { candidatesOf, toModelName } from './candidate.ts'
import type { Author, Conversation } from './state.ts'

type AssistantMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>
type ToolMessage = Extract<LanguageModelV4Message, { role: 'tool' }>
type AssistantPart = AssistantMessage['content'][number]

/** Ids that every provider takes. */
const PLAIN_ID = /^[a-zA-Z0-9_-]{1,40}$/

/** Who is behind a model, by what facts call it. The publication does not say it of a profile: each is taken for a provider of its own. */
export function providerOf(definition: Pick<Definition, 'model'>, model: string): string {
  const candidate = candidatesOf(definition).find((each) => toModelName(each) === model)
  return candidate && 'provider' in candidate ? `provider ${candidate.provider}` : `model ${model}`
}

/** The id of a call as other providers than its own are shown it: the same each time, and another one for every call. */
export function toPlainCallId(id: string): string {
  return PLAIN_ID.test(id) ? id : `call_${digestText(id).slice(-32)}`
}

/**
 * The history as one provider is shown it, in an array of the caller's own. Of the answers of other providers it sees what was said and called,
 * not what they keep for themselves: reasoning and its signatures, metadata, calls that they ran, references to files of theirs. Call ids
 * that not every provider takes are replaced, in call and result alike.
 */
export function shownHistory({ history, authors }: Pick<Conversation, 'history' | 'authors'>, provider: string): LanguageModelV4Message[] {
  if (authors.every((author) => author.provider === provider)) return history.slice()
  const isForeign = foreignTo(authors, provider)
  return history.flatMap((message, place) => (isForeign(place) ? toForeign(message) : [message]))
}

/** How many parts of a history a provider is not shown, or not as they came. */
export function countWithheld({ history, authors }: Pick<Conversation, 'history' | 'authors'>, provider: string): number {
  const isForeign = foreignTo(authors, provider)
  let count = 0
  for (const [place, message] of history.entries()) {
    if (message.role === 'assistant' && isForeign(place)) count += message.content.filter((part) => toForeignPart(part) !== part).length
  }
  return count
}

function foreignTo(authors: readonly Author[], provider: string): (place: number) => boolean {
  return (place) => {
    const author = authors.findLast((each) => each.from <= place)
    return author !== undefined && author.provider !== provider
  }
}

function toForeign(message: LanguageModelV4Message): readonly LanguageModelV4Message[] {
  if (message.role === 'tool') return [toForeignResults(message)]
  if (message.role !== 'assistant') return [message]
  const content = message.content.map(toForeignPart).filter((part) => part !== null)
  return content.length === 0 ? [] : [{ role: 'assistant', content }]
}

function toForeignPart(part: AssistantPart): AssistantPart | null {
  switch (part.type) {
    case 'text':
      return part.providerOptions ? { type: 'text', text: part.text } : part
    case 'tool-call':
      return toForeignCall(part)
    case 'file':
      return toForeignFile(part)
    default:
      return null
  }
}

function toForeignCall(part: Extract<AssistantPart, { type: 'tool-call' }>): AssistantPart | null {
  if (part.providerExecuted) return null
  const toolCallId = toPlainCallId(part.toolCallId)
  if (toolCallId === part.toolCallId && !part.providerOptions && part.providerExecuted === undefined) return part
  return { type: 'tool-call', toolCallId, toolName: part.toolName, input: part.input }
}

function toForeignFile(part: Extract<AssistantPart, { type: 'file' }>): AssistantPart | null {
  if (part.data.type === 'reference') return null
  if (!part.providerOptions) return part
  const { providerOptions: _, ...file } = part
  return file
}

function toForeignResults({ content }: ToolMessage): ToolMessage {
  return {
    role: 'tool',
    content: content.map((part) =>
      part.type === 'tool-result' && !PLAIN_ID.test(part.toolCallId) ? { ...part, toolCallId: toPlainCallId(part.toolCallId) } : part
    )
  }
}
