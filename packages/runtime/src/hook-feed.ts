// Keeps I9: observers are told behind the commit, which waits for none of them; whatever one does reaches no run.
import type { Clock } from './contracts/clock.ts'
import type { SinkEvent } from './contracts/event-sink.ts'
import type { Commit, RunStatus } from './contracts/fact.ts'
import type { CostReport, Hook, ObserverContext, StateChange } from './contracts/hook.ts'
import type { ThreadId } from './contracts/ids.ts'
import type { JsonObject } from './contracts/json.ts'
import type { TransientEvent } from './contracts/event.ts'
import type { Definition } from './contracts/publication.ts'
import type { AppendRequest, ThreadRow } from './contracts/store.ts'
import type { Logger } from './contracts/tool.ts'
import { callHook } from './effects/call-hook.ts'
import type { Observer } from './event-hub.ts'
import { toEvents } from './event-hub.ts'
import { copyJson } from './util/copy-json.ts'

/** What a feed needs of the runtime. */
export interface HookFeedPorts {
  readonly clock: Clock
  readonly logger: Logger
  /** What the definition of a thread tells the hook; null when it does not name it. */
  optionsOf(thread: ThreadId): Promise<{ readonly options?: JsonObject } | null>
}

/** What hooks observe. */
const OBSERVED = ['onCost', 'onStateChange', 'onEvent'] as const

type Point = (typeof OBSERVED)[number]
type Call = { readonly thread: ThreadId; readonly point: Point; work(context: ObserverContext): unknown }
type CommitEntry = Pick<Commit, 'thread' | 'sequence' | 'at' | 'facts'>

/** How much waits for an observer at most; what comes beyond is left out. */
const MAX_CALLS = 10_000
/** Of how many threads something is remembered. */
const MAX_THREADS = 10_000
/** How long a runtime that closes waits for an observer. */
const CLOSE_MS = 5_000

/** The feeds of those hooks that observe something; of the others there is none. */
export function toHookFeeds(
  { host, registered }: { readonly host: readonly Hook[]; readonly registered: readonly Hook[] },
  { clock, logger, definitionOf }: Omit<HookFeedPorts, 'optionsOf'> & { definitionOf(thread: ThreadId): Promise<Pick<Definition, 'hooks'>> }
): readonly HookFeed[] {
  const toFeed = (optionsOf: (hook: Hook) => HookFeedPorts['optionsOf']) => (hook: Hook) =>
    new HookFeed(hook, { clock, logger, optionsOf: optionsOf(hook) })
  const ofDefinition =
    ({ name }: Hook): HookFeedPorts['optionsOf'] =>
    async (thread) => {
      const entry = (await definitionOf(thread)).hooks?.find((each) => each.name === name)
      if (entry === undefined) return null
      return entry.options === undefined ? {} : { options: entry.options }
    }
  const observes = (hook: Hook): boolean => OBSERVED.some((point) => hook[point] !== undefined)
  return [...host.filter(observes).map(toFeed(() => async () => ({}))), ...registered.filter(observes).map(toFeed(ofDefinition))]
}

/** Tells one hook what is committed and streamed here, one thing after another. Never throws. */
export class HookFeed implements Observer {
  readonly #hook: Hook
  readonly #ports: HookFeedPorts
  readonly #closing = new AbortController()
  /** Of the threads that are owned here. */
  readonly #states = new Map<ThreadId, RunStatus>()
  readonly #options = new Map<ThreadId, ReturnType<HookFeedPorts['optionsOf']>>()
  readonly #queue: Call[] = []
  #telling: Promise<void> | null = null
  #failures = 0
  #lost = 0

  constructor(hook: Hook, ports: HookFeedPorts) {
    this.#hook = hook
    this.#ports = ports
  }

  get transient(): boolean {
    return this.#hook.onEvent !== undefined
  }

