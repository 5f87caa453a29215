import type { EventsOptions } from './contracts/thread-handle.ts'
import type { Cursor, HoldfastEvent, TransientEvent } from './contracts/event.ts'
import type { Commit } from './contracts/fact.ts'
import type { ThreadId } from './contracts/ids.ts'
import type { ThreadInfo } from './contracts/store.ts'
import type { HubEntry, Watcher } from './event-hub.ts'
import { toEvents } from './event-hub.ts'
import { isAtRest, LOOK_MS, readInfo, throwFault, watchStore } from './rest.ts'
import type { RuntimeCore } from './runtime-core.ts'

const PAGE_BYTES = 1024 * 1024

/** One thread's stream from a cursor on: committed events as they stand in the log, deltas between them, and the end of the run. */
export async function* threadEvents(core: RuntimeCore, thread: ThreadId, options: EventsOptions): AsyncGenerator<HoldfastEvent> {
  const stop = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
  using watcher = core.hub.watch(thread)
  using _hints = watchStore(core)
  try {
    yield* new Stream(core, thread, watcher, options, signal).read()
  } finally {
    stop.abort()
  }
}

class Stream {
  readonly #core: RuntimeCore
  readonly #thread: ThreadId
  readonly #watcher: Watcher
  readonly #options: EventsOptions
  readonly #signal: AbortSignal
  /** Whether large bodies are shown by their beginning alone. */
  readonly #previews: boolean
  /** The last event that was given. */
  #cursor: Cursor
  /** The first commit that is not known to be given whole. */
  #from: number
  /** The last commit that was given. */
  #last = 0
  /** Of turns, the last try whose end is committed: what is shown of it later is stale. */
  readonly #ended = new Map<string, number>()
  /** Calls whose end is committed: what they tell of their progress is stale. */
  readonly #settled = new Set<string>()

  constructor(core: RuntimeCore, thread: ThreadId, watcher: Watcher, options: EventsOptions, signal: AbortSignal) {
    this.#core = core
    this.#thread = thread
    this.#watcher = watcher
    this.#options = options
    this.#previews = options.bodies === 'preview'
    this.#signal = signal
    this.#cursor = options.after ?? { sequence: 0, index: Number.MAX_SAFE_INTEGER }
    this.#from = Math.max(1, this.#cursor.sequence)
  }

  async *read(): AsyncGenerator<HoldfastEvent> {
    // I21: nothing is shown before it is known to be the tenant's.
    await readInfo(this.#core, this.#thread)
    yield* this.#fromStore()
    // A closed runtime tells no more: its stream ends without an end of the run.
    while (!this.#signal.aborted && !this.#isOver()) {
      if (!this.#options.follow) {
        const info = await this.#settledInfo()
        if (info) {
          yield* this.#drain()
          yield* this.#fromStore()
          // Somebody has gone on with it meanwhile: it is not this run any more that its last events are of.
          if (this.#last > info.head) continue
          yield { type: 'run.settled', thread: this.#thread, run: info.row.run ?? '', status: info.row.status }
          return
        }
        throwFault(this.#core, this.#thread)
      }
      yield* await this.#next()
    }
  }

  /** Looks at the store by itself where another process may drive: its hints may be lost, and they keep no process alive. */
  async #next(): Promise<AsyncGenerator<HoldfastEvent>> {
    await this.#watcher.wait(this.#core.clock, LOOK_MS, this.#signal)
    const isQuiet = this.#watcher.isEmpty && !this.#core.engine.isDriving(this.#thread)
    return isQuiet ? this.#fromStore() : this.#drain()
  }

  async *#drain(): AsyncGenerator<HoldfastEvent> {
    for (let entry = this.#watcher.take(); entry; entry = this.#watcher.take()) yield* this.#show(entry)
  }

  async *#show(entry: HubEntry): AsyncGenerator<HoldfastEvent> {
    if (entry.kind === 'transient') {
      if (!this.#isStale(entry.event)) yield entry.event
    } else if (entry.kind === 'look' || entry.sequence > this.#cursor.sequence + 1) yield* this.#fromStore()
    else yield* this.#commit({ thread: this.#thread, ...entry, facts: this.#previews ? entry.kept : entry.facts })
  }

  async *#fromStore(): AsyncGenerator<HoldfastEvent> {
    for (;;) {
      const page = await this.#readPage(this.#from)
      if (page.length === 0) return
      for (const commit of page) yield* this.#commit(commit)
    }
  }

  #readPage(from: number): Promise<readonly Commit[]> {
    return this.#previews
      ? this.#core.store.read(this.#thread, from, PAGE_BYTES)
      : this.#core.bodies.readWhole(this.#thread, from, PAGE_BYTES)
  }

  *#commit(commit: Parameters<typeof toEvents>[0]): Generator<HoldfastEvent> {
    if (commit.sequence < this.#cursor.sequence) return
    this.#from = commit.sequence + 1
    const from = commit.sequence === this.#cursor.sequence ? this.#cursor.index + 1 : 0
    for (const event of toEvents(commit, from)) {
      if (event.type === 'model.responded') this.#ended.set(String(event.data['turn']), Number.POSITIVE_INFINITY)
      if (event.type === 'model.failed') this.#ended.set(String(event.data['turn']), Number(event.data['try']))
      if (event.type === 'call.settled') this.#settled.add(String(event.data['call']))
      yield event
    }
    this.#last = commit.sequence
    this.#cursor = { sequence: commit.sequence, index: Math.max(commit.facts.length - 1, from - 1) }
  }

  #isStale(event: TransientEvent): boolean {
    if ('turn' in event) return event.try <= (this.#ended.get(event.turn) ?? 0)
    return 'call' in event && this.#settled.has(event.call)
  }

  #isOver(): boolean {
    return this.#core.isClosed && this.#watcher.isEmpty && !this.#core.engine.isDriving(this.#thread)
  }

  async #settledInfo(): Promise<ThreadInfo | null> {
    const info = await readInfo(this.#core, this.#thread)
    return (await isAtRest(this.#core, info)) ? info : null
  }
}
