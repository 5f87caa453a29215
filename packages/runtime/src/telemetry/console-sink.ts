import type { EventSink, SinkEvent } from '../contracts/event-sink.ts'
import type { OptionNames } from '../contracts/known-options.ts'
import { assertKnownOptions } from '../contracts/known-options.ts'
import { toVisibleJson } from './visible-json.ts'

/** How events are shown. */
export interface ConsoleSinkOptions {
  /** Also pieces of answers and the progress of tools. Default false. */
  readonly transient?: boolean
  /** What of an event's data is shown, in characters. Default 500. */
  readonly maxLength?: number
}

const DEFAULT_LENGTH = 500

const NAMES: OptionNames<ConsoleSinkOptions> = { transient: true, maxLength: true }

/** A sink for people: a line for each event, with its time, thread, type and data. What models and tools wrote cannot steer a terminal. */
export function consoleSink(write: (line: string) => void, options: ConsoleSinkOptions = {}): EventSink {
  assertKnownOptions('consoleSink', options, NAMES)
  const { transient = false, maxLength = DEFAULT_LENGTH } = options
  return {
    name: 'console',
    transient,
    write(events) {
      for (const event of events) write(toLine(event, maxLength))
    }
  }
}

function toLine(event: SinkEvent, maxLength: number): string {
  if ('cursor' in event) return `${new Date(event.at).toISOString()} ${event.thread} ${event.type} ${toShort(event.data, maxLength)}`
  const { thread, type, attempt: _, ...data } = event
  return `${thread} ${type} ${toShort(data, maxLength)}`
}

function toShort(data: unknown, maxLength: number): string {
  const text = toVisibleJson(data)
  return text.length <= maxLength ? text : `${text.slice(0, maxLength).toWellFormed()}...`
}
