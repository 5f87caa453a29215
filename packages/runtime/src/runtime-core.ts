import type { RuntimeOptions } from './contracts/api.ts'
import type { Clock, IdSource } from './contracts/clock.ts'
import { HoldfastError } from './contracts/errors.ts'
import type { Commit } from './contracts/fact.ts'
import type { Principal, ThreadId } from './contracts/ids.ts'
import { DEFAULT_TENANT } from './contracts/ids.ts'
import type { LanguageModel, ModelResolver } from './contracts/model.ts'
import type { ModelCandidate, ModelReference, Publication } from './contracts/publication.ts'
import type { SecretRegistry } from './contracts/secrets.ts'
import type { Claim } from './contracts/claim.ts'
import type { Store, ThreadInfo } from './contracts/store.ts'
import type { Tool } from './contracts/tool.ts'
import { createPerform } from './effects/perform.ts'
import type { PreparedPublication } from './effects/prepare.ts'
import { preparePublication } from './effects/prepare.ts'
import { Engine } from './engine/engine.ts'
import { randomIds, systemClock } from './engine/system-clock.ts'
import { EventHub } from './event-hub.ts'
import { createPriceLookup } from './prices/price-lookup.ts'
import type { RuntimeBodies } from './runtime-bodies.ts'
import { createRuntimeBodies } from './runtime-bodies.ts'
import { toRuntimeLogger } from './runtime-logger.ts'
import { createSecretRegistry } from './secrets.ts'
import { SinkFeed } from './sink-feed.ts'
import { evolve } from './state/evolve.ts'
import { conversationHeart } from './state/heart.ts'
import type { State } from './state/state.ts'
import { emptyState } from './state/state.ts'
import { bornWith, repinnedIn } from './state/thread-fold.ts'
import { redactError } from './util/redact-error.ts'

const PAGE_BYTES = 4 * 1024 * 1024

/** What the parts of a runtime share. */
export interface RuntimeCore {
  readonly store: Store
  readonly bodies: RuntimeBodies
  readonly clock: Clock
  readonly ids: IdSource
  readonly tenant: string
  readonly principal: Principal
  readonly hub: EventHub
  readonly engine: Engine<State>
  readonly registry: ToolRegistry
  readonly models: ModelResolver
  /** What is kept, logged, thrown or shown passes it first (I14). */
  readonly secrets: SecretRegistry
  /** Why a thread could not be driven here, as long as it was not asked for again. */
  readonly faults: Map<ThreadId, unknown>
  /** Reads a thread's publication, once per process. */
  publication(digest: string): Promise<Publication>
  /** One that this process has kept in the store or read from it. */
  known(digest: string): Publication | undefined
  /** Adds one that was just kept in the store, so that it is not read back. */
  remember(publication: Publication): void
  /** Whether this runtime drives threads at all, and does not only start, deliver and look. */
  readonly drives: boolean
  /** What this process lacks to drive a thread. */
  missing(info: ThreadInfo): readonly string[]
  fold(thread: ThreadId): Promise<{ readonly state: State; readonly head: number }>
  /** Gives the sinks what they have not been given. */
  closeSinks(): Promise<unknown>
  /** How long running tools still get at a stop. */
  toolGraceMs: number
  /** Set when the runtime was closed. */
  isClosed: boolean
}

/** Tools by identity. A later tool of the same name replaces the earlier one only when it is the same object. */
export class ToolRegistry {
  readonly #tools = new Map<string, Tool>()
  #needs: readonly string[] = []

  add(tools: readonly Tool<never>[]): void {
    for (const tool of tools) {
      const identity = `host:${tool.name}`
      const known = this.#tools.get(identity)
      if (known && known !== (tool as Tool)) {
        throw new HoldfastError(
          'invalid_tools',
          `two different tools are named "${tool.name}": names are how threads find their tools after a restart`
        )
      }
      this.#tools.set(identity, tool as Tool)
    }
    this.#needs = [...this.#tools.values()].map((tool) => `tool:${tool.name}`)
  }

  get(identity: string): Tool | undefined {
    return this.#tools.get(identity)
  }

  get needs(): readonly string[] {
    return this.#needs
  }