  commit(
    kept: Pick<AppendRequest, 'thread' | 'facts'> & Partial<Pick<AppendRequest, 'row' | 'then'>>,
    receipt: Pick<Commit, 'sequence' | 'at'>
  ): void {
    const { thread, facts, row, then } = kept
    const { sequence, at } = receipt
    if (this.transient) for (const event of toEvents({ thread, sequence, at, facts })) this.#tellEvent(event)
    if (this.#hook.onCost) this.#tellCosts({ thread, sequence, at, facts })
    if (this.#hook.onStateChange && row) this.#tellState(thread, row)
    // The next owner may be somebody else, under another publication.
    if (then === 'release') this.#states.delete(thread)
    if (then === 'release' || facts.some((fact) => fact.type === 'thread.repinned')) this.#options.delete(thread)
  }

  show(event: TransientEvent): void {
    if (this.transient) this.#tellEvent(event)
  }

  /** Tells what is left; for a hook that hangs nobody waits for long. */
  async close(): Promise<void> {
    const over = new AbortController()
    await Promise.race([this.#telling, this.#ports.clock.sleep(CLOSE_MS, over.signal)])
    over.abort()
    this.#closing.abort(new Error('the runtime closes'))
    if (this.#failures + this.#lost > 0) {
      this.#ports.logger.warn(`the hook ${this.#hook.name} did not observe everything`, { failures: this.#failures, lost: this.#lost })
    }
  }

  #tellEvent(event: SinkEvent): void {
    this.#add({ thread: event.thread, point: 'onEvent', work: (context) => this.#hook.onEvent?.(copyJson(event), context) })
  }

  #tellCosts({ thread, facts }: CommitEntry): void {
    for (const fact of facts) {
      if ((fact.type !== 'model.responded' && fact.type !== 'model.failed') || fact.usage === undefined) continue
      const { turn, usage, cost = 'unknown' } = fact
      const model = fact.type === 'model.responded' ? { model: fact.model } : {}
      const report: CostReport = { thread, run: fact.run ?? '', turn, usage, cost, ...model }
      this.#add({ thread, point: 'onCost', work: (context) => this.#hook.onCost?.(copyJson(report), context) })
    }
  }

  #tellState(thread: ThreadId, { status, run, why }: ThreadRow): void {
    const previous = this.#states.get(thread)
    if (previous === status) return
    remember(this.#states, thread, status)
    const change: StateChange = {
      ...{ thread, status },
      ...(run === undefined ? {} : { run }),
      ...(previous === undefined ? {} : { previous }),
      ...(why === undefined ? {} : { why })
    }
    this.#add({ thread, point: 'onStateChange', work: (context) => this.#hook.onStateChange?.(change, context) })
  }

  #add(call: Call): void {
    if (this.#queue.length >= MAX_CALLS) {
      this.#lost++
      return
    }
    this.#queue.push(call)
    this.#telling ??= this.#tell().finally(() => {
      this.#telling = null
    })
  }

  async #tell(): Promise<void> {
    // Behind the commit: not in the middle of whoever makes it.
    await Promise.resolve()
    for (let call = this.#queue.shift(); call && !this.#closing.signal.aborted; call = this.#queue.shift()) await this.#call(call)
  }

  async #call({ thread, point, work }: Call): Promise<void> {
    const { clock, logger } = this.#ports
    try {
      const told = await this.#optionsOf(thread)
      if (told === null) return
      const reply = await callHook(this.#hook, (signal) => work({ ...told, signal, logger }), { clock, signal: this.#closing.signal })
      if (!reply.ok) this.#note(point, reply.error)
    } catch (error) {
      this.#note(point, error instanceof Error ? error.message : String(error))
    }
  }

  #optionsOf(thread: ThreadId): ReturnType<HookFeedPorts['optionsOf']> {
    const known = this.#options.get(thread)
    if (known) return known
    const options = this.#ports.optionsOf(thread)
    remember(this.#options, thread, options)
    // What could not be read is read again.
    options.catch(() => this.#options.delete(thread))
    return options
  }

  /** The first failure is told, all are counted. */
  #note(point: Point, error: string): void {
    this.#failures++
    if (this.#failures === 1) this.#ports.logger.warn(`the hook ${this.#hook.name} failed in ${point}; the run goes on`, { error })
  }
}

function remember<T>(map: Map<ThreadId, T>, thread: ThreadId, value: T): void {
  map.set(thread, value)
  if (map.size <= MAX_THREADS) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}
