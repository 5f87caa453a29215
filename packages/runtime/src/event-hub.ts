import type { Clock } from './contracts/clock.ts'
import type { CommittedEvent, TransientEvent } from './contracts/event.ts'
import type { Commit, Fact } from './contracts/fact.ts'
import type { Ms, ThreadId } from './contracts/ids.ts'
import type { AppendRequest, Receipt } from './contracts/store.ts'

/** What a watcher of one thread is told by this process. `rest`: the thread was let go. */
export type HubEntry =
  | {
      readonly kind: 'commit'
      readonly sequence: number
      readonly at: Ms
      readonly facts: readonly Fact[]
      /** As the store has them: large bodies are artifacts. */
      readonly kept: readonly Fact[]
    }
  | { readonly kind: 'transient'; readonly event: TransientEvent }
  | { readonly kind: 'look' }

// Beyond this a slow reader loses deltas; it never loses facts, which it reads from the store.
const MAX_QUEUED = 1_000

/** One watcher's queue. */
export class Watcher {
  readonly #queue: HubEntry[] = []
  #wake: (() => void) | null = null

  push(entry: HubEntry): void {
    if (this.#queue.length >= MAX_QUEUED) {
      // The reader finds the gap and goes to the store.
      this.#queue.length = 0
      this.#queue.push({ kind: 'look' })
    } else this.#queue.push(entry)
    this.#wake?.()
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0
  }

  take(): HubEntry | undefined {
    return this.#queue.shift()
  }

  /** Resolves when something is queued, after `durationMs`, or when the signal aborts. */
  async wait(clock: Clock, durationMs: Ms, signal: AbortSignal): Promise<void> {
    if (this.#queue.length > 0 || signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    const alarm = clock.alarm(durationMs, resolve)
    const stop = (): void => resolve()
    signal.addEventListener('abort', stop, { once: true })
    await promise
    signal.removeEventListener('abort', stop)
    alarm.stop()
    this.#wake = null
  }
}

/** Is told of every thread, not of one. **Contract**: does not throw, and does not wait. */
export interface Observer {
  /** Whether it wants transient events, too. */
  readonly transient: boolean
  /** What was committed elsewhere has no row. */
  commit(
    kept: Pick<AppendRequest, 'thread' | 'facts'> & Partial<Pick<AppendRequest, 'row' | 'then'>>,
    receipt: Pick<Extract<Receipt, { ok: true }>, 'sequence' | 'at'>
  ): void
  show(event: TransientEvent): void
}

/** Tells watchers and observers what this process commits and streams. Threads without any cost nothing. */
export class EventHub {
  readonly #observers: readonly Observer[]
  readonly #isStreaming: boolean
  readonly #watchers = new Map<ThreadId, Set<Watcher>>()
  readonly #resting = new Map<ThreadId, Set<() => void>>()

  constructor(observers: readonly Observer[] = []) {
    this.#observers = observers
    this.#isStreaming = observers.some((observer) => observer.transient)
  }

  /** Whether somebody wants the transient events of a thread. */
  isWatched(thread: ThreadId): boolean {
    return this.#isStreaming || this.#watchers.has(thread)
  }

  watch(thread: ThreadId): Watcher & Disposable {
    const watcher = new Watcher()
    const release = addTo(this.#watchers, thread, watcher)
    return Object.assign(watcher, { [Symbol.dispose]: release })
  }

  /** Calls once when the thread may be at rest. */
  onRest(thread: ThreadId, listener: () => void): Disposable {
    return { [Symbol.dispose]: addTo(this.#resting, thread, listener) }
  }

  /** `kept` is what the store has of the request. */
  announce(request: AppendRequest, receipt: Extract<Receipt, { ok: true }>, kept: AppendRequest): void {
    if (request.facts.length === 0) return
    for (const observer of this.#observers) observer.commit(kept, receipt)
    const watchers = this.#watchers.get(request.thread)
    if (!watchers) return
    const { sequence, at } = receipt
    for (const watcher of watchers) watcher.push({ kind: 'commit', sequence, at, facts: request.facts, kept: kept.facts })
  }

  /** A commit that is in the store, of a thread that nobody watches yet. */
  tell(commit: Pick<Commit, 'thread' | 'sequence' | 'at' | 'facts'>): void {
    for (const observer of this.#observers) observer.commit(commit, commit)
  }

  emit(event: TransientEvent): void {
    for (const observer of this.#observers) observer.show(event)
    const watchers = this.#watchers.get(event.thread)
    if (watchers) for (const watcher of watchers) watcher.push({ kind: 'transient', event })
  }

  /** Something may have happened to a thread, or (null) to any. */
  look(thread: ThreadId | null): void {
    const watched = thread === null ? [...this.#watchers.values()] : [this.#watchers.get(thread) ?? []]
    for (const watchers of watched) for (const watcher of watchers) watcher.push({ kind: 'look' })
    const resting = thread === null ? [...this.#resting.values()] : [this.#resting.get(thread) ?? []]
    for (const listeners of resting) for (const listener of [...listeners]) listener()
  }
}

/** The committed events of one commit, from an index on. */
export function toEvents(commit: Pick<Commit, 'thread' | 'sequence' | 'at' | 'facts'>, from = 0): readonly CommittedEvent[] {
  return commit.facts.slice(from).map((fact, offset) => {
    const { type, run, scope, v: _, ...data } = fact
    return {
      type,
      cursor: { sequence: commit.sequence, index: from + offset },
      at: commit.at,
      thread: commit.thread,
      ...(run === undefined ? {} : { run }),
      ...(scope === undefined ? {} : { scope }),
      data
    } as CommittedEvent
  })
}

function addTo<T>(map: Map<ThreadId, Set<T>>, thread: ThreadId, value: T): () => void {
  const known = map.get(thread) ?? new Set<T>()
  known.add(value)
  map.set(thread, known)
  return () => {
    known.delete(value)
    if (known.size === 0 && map.get(thread) === known) map.delete(thread)
  }
}
