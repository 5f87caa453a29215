// Keeps I9: nothing here is waited for by a commit, and nothing that a sink does reaches a run. Committed events are queued, or else read
// from the store again; transient ones are dropped where there is no room.
import type { Alarm, Clock } from './contracts/clock.ts'
import type { Cursor, TransientEvent } from './contracts/event.ts'
import type { EventSink, SinkEvent } from './contracts/event-sink.ts'
import type { Commit } from './contracts/fact.ts'
import type { Ms, ThreadId } from './contracts/ids.ts'
import type { AppendRequest, Receipt, Store } from './contracts/store.ts'
import type { Logger } from './contracts/tool.ts'
import { toEvents } from './event-hub.ts'
import { errorMessage } from './util/error-message.ts'

/** What a feed needs of the runtime. */
export interface SinkFeedPorts {
  readonly store: Pick<Store, 'read'>
  readonly clock: Clock
  readonly logger: Logger
}

const DEFAULT_BATCH_MS = 100
const MAX_BATCH = 1_000
/** How many commits wait for a sink at most; those beyond are read from the store. */
const MAX_COMMITS = 1_000
/** How many characters of transient events wait for a sink at most. */
const MAX_CHARACTERS = 16_777_216
const PAGE_BYTES = 1024 * 1024
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 30_000
/** How long a runtime that closes waits for a sink. */
const CLOSE_MS = 5_000

type CommitEntry = Pick<Commit, 'thread' | 'sequence' | 'at' | 'facts'>
/** `isClaim`: with the first of them this process took the thread over. */
type Behind = { readonly next: number; readonly isClaim: boolean; last: number }
type Entry = { readonly commit: CommitEntry } | { readonly event: TransientEvent }

/** Gives one sink its events, in batches. Never throws. */
export class SinkFeed {
  readonly #sink: EventSink
  readonly #ports: SinkFeedPorts
  #queue: Entry[] = []
  /** What is given next. */
  #batch: SinkEvent[] = []
  #commits = 0
  #characters = 0
  /** Threads whose commits found no room, from the first of them to the last that is known. */
  readonly #behind = new Map<ThreadId, Behind>()
  readonly #closing = new AbortController()
  #alarm: Alarm | null = null
  #giving: Promise<void> | null = null
  #failures = 0
  #lost = 0

  constructor(sink: EventSink, ports: SinkFeedPorts) {
    this.#sink = sink
    this.#ports = ports
  }

  /** Whether transient events are wanted. */
  get transient(): boolean {
    return this.#sink.transient === true
  }

  /** Something was committed. */
  commit(request: Pick<AppendRequest, 'thread' | 'facts'>, receipt: Pick<Extract<Receipt, { ok: true }>, 'sequence' | 'at'>): void {
    const { thread, facts } = request
    const { sequence, at } = receipt
    const behind = this.#behind.get(thread)
    if (behind) behind.last = sequence
    else if (this.#commits < MAX_COMMITS) {
      this.#commits++
      this.#queue.push({ commit: { thread, sequence, at, facts } })
    } else this.#behind.set(thread, { next: sequence, isClaim: isClaim(facts), last: sequence })
    this.#giveSoon()
  }

  /** Something happens. */
  show(event: TransientEvent): void {
    if (!this.transient) return
    const characters = 'text' in event ? event.text.length : 0
    if (this.#behind.has(event.thread) || this.#characters + characters > MAX_CHARACTERS) {
      this.#lost++
      return
    }
    this.#characters += characters
    this.#queue.push({ event })
    this.#giveSoon()
  }

