import type { Fields } from './fields.ts'
import { isFields } from './fields.ts'
import type { StreamEvents } from './stream-events.ts'
import { createStreamEvents, parseEventData, writeEvent } from './stream-events.ts'

/**
 * Reads the events of a stream of xAI's Responses API. The provider's package demands a status of every item; servers of that format may
 * leave it out, as the description of OpenAI allows for reasoning.
 */
export function createXaiEvents(): StreamEvents {
  return createStreamEvents((text) => {
    const event = parseEventData(text)
    return writeEvent(event === undefined ? text : JSON.stringify(toXaiEvent(event)))
  })
}

function toXaiEvent(event: Fields): Fields {
  const { item, response } = event
  const status = event['type'] === 'response.output_item.added' ? 'in_progress' : 'completed'
  if (isFields(item)) return { ...event, item: { status, ...item } }
  if (!isFields(response) || !Array.isArray(response['output'])) return event
  const output = response['output'].map((each: unknown) => (isFields(each) ? { status, ...each } : each))
  return { ...event, response: { ...response, output } }
}
