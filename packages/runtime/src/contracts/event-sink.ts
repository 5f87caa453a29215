import type { CommittedEvent, Cursor, TransientEvent } from './event.ts'
import type { Ms, ThreadId } from './ids.ts'

/** What a sink is given. */
export type SinkEvent = CommittedEvent | TransientEvent

/**
 * Observes the events of all threads that a runtime drives.
 *
 * **Contract** of `write`: it may throw and may take its time; no commit waits for it and no run fails by it (I9). It is called again only when the
 * call before has ended. Events of one thread come in order. A batch that failed is given again, so that an event may come more than
 * once, with the same cursor. Committed events are not lost while the runtime lives; transient ones are left out when the sink is too slow.
 * Of a large body (more than 64 KiB of JSON) its beginning is given, and the artifact that holds it. A sink that says where it stands (`after`) is also given what was committed when nobody could tell it.
 */
export interface EventSink {
  /** What it is called in log lines. */
  readonly name: string
  /** Whether it is given transient events, too. Default false. */
  readonly transient?: boolean
  /** How long events are collected before they are given together. Default 100. */
  readonly batchMs?: Ms
  write(events: readonly SinkEvent[]): void | Promise<void>
  /** The last event of a thread that it has, null for none. Asked whenever the runtime takes over a thread; what comes after it is given first. */
  after?(thread: ThreadId): Cursor | null | Promise<Cursor | null>
}