  /** Gives what is left, each batch once; for a sink that hangs nobody waits for long. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#alarm?.stop()
    const over = new AbortController()
    await Promise.race([this.#giveAll(), this.#ports.clock.sleep(CLOSE_MS, over.signal)])
    over.abort()
    if (this.#failures > 0 || this.#lost > 0) {
      const counts = { failures: this.#failures, lost: this.#lost }
      this.#ports.logger.warn(`the event sink ${this.#sink.name} did not take everything`, counts)
    }
  }

  #giveSoon(): void {
    if (this.#giving || this.#closing.signal.aborted) return
    if (this.#queue.length >= MAX_BATCH) this.#giveNow()
    else this.#alarm ??= this.#ports.clock.alarm(this.#sink.batchMs ?? DEFAULT_BATCH_MS, () => this.#giveNow())
  }

  #giveNow(): void {
    this.#alarm?.stop()
    this.#alarm = null
    this.#giving = this.#giveQueued().then(() => {
      this.#giving = null
      if (this.#hasMore()) this.#giveSoon()
    })
  }

  async #giveAll(): Promise<void> {
    await this.#giving
    while (this.#hasMore()) await this.#giveQueued()
  }

  #hasMore(): boolean {
    return this.#queue.length > 0 || this.#behind.size > 0
  }

  async #giveQueued(): Promise<void> {
    const entries = this.#queue
    // Everything of these threads that was queued stands in these entries: what is read from the store comes behind it.
    const behind = [...this.#behind.keys()]
    this.#queue = []
    this.#commits = 0
    this.#characters = 0
    for (const entry of entries) {
      if ('event' in entry) this.#batch.push(entry.event)
      else {
        if (isClaim(entry.commit.facts)) await this.#addMissing(entry.commit.thread, entry.commit.sequence)
        this.#batch.push(...toEvents(entry.commit))
      }
      if (this.#batch.length >= MAX_BATCH) await this.#give()
    }
    for (const thread of behind) await this.#catchUp(thread)
    await this.#give()
  }

  /** What was committed before this process took the thread over, as far as the sink says that it lacks it; in any case how it began. */
  async #addMissing(thread: ThreadId, sequence: number): Promise<void> {
    const { after } = this.#sink
    if (!after) return sequence === 2 ? this.#addStored(thread, { sequence: 1, index: 0 }, 1) : undefined
    const cursor = await this.#insist(async () => after.call(this.#sink, thread))
    if (cursor === undefined) return
    const from = cursor ? { sequence: cursor.sequence, index: cursor.index + 1 } : { sequence: 1, index: 0 }
    await this.#addStored(thread, from, sequence - 1)
  }

  async #catchUp(thread: ThreadId): Promise<void> {
    for (let behind = this.#behind.get(thread); behind; behind = this.#behind.get(thread)) {
      const { next, last } = behind
      if (behind.isClaim) await this.#addMissing(thread, next)
      await this.#addStored(thread, { sequence: next, index: 0 }, last)
      if (behind.last === last) this.#behind.delete(thread)
      else this.#behind.set(thread, { next: last + 1, isClaim: false, last: behind.last })
    }
  }

  /** Adds commits as they stand in the store. */
  async #addStored(thread: ThreadId, from: Cursor, last: number): Promise<void> {
    for (let next = from.sequence; next <= last; ) {
      const page = await this.#insist(() => this.#ports.store.read(thread, next, PAGE_BYTES))
      if (!page || page.length === 0) return
      const wanted = page.filter((commit) => commit.sequence <= last)
      this.#batch.push(...wanted.flatMap((commit) => toEvents(commit, commit.sequence === from.sequence ? from.index : 0)))
      if (this.#batch.length >= MAX_BATCH) await this.#give()
      next = (page.at(-1)?.sequence ?? last) + 1
    }
  }

  async #give(): Promise<void> {
    const batch = this.#batch
    this.#batch = []
    if (batch.length === 0) return
    const isGiven = await this.#insist(async () => {
      await this.#sink.write(batch)
      return true
    })
    if (!isGiven) this.#lost += batch.length
  }

  /** Tries again until it succeeds; undefined when the runtime closes meanwhile. The first failure is told, all are counted. */
  async #insist<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { clock, logger } = this.#ports
    let pauseMs: Ms = FIRST_PAUSE_MS
    for (;;) {
      try {
        return await work()
      } catch (error) {
        this.#failures++
        if (this.#failures === 1)
          logger.warn(`the events for the sink ${this.#sink.name} could not be given; they are given again`, { error: errorMessage(error) })
        if (this.#closing.signal.aborted) return undefined
        await clock.sleep(pauseMs, this.#closing.signal)
        pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
      }
    }
  }
}

function isClaim(facts: CommitEntry['facts']): boolean {
  return facts[0]?.type === 'attempt.claimed'
}
