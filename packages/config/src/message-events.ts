import type { Fields } from './fields.ts'
import { isFields } from './fields.ts'

/** The events of an answer of the Messages API that came whole, although a stream was asked for. A stream that is only called JSON is what it is. */
export function toMessageStream(body: string): string {
  if (!body.trimStart().startsWith('{')) return body
  const message: unknown = JSON.parse(body)
  if (!isFields(message)) return ''
  if (message['type'] === 'error' || isFields(message['error'])) return write({ type: 'error', error: message['error'] })
  const { content, stop_reason: reason, stop_sequence: sequence = null, usage, ...head } = message
  const blocks = Array.isArray(content) ? content.filter(isFields) : []
  return [
    { type: 'message_start', message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage } },
    ...blocks.flatMap(toBlockEvents),
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: sequence }, usage },
    { type: 'message_stop' }
  ]
    .map(write)
    .join('')
}

function toBlockEvents(block: Fields, index: number): Fields[] {
  const start = (shown: Fields): Fields => ({ type: 'content_block_start', index, content_block: shown })
  const delta = (part: Fields): Fields => ({ type: 'content_block_delta', index, delta: part })
  const stop = { type: 'content_block_stop', index }
  switch (block['type']) {
    case 'text':
      return [start({ ...block, text: '' }), delta({ type: 'text_delta', text: block['text'] }), stop]
    case 'thinking':
      return [
        start({ ...block, thinking: '', signature: '' }),
        delta({ type: 'thinking_delta', thinking: block['thinking'] }),
        delta({ type: 'signature_delta', signature: block['signature'] ?? '' }),
        stop
      ]
    case 'tool_use':
      return [start({ ...block, input: {} }), delta({ type: 'input_json_delta', partial_json: JSON.stringify(block['input'] ?? {}) }), stop]
    default:
      return [start(block), stop]
  }
}

function write(event: Fields): string {
  return `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`
}
