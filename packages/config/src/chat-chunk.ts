import type { CallAssembler, CallFragment, ChatCallDelta } from './chat-calls.ts'
import type { Fields } from './fields.ts'
import { isFields, readText } from './fields.ts'

/** What a stream has shown so far. */
export interface ChatProgress {
  readonly calls: CallAssembler
  hasText: boolean
  hasFinish: boolean
  hasUsage: boolean
}

/** A chunk of the Chat Completions API as its description has it, whatever a server made of it. */
export function toChatChunk(chunk: Fields, event: string | undefined, progress: ChatProgress): Fields {
  const error = findError(chunk, event)
  if (error !== undefined) return { error: toErrorBody(error) }
  const { error: _none, choices, usage, ...rest } = chunk
  const found = Array.isArray(choices) ? choices.filter(isFields) : []
  const read = found.slice(0, 1).map((choice) => toChoice(choice, progress))
  if (progress.hasFinish && progress.calls.count.nameless > 0)
    return { error: { message: 'The provider called a tool and never named it.' } }
  return { ...pickTyped(rest), choices: read, ...toUsage(usage, progress) }
}

/** The chunk that a server forgot: it said `[DONE]` and never why. Null when a call is not complete, for then nobody knows. */
export function toMissingFinish(progress: ChatProgress): Fields | null {
  const { all, ready, nameless } = progress.calls.count
  if (progress.hasFinish || all !== ready || nameless > 0 || (all === 0 && !progress.hasText)) return null
  return { choices: [{ index: 0, delta: {}, finish_reason: all > 0 ? 'tool_calls' : 'stop' }] }
}

function findError(chunk: Fields, event: string | undefined): unknown {
  if (chunk['error'] !== undefined && chunk['error'] !== null) return chunk['error']
  const isError = event === 'error' || chunk['object'] === 'error' || chunk['type'] === 'error'
  return isError ? chunk : undefined
}

function toErrorBody(error: unknown): Fields {
  if (!isFields(error)) return { message: typeof error === 'string' ? error : JSON.stringify(error) }
  const { code, type } = error
  return {
    message: readText(error['message']) ?? readText(error['detail']) ?? JSON.stringify(error),
    ...(typeof type === 'string' && { type }),
    ...((typeof code === 'string' || typeof code === 'number') && { code })
  }
}

function pickTyped(rest: Fields): Fields {
  const { id, created, model, ...others } = rest
  return {
    ...others,
    ...(typeof id === 'string' && { id }),
    ...(typeof created === 'number' && { created }),
    ...(typeof model === 'string' && { model })
  }
}

/** A later report of nothing does not undo what was counted. */
function toUsage(usage: unknown, progress: ChatProgress): Fields {
  if (!isFields(usage)) return {}
  const counted = [usage['prompt_tokens'], usage['completion_tokens']].some((count) => typeof count === 'number' && count > 0)
  if (!counted && progress.hasUsage) return {}
  progress.hasUsage ||= counted
  return { usage: withCacheHits(usage) }
}

/** Some count what came from their cache beside the prompt, and not among its details: without this it would be paid in full. */
function withCacheHits(usage: Fields): Fields {
  const { prompt_tokens_details: details } = usage
  const hits = usage['prompt_cache_hit_tokens'] ?? usage['cached_tokens']
  if (typeof hits !== 'number' || (isFields(details) && typeof details['cached_tokens'] === 'number')) return usage
  return { ...usage, prompt_tokens_details: { ...(isFields(details) ? details : {}), cached_tokens: hits } }
}

function toChoice(choice: Fields, progress: ChatProgress): Fields {
  const { delta, message, finish_reason: reason, index: _index, ...rest } = choice
  const isWhole = !isFields(delta) && isFields(message)
  const said = isFields(delta) ? delta : isFields(message) ? message : {}
  const finish = readText(reason)
  progress.hasFinish ||= finish !== undefined
  return { ...rest, index: 0, delta: toDelta(said, isWhole, progress), finish_reason: finish ?? null }
}

function toDelta(said: Fields, isWhole: boolean, progress: ChatProgress): Fields {
  const { content, tool_calls: calls, function_call: single, role: _role, ...rest } = said
  const text = toText(content)
  progress.hasText ||= hasText(text) || hasText(rest['reasoning_content']) || hasText(rest['reasoning']) || hasText(rest['refusal'])
  const fragments = (Array.isArray(calls) ? calls : isFields(single) ? [{ index: 0, function: single }] : []).filter(isFields)
  const deltas = fragments
    .map((call) => progress.calls.take(toFragment(call), isWhole))
    .filter((call): call is ChatCallDelta => call !== null)
  return { ...rest, ...(text !== undefined && { content: text }), ...(deltas.length > 0 && { tool_calls: deltas }) }
}

/** Content in parts is text where all of them are; what else it may be is left to the provider's package. */
function toText(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? undefined
  const texts = content.map((part) => (isFields(part) && part['type'] === 'text' ? part['text'] : undefined))
  return texts.every((text) => typeof text === 'string') ? texts.join('') : content
}

function hasText(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : typeof value === 'string' && value !== ''
}

function toFragment(call: Fields): CallFragment {
  const { id, index, type: _type, function: inner, ...extra } = call
  const { name, arguments: given } = isFields(inner) ? inner : {}
  const number = typeof index === 'string' ? Number.parseInt(index, 10) : index
  return {
    id: typeof id === 'number' ? String(id) : readText(id),
    index: typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined,
    name: readText(name),
    arguments: toArguments(given),
    extra
  }
}

function toArguments(given: unknown): string {
  if (given === null || given === undefined) return ''
  return typeof given === 'string' ? given : JSON.stringify(given)
}
