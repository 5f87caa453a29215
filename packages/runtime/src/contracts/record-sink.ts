import type { Ms } from './ids.ts'
import type { TurnRecord } from './turn-record.ts'

/**
 * Is given a record of every turn that is over in a thread that a runtime drives.
 *
 * **Contract** of `write`: it may throw and may take its time; no commit waits for it and no run fails by it (I9). It is called again only when the call
 * before has ended. Records of one thread come in order. A batch that failed is given again, so that a record may come more than once. A
 * process that dies takes along what it had not given: `thread.records()` makes it again, the same, from the log.
 */
export interface RecordSink {
  /** What it is called in log lines. */
  readonly name: string
  /** How long events are collected before their records are given together. Default 100. */
  readonly batchMs?: Ms
  write(records: readonly TurnRecord[]): void | Promise<void>
}
