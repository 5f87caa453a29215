import type {
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
  SharedV4FileData,
  SharedV4ProviderOptions
} from '@ai-sdk/provider'
import type { CallResult, FileSource, Part, ProviderMetadata } from '../contracts/message.ts'
import { parseArguments } from './arguments.ts'
import { inlineOf } from './body.ts'
import type { Call } from './state.ts'

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number]
type UserPart = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number]

/** What a model is shown for a result without text: an empty block is refused by providers. */
export const NO_OUTPUT = '(no output)'

/** A person's or a program's message, or null when nothing in it can be shown. */
export function toUserMessage(parts: readonly Part[]): LanguageModelV4Message | null {
  const content = parts.map(toUserPart).filter((part) => part !== null)
  return content.length === 0 ? null : { role: 'user', content }
}

/** The model's own answer as it is sent back, or null when nothing in it may be: providers refuse empty and reasoning-only turns. */
export function toAssistantMessage(parts: readonly Part[], calls: readonly Call[]): LanguageModelV4Message | null {
  const content: AssistantPart[] = []
  let position = 0
  let visible = false
  for (const part of parts) {
    const isOwnCall = part.type === 'tool-call' && part.providerExecuted !== true
    const shown = toAssistantPart(part, isOwnCall ? calls[position++]?.wireId : undefined)
    if (!shown) continue
    content.push(shown)
    visible ||= shown.type !== 'reasoning' && shown.type !== 'reasoning-file'
  }
  // A list that was pushed to keeps room for sixteen more; this one is kept as long as the thread is driven.
  return visible ? { role: 'assistant', content: content.slice() } : null
}

/** The results of a closed turn, in call order (I7). */
export function toToolMessage(calls: readonly Call[]): LanguageModelV4Message {
  return { role: 'tool', content: calls.map(toResultPart) }
}

function toUserPart(part: Part): UserPart | null {
  if (part.type === 'text') {
    return part.text.trim() === '' ? null : { type: 'text', text: part.text, ...toOptions(part.metadata) }
  }
  if (part.type !== 'file') return null
  const data = toFileData(part.source)
  if (data === null) return { type: 'text', text: `[a file whose address cannot be read: ${part.filename ?? part.mediaType}]` }
  return {
    type: 'file',
    mediaType: part.mediaType,
    data,
    ...(part.filename === undefined ? {} : { filename: part.filename }),
    ...toOptions(part.metadata)
  }
}

function toAssistantPart(part: Part, wireId: string | undefined): AssistantPart | null {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? null : { type: 'text', text: part.text, ...toOptions(part.metadata) }
    case 'reasoning':
      return { type: 'reasoning', text: part.text, ...toOptions(part.metadata) }
    case 'reasoning-file':
      return toReasoningFile(part)
    case 'file':
      return toUserPart(part)
    case 'tool-call':
      return toCallPart(part, wireId)
    case 'tool-result':
      return {
        type: 'tool-result',
        toolCallId: part.id,
        toolName: part.tool,
        output: part.isError ? { type: 'error-json', value: part.result as never } : { type: 'json', value: part.result as never },
        ...toOptions(part.metadata)
      }
    case 'custom':
      return { type: 'custom', kind: part.kind as `${string}.${string}`, ...toOptions(part.metadata) }
    case 'source':
      return null
  }
}

function toReasoningFile(part: Extract<Part, { type: 'reasoning-file' }>): AssistantPart | null {
  const data = toFileData(part.source)
  if (data?.type !== 'data' && data?.type !== 'url') return null
  return { type: 'reasoning-file', mediaType: part.mediaType, data, ...toOptions(part.metadata) }
}

function toCallPart(part: Extract<Part, { type: 'tool-call' }>, wireId: string | undefined): AssistantPart {
  const parsed = parseArguments(part.input)
  return {
    type: 'tool-call',
    toolCallId: wireId ?? part.id,
    toolName: part.tool,
    // Providers take objects only; what the model wrote stays readable to it.
    input: parsed.ok ? parsed.value : { unreadable_arguments: part.input },
    ...(part.providerExecuted === undefined ? {} : { providerExecuted: part.providerExecuted }),
    ...toOptions(part.metadata)
  }
}

function toResultPart(call: Call): LanguageModelV4ToolResultPart {
  const given = call.seen ?? call.result
  const result: CallResult = given ? inlineOf(given) : { error: 'no result' }
  const told = call.changed ? withChanges(call, result) : result
  return { type: 'tool-result', toolCallId: call.wireId, toolName: call.tool, output: toOutput(told) }
}

/** A model that does not know that somebody changed its arguments takes the result for that of its own. */
function withChanges(call: Call, result: CallResult): CallResult {
  const args = call.arguments ? inlineOf(call.arguments) : null
  if ('error' in result) return { error: `${CHANGED} ${JSON.stringify(args)}\n${result.error}` }
  if (typeof result.value === 'string') return { value: `${CHANGED} ${JSON.stringify(args)}\n${result.value}` }
  return { value: { arguments_changed_by_a_person: args, result: result.value } }
}

const CHANGED = 'A person changed the arguments of this call to'

/** A result as the model is shown it. */
export function toOutput(result: CallResult): LanguageModelV4ToolResultOutput {
  if ('error' in result) return { type: 'error-text', value: result.error.trim() === '' ? 'failed without a message' : result.error }
  if (typeof result.value === 'string') return { type: 'text', value: result.value.trim() === '' ? NO_OUTPUT : result.value }
  return { type: 'json', value: result.value as never }
}

/** Null for an address that is none: a log may hold what today is refused, and must stay readable (I2). */
function toFileData(source: FileSource): SharedV4FileData | null {
  if ('data' in source) return { type: 'data', data: source.data }
  if ('url' in source) return URL.canParse(source.url) ? { type: 'url', url: new URL(source.url) } : null
  if ('reference' in source) return { type: 'reference', reference: source.reference }
  return { type: 'text', text: source.text }
}

function toOptions(metadata: ProviderMetadata | undefined): { providerOptions?: SharedV4ProviderOptions } {
  return metadata === undefined ? {} : { providerOptions: metadata as SharedV4ProviderOptions }
}
