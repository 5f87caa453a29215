// Keeps I9: what goes wrong here is thrown to the feed, which stops nothing.
import type { Writable } from 'node:stream'
import type { Ms } from '../contracts/ids.ts'
import { assertKnownOptions } from '../contracts/known-options.ts'
import type { RecordSink } from '../contracts/record-sink.ts'
import type { TurnRecord } from '../contracts/turn-record.ts'
import { createAppender, toBatches } from './jsonl-file.ts'
import { toVisibleJson } from './visible-json.ts'

/** How records are written. */
export interface JsonlRecordsOptions {
  /** How long events are collected before their records are written. Default 100. */
  readonly batchMs?: Ms
}

const MAX_BYTES = 262_144

/**
 * A sink of records that appends one turn a line as JSON, to a file or to a stream. The file is made for its owner alone and opened for each batch, so
 * that it may be moved away at any time; a last line without its end is ended first. The stream is not ended. The same turn gives the same line as
 * `toRecordLine` of the thread's records.
 */
export function jsonlRecords(target: string | Writable, options: JsonlRecordsOptions = {}): RecordSink {
  assertKnownOptions('jsonlRecords', options, { batchMs: true })
  const { batchMs } = options
  const append = createAppender(target)
  return {
    name: typeof target === 'string' ? `records ${target}` : 'records',
    ...(batchMs === undefined ? {} : { batchMs }),
    async write(records) {
      for (const text of toBatches(records.map(toRecordLine), MAX_BYTES)) await append(text)
    }
  }
}

/** A record as a line of JSON, with its end; what steers a terminal is escaped. */
export function toRecordLine(record: TurnRecord): string {
  return `${toVisibleJson(record)}\n`
}
