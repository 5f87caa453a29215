import type { LanguageModelV4Message } from '@ai-sdk/provider'

/** What a strict provider would refuse about this history, or null. */
export function checkHistory(history: readonly LanguageModelV4Message[]): string | null {
  const seen = new Set<string>()
  for (const [index, message] of history.entries()) {
    const failure = checkMessage(message, history[index - 1], history[index + 1], seen)
    if (failure) return `message ${index} (${message.role}) ${failure}`
  }
  return null
}

function checkMessage(
  message: LanguageModelV4Message,
  before: LanguageModelV4Message | undefined,
  after: LanguageModelV4Message | undefined,
  seen: Set<string>
): string | null {
  if (message.role === 'system') return 'is a system message'
  if (message.content.length === 0) return 'is empty'
  if (message.content.some((part) => part.type === 'text' && part.text.trim() === '')) return 'has a blank text'
  if (message.role === 'tool') return before && callIds(before).length > 0 ? null : 'has no calls before it'
  if (message.role === 'user') return null
  if (message.content.every((part) => part.type === 'reasoning')) return 'has only reasoning'
  const ids = callIds(message)
  for (const id of ids) {
    if (id === '' || seen.has(id)) return `uses the call id "${id}" twice`
    seen.add(id)
  }
  if (ids.length === 0) return null
  const results = after?.role === 'tool' ? after.content.map((part) => (part.type === 'tool-result' ? part.toolCallId : '')) : []
  return ids.join() === results.join() ? null : `has the calls ${ids.join()} and the results ${results.join()}`
}

function callIds(message: LanguageModelV4Message): readonly string[] {
  if (message.role !== 'assistant') return []
  return message.content.flatMap((part) => (part.type === 'tool-call' && part.providerExecuted !== true ? [part.toolCallId] : []))
}
