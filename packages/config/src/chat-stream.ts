import { CallAssembler } from './chat-calls.ts'
import type { ChatProgress } from './chat-chunk.ts'
import { toChatChunk, toMissingFinish } from './chat-chunk.ts'
import type { StreamEvents } from './stream-events.ts'
import { createStreamEvents, parseEventData, writeEvent } from './stream-events.ts'

/**
 * Reads the events of a Chat Completions stream and writes them as the API's description has them, so that the provider's package
 * reads what the server meant. Text that is not JSON is passed on for the package to refuse.
 */
export function createChatEvents(): StreamEvents {
  const progress: ChatProgress = { calls: new CallAssembler(), hasText: false, hasFinish: false, hasUsage: false }
  return createStreamEvents((text, event) => toEvent(text, event, progress))
}

/** The events of an answer that came whole, although a stream was asked for. A stream that is only called JSON is read as what it is. */
export function toChatStream(body: string): string {
  const events = createChatEvents()
  const lines = body.split(/\r\n|\r|\n/)
  const isJson = body.trimStart().startsWith('{')
  const told = isJson ? [...lines.map((line) => `data: ${line}`), '', 'data: [DONE]', ''] : lines
  return told.map((line) => events.line(line)).join('') + events.end()
}

function toEvent(text: string, event: string | undefined, progress: ChatProgress): string {
  if (text.trim() === '[DONE]') {
    const missing = toMissingFinish(progress)
    return `${missing ? writeEvent(JSON.stringify(missing)) : ''}${writeEvent('[DONE]')}`
  }
  const chunk = parseEventData(text)
  return writeEvent(chunk === undefined ? text : JSON.stringify(toChatChunk(chunk, event, progress)))
}
