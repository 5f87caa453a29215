import type { Fields } from './fields.ts'
import { isFields, readText } from './fields.ts'
import type { StreamEvents } from './stream-events.ts'
import { createStreamEvents, parseEventData, writeEvent } from './stream-events.ts'

/** Events that the provider's package reads; it takes every other one for a broken stream. */
const KNOWN: ReadonlySet<unknown> = new Set([
  'message-start',
  'content-start',
  'content-delta',
  'content-end',
  'tool-plan-delta',
  'tool-call-start',
  'tool-call-delta',
  'tool-call-end',
  'citation-start',
  'citation-end',
  'message-end'
])

/**
 * Reads the events of a stream of Cohere's Chat API (version 2) and writes them in the form that the provider's package expects: what may
 * be left out is filled in, and events that it does not know are left out. A stream that ends without `message-end` was cut, and one that
 * ends with an error or a timeout is no answer: the package would take both for complete.
 */
export function createCohereEvents(): StreamEvents {
  let hasEnd = false
  const events = createStreamEvents((text) => {
    const chunk = parseEventData(text)
    if (chunk === undefined) return text.trim() === '[DONE]' ? '' : writeEvent(text)
    if (!KNOWN.has(chunk['type'])) return ''
    hasEnd ||= chunk['type'] === 'message-end'
    return writeEvent(JSON.stringify(toCohereEvent(chunk)))
  })
  return {
    line: (line) => events.line(line),
    end() {
      const rest = events.end()
      return hasEnd ? rest : rest + writeEvent(JSON.stringify(toFailure('aborted', 'The stream of Cohere ended before its message did.')))
    }
  }
}

function toCohereEvent(event: Fields): Fields {
  const delta = isFields(event['delta']) ? event['delta'] : {}
  const message = isFields(delta['message']) ? delta['message'] : {}
  switch (event['type']) {
    case 'content-start':
      return { ...event, delta: { message: { content: toContentStart(message['content']) } } }
    case 'tool-call-start':
    case 'tool-call-delta':
      return { ...event, delta: { message: { tool_calls: toCall(message['tool_calls']) } } }
    case 'message-end':
      return toEnd(event, delta)
    default:
      return event
  }
}

function toContentStart(content: unknown): unknown {
  if (!isFields(content)) return content
  return content['type'] === 'thinking' ? { thinking: '', ...content } : { text: '', ...content }
}

/** A call without arguments may begin, and go on, with null. */
function toCall(call: unknown): unknown {
  if (!isFields(call)) return call
  const inner = isFields(call['function']) ? call['function'] : {}
  return { ...call, function: { ...inner, arguments: inner['arguments'] ?? '' } }
}

function toEnd(event: Fields, delta: Fields): Fields {
  const reason = readText(delta['finish_reason'])
  const error = readText(delta['error'])
  if (reason === 'TIMEOUT') return toFailure('timeout', error ?? 'Cohere did not finish its answer in time.')
  if (reason === 'ERROR' || error !== undefined) {
    return toFailure('server_error', `Cohere ended its answer with an error: ${error ?? 'it does not say which'}.`)
  }
  return { ...event, delta: { ...delta, finish_reason: reason ?? 'COMPLETE', usage: toUsage(delta['usage']) } }
}

/** No event of Cohere's: the package gives it on as the error of a broken stream, with what stands in it. */
function toFailure(type: string, message: string): Fields {
  return { error: { type, message } }
}

/** Zero where nothing was counted: the runtime then estimates. */
function toUsage(usage: unknown): Fields {
  const { tokens, billed_units: billed, ...rest } = isFields(usage) ? usage : {}
  const counted = isFields(tokens) ? tokens : isFields(billed) ? billed : {}
  return {
    ...rest,
    tokens: { ...counted, input_tokens: toCount(counted['input_tokens']), output_tokens: toCount(counted['output_tokens']) }
  }
}

function toCount(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
