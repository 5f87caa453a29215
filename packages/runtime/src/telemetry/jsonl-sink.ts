// Keeps I9: what goes wrong here is thrown to the feed, which stops nothing.
import type { Writable } from 'node:stream'
import type { EventSink, SinkEvent } from '../contracts/event-sink.ts'
import type { Ms } from '../contracts/ids.ts'
import type { OptionNames } from '../contracts/known-options.ts'
import { assertKnownOptions } from '../contracts/known-options.ts'
import { createAppender, toBatches } from './jsonl-file.ts'
import { toVisibleJson } from './visible-json.ts'

/** How events are written. */
export interface JsonlSinkOptions {
  /** Also pieces of answers and the progress of tools. Default false. */
  readonly transient?: boolean
  /** How long events are collected before they are written. Default 100. */
  readonly batchMs?: Ms
  /** How much is written at once, unless one line is longer. Default 262,144. */
  readonly maxBytes?: number
}

const DEFAULT_BYTES = 262_144

const NAMES: OptionNames<JsonlSinkOptions> = { transient: true, batchMs: true, maxBytes: true }

/**
 * A sink that appends one event a line as JSON, to a file or to a stream. The file is made for its owner alone and opened for each batch, so that it may be
 * moved away at any time; a last line without its end, left by a crash or a full disk, is ended first. The stream is not ended.
 */
export function jsonlSink(target: string | Writable, options: JsonlSinkOptions = {}): EventSink {
  assertKnownOptions('jsonlSink', options, NAMES)
  const { transient = false, batchMs, maxBytes = DEFAULT_BYTES } = options
  const append = createAppender(target)
  return {
    name: typeof target === 'string' ? `jsonl ${target}` : 'jsonl',
    transient,
    ...(batchMs === undefined ? {} : { batchMs }),
    async write(events) {
      for (const text of toBatches(toLines(events), maxBytes)) await append(text)
    }
  }
}

function* toLines(events: readonly SinkEvent[]): Generator<string> {
  for (const event of events) yield `${toVisibleJson(event)}\n`
}
