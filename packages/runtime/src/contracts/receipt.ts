import type { Cursor } from './event.ts'
import type { ItemId, RunId } from './ids.ts'

/** How a message is sent. */
export interface MessageOptions {
  /** The same id again is the same message: it is delivered once. Default: a new one. */
  readonly id?: string
  /**
   * Aborts the model call that is under way, so that the message is read at once and not behind its answer. Tools that run go on, and the
   * message stands behind their results. Default false.
   */
  readonly interrupt?: boolean
  /**
   * Whether it is the answer where the thread asks exactly one question. False: it is read when the question is answered. Default: true for a person and
   * the host, where `mayDecide` says so of that question.
   */
  readonly answers?: boolean
}

/**
 * The first moment of what is sent: it is kept. The second one, taken or returned, follows as an event (`message.received` or
 * `message.returned`, with `item` as its cause), and `ThreadHandle.receipt` waits for it.
 */
export interface MessageReceipt {
  readonly item: ItemId
  readonly state: 'queued' | 'repeated'
  /** Names of the secrets that stood in the message and were taken out of it. */
  readonly redacted?: readonly string[]
}

/** A cancel that is kept; `ThreadHandle.receipt` tells what it did. */
export interface CancelReceipt {
  readonly item: ItemId
}

/**
 * What has become of an item of a thread's inbox, and where the log says so. `returned`: no run has read the message (the event holds its
 * text). `discarded`: it came too late to do anything.
 */
export type ItemReceipt =
  | { readonly item: ItemId; readonly state: 'queued' }
  | { readonly item: ItemId; readonly state: 'taken'; readonly run?: RunId; readonly cursor: Cursor }
  | { readonly item: ItemId; readonly state: 'returned' | 'discarded'; readonly why: string; readonly cursor: Cursor }