  list(): readonly Tool[] {
    return [...this.#tools.values()]
  }
}

/** Wires the heart, the effects and the engine together, by values. */
export function createCore(options: RuntimeOptions): RuntimeCore {
  const { store, clock = systemClock, ids = randomIds, secrets = createSecretRegistry() } = options
  const bodies = createRuntimeBodies(options)
  const logger = toRuntimeLogger(options.logger, secrets)
  const feeds = (options.sinks ?? []).map((sink) => new SinkFeed(sink, { store, clock, logger }))
  const hub = new EventHub(feeds)
  const registry = new ToolRegistry()
  registry.add(options.tools ?? [])
  const faults = new Map<ThreadId, unknown>()
  const publications = new PublicationCache(store, (identity) => registry.get(identity))
  const models = toResolver(options.models)
  const prices = createPriceLookup({ logger, ...(options.prices && { overrides: options.prices }) })
  const perform = createPerform({
    clock,
    logger,
    models,
    secrets,
    costOf: (model, usage) => prices.costOf(model, usage),
    tool: (identity) => registry.get(identity),
    prepared: (digest) => publications.prepared(digest),
    emit: (event) => hub.emit(event),
    isWatched: (thread) => hub.isWatched(thread),
    toolGraceMs: () => core.toolGraceMs
  })
  const engine = new Engine<State>({
    store: bodies.store,
    clock,
    ids,
    logger,
    heart: conversationHeart,
    load: (claim) => foldThread(bodies, publications, claim.thread, claim),
    perform,
    announce: (request, receipt) => hub.announce(request, receipt, bodies.kept(request)),
    ended: (thread, end) => {
      if (typeof end === 'object') faults.set(thread, redactError(end.error, secrets))
      hub.look(thread)
    },
    needs: () => registry.needs,
    ...{ leaseMs: options.leaseMs ?? 10_000, concurrency: options.concurrency ?? 256, recover: options.recover ?? false }
  })
  const core: RuntimeCore = {
    store,
    bodies,
    clock,
    ids,
    tenant: options.tenant ?? DEFAULT_TENANT,
    principal: options.principal ?? { kind: 'host', id: 'host' },
    hub,
    engine,
    registry,
    models,
    secrets,
    faults,
    publication: (digest) => publications.get(digest),
    known: (digest) => publications.known(digest),
    remember: (publication) => publications.add(publication),
    drives: options.concurrency !== 0,
    missing: (info) => info.row.needs.filter((need) => !registry.needs.includes(need)),
    fold: (thread) => foldThread(bodies, publications, thread, null),
    closeSinks: () => Promise.all(feeds.map((feed) => feed.close())),
    toolGraceMs: 5_000,
    isClosed: false
  }
  return core
}

class PublicationCache {
  readonly #store: Store
  readonly #codeOf: (identity: string) => Tool | undefined
  readonly #known = new Map<string, { readonly publication: Publication; prepared?: Promise<PreparedPublication> }>()

  constructor(store: Store, codeOf: (identity: string) => Tool | undefined) {
    this.#store = store
    this.#codeOf = codeOf
  }

  add(publication: Publication): void {
    if (!this.#known.has(publication.digest)) this.#known.set(publication.digest, { publication })
  }

  known(digest: string): Publication | undefined {
    return this.#known.get(digest)?.publication
  }

  async get(digest: string): Promise<Publication> {
    const known = this.known(digest)
    if (known) return known
    const publication = await this.#store.publication(digest)
    if (!publication) throw new HoldfastError('publication_missing', `the publication ${digest} is not in the store`)
    this.add(publication)
    return publication
  }

  prepared(digest: string): Promise<PreparedPublication> {
    return this.#known.get(digest)?.prepared ?? this.#prepare(digest)
  }

  async #prepare(digest: string): Promise<PreparedPublication> {
    const publication = await this.get(digest)
    const entry = this.#known.get(digest) ?? { publication }
    entry.prepared ??= preparePublication(publication, this.#codeOf)
    return entry.prepared
  }
}

/** Folds a thread's log, page by page. With a claim, only up to the head that was claimed. */
async function foldThread(
  bodies: RuntimeBodies,
  publications: PublicationCache,
  thread: ThreadId,
  claim: Claim | null
): Promise<{ readonly state: State; readonly head: number }> {
  let state: State | null = null
  let head = 0
  for (;;) {
    const page = await bodies.readWhole(thread, head + 1, PAGE_BYTES)
    for (const commit of page) {
      state ??= emptyState(thread, await publications.get(publicationOf(commit)))
      for (const digest of repinnedIn(commit.facts)) state.publications.set(digest, await publications.get(digest))
      foldCommit(state, commit)
      head = commit.sequence
    }
    if (page.length === 0 || (claim && head >= claim.sequence)) break
  }
  if (!state) throw new HoldfastError('thread_not_found', `there is no thread ${thread} in this store`)
  return { state, head }
}

function foldCommit(state: State, commit: Commit): void {
  const stamp = { at: commit.at, attempt: commit.attempt, sequence: commit.sequence }
  for (const fact of commit.facts) evolve(state, stamp, fact)
}

function publicationOf(commit: Commit): string {
  const publication = bornWith([commit])
  if (publication !== null) return publication
  throw new HoldfastError('log_corrupt', `the log of ${commit.thread} does not begin with its creation`)
}

function toResolver(models: RuntimeOptions['models']): ModelResolver {
  if (typeof models === 'function') return models
  const find = (reference: ModelCandidate): LanguageModel => {
    const name = 'ref' in reference ? reference.ref : `${reference.provider}/${reference.model}`
    const known: LanguageModel | undefined = models && Object.hasOwn(models, name) ? models[name] : undefined
    if (known) return known
    const names = Object.keys(models ?? {})
    throw new HoldfastError('model_unknown', `there is no model "${name}" in this runtime; it has: ${names.join(', ') || 'none'}`)
  }
  const fallbacksOf = ({ fallbacks = [] }: ModelReference): readonly ModelCandidate[] => {
    for (const fallback of fallbacks) find(fallback)
    return fallbacks
  }
  return Object.assign((reference: ModelReference) => find(reference), { fallbacksOf })
}
