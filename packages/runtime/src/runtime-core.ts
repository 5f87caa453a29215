import { CodeRegistry } from './code-registry.ts'
import type { RuntimeOptions } from './contracts/api.ts'
import type { Claim } from './contracts/claim.ts'
import type { Clock, IdSource } from './contracts/clock.ts'
import { HoldfastError } from './contracts/errors.ts'
import type { DecisionPolicy } from './contracts/decision.ts'
import type { Grants } from './contracts/grants.ts'
import type { Principal, ThreadId } from './contracts/ids.ts'
import { DEFAULT_TENANT } from './contracts/ids.ts'
import type { Json } from './contracts/json.ts'
import type { LanguageModel, ModelResolver } from './contracts/model.ts'
import type { Definition, ModelCandidate, ModelReference, Publication } from './contracts/publication.ts'
import type { SecretRegistry } from './contracts/secrets.ts'
import type { Store, ThreadInfo } from './contracts/store.ts'
import type { Logger } from './contracts/tool.ts'
import { createPerform } from './effects/perform.ts'
import { Engine } from './engine/engine.ts'
import { randomIds, systemClock } from './engine/system-clock.ts'
import { EventHub } from './event-hub.ts'
import type { Folded } from './fold-thread.ts'
import { foldThread, loadThread } from './fold-thread.ts'
import { createEffectiveGrants } from './grants/effective-grants.ts'
import { toHookFeeds } from './hook-feed.ts'
import type { HookRegistry } from './hook-registry.ts'
import { createHeart } from './hooked-heart.ts'
import { createHookRegistry } from './hook-registry.ts'
import { toHostGrants, toHostRules } from './host-grants.ts'
import type { DriveEnd } from './loop/drive.ts'
import { assertModelsHere } from './lacking-models.ts'
import type { PluginRegistry } from './plugin-registry.ts'
import { createPluginRegistry } from './plugin-registry.ts'
import { createPriceLookup } from './prices/price-lookup.ts'
import { PublicationCache } from './publication-cache.ts'
import { toEventSink } from './record-feed.ts'
import type { RuntimeBodies } from './runtime-bodies.ts'
import { createRuntimeBodies } from './runtime-bodies.ts'
import { toRuntimeLogger } from './runtime-logger.ts'
import { createSecretRegistry } from './secrets.ts'
import type { SinkFeedPorts } from './sink-feed.ts'
import { SinkFeed } from './sink-feed.ts'
import { toModelName } from './state/candidate.ts'
import type { State } from './state/state.ts'
import { StoreTrouble } from './store-trouble.ts'
import { redactError } from './util/redact-error.ts'

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
  /** Who may decide, beside what always holds. */
  readonly mayDecide: DecisionPolicy
  /** What threads may do that are driven here, at most. */
  readonly grants: Grants
  /** What a thread may do today, by the record that it carries. Throws `grants_unreadable`. */
  grantsOf(record: unknown): Grants
  readonly registry: CodeRegistry
  readonly hooks: HookRegistry
  readonly plugins: PluginRegistry
  readonly models: ModelResolver
  /** What is kept, logged, thrown or shown passes it first (I14). */
  readonly secrets: SecretRegistry
  /** Why a thread could not be driven here, as long as it was not asked for again. */
  readonly faults: Map<ThreadId, unknown>
  /** Threads that were lost to others, and who drove them here, as long as they are not driven here again. */
  readonly lost: Map<ThreadId, string>
  /** Of the store, when it is asked for threads. */
  readonly trouble: StoreTrouble
  /** Tells the host what it would wait for in vain: its logger, or where it has none whoever is told the warnings of the process. */
  warn(message: string, data: Json): void
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

function toEngineOptions({ leaseMs = 10_000, concurrency = 256, recover = false, crashBudget = 5 }: RuntimeOptions) {
  return { leaseMs, concurrency, recover, crashBudget }
}

const HOST: Principal = { kind: 'host', id: 'host' }
/** The policy of a host that has none. */
export const ANYBODY: DecisionPolicy = () => true

/** Wires the heart, the effects and the engine together, by values. */
export function createCore(options: RuntimeOptions): RuntimeCore {
  const { store, clock = systemClock, ids = randomIds, secrets = createSecretRegistry(), principal = HOST, mayDecide = ANYBODY } = options
  const { tenant = DEFAULT_TENANT } = options
  const permissions = toHostRules(options.permissions)
  const bodies = createRuntimeBodies(options)
  const logger = toRuntimeLogger(options.logger, secrets)
  const feeds = toFeeds(options, { store, clock, logger })
  const hooks = createHookRegistry(options)
  const hookFeeds = toHookFeeds(hooks, { clock, logger, definitionOf: (thread) => definitionOf(core, thread) })
  const hub = new EventHub([...feeds, ...hookFeeds])
  const plugins = createPluginRegistry(options.plugins)
  const registry = new CodeRegistry(options.tools, [...hooks.needs, ...plugins.needs])
  const faults = new Map<ThreadId, unknown>()
  const trouble = new StoreTrouble(clock, logger)
  const grants = toHostGrants(options.grants, [...(options.tools ?? []), ...plugins.needed])
  const grantsOf = createEffectiveGrants(grants)
  const publications = new PublicationCache(store, { codeOf: (identity) => registry.get(identity), permissions, hooks, plugins })
  const models = toResolver(options.models)
  const prices = createPriceLookup({ logger, ...(options.prices && { overrides: options.prices }) })
  const perform = createPerform({
    clock,
    logger,
    models,
    secrets,
    costOf: (model, usage) => prices.costOf(model, usage),
    tool: (identity, publication) => registry.get(identity) ?? publications.pluginTool(publication, identity),
    prepared: (digest) => publications.prepared(digest),
    grantsOf,
    emit: (event) => hub.emit(event),
    isWatched: (thread) => hub.isWatched(thread),
    toolGraceMs: () => core.toolGraceMs
  })
  const engine = new Engine<State>({
    store: bodies.store,
    clock,
    ids,
    logger,
    heart: createHeart({ ...hooks, plugins: options.plugins ?? [] }),
    load: (claim) => loadHere(core, claim, { publications, isAsked: options.recover !== true }),
    perform,
    announce: (request, receipt) => hub.announce(request, receipt, bodies.kept(request)),
    ended: (thread, end, worker) => hearEnd(core, { thread, end, worker }),
    asked: (failure) => trouble.hear(failure),
    needs: () => registry.needs,
    ...toEngineOptions(options)
  })
  const core: RuntimeCore = {
    ...{ store, bodies, clock, ids, tenant, principal, hub, engine, mayDecide, grants, grantsOf },
    ...{ registry, hooks, plugins, models, secrets, faults, trouble },
    ...{ lost: new Map<ThreadId, string>(), warn: toWarn(options.logger, logger) },
    publication: (digest) => publications.get(digest),
    known: (digest) => publications.known(digest),
    remember: (publication) => publications.add(publication),
    drives: options.concurrency !== 0,
    missing: (info) => info.row.needs.filter((need) => !registry.needs.includes(need)),
    fold: (thread) => foldThread(bodies, publications, thread, null),
    closeSinks: () => Promise.all([...feeds, ...hookFeeds].map((feed) => feed.close())),
    toolGraceMs: 5_000,
    isClosed: false
  }
  return core
}

/** Throws what makes that a thread cannot be driven here. `isAsked`: nothing is taken up that nobody asked for here. */
async function loadHere(
  core: RuntimeCore,
  claim: Claim,
  { publications, isAsked }: { readonly publications: PublicationCache; readonly isAsked: boolean }
): Promise<Folded> {
  core.lost.delete(claim.thread)
  const loaded = await loadThread(core.bodies, publications, claim, core.grantsOf)
  // Whoever asks for the first drive of a run is told by its failure.
  if (!isAsked || claim.attempt > 1) await assertModelsHere(core, claim.thread, loaded.state.definition)
  return loaded
}

function toWarn(given: Logger | undefined, logger: Logger): RuntimeCore['warn'] {
  return given === undefined ? (message) => process.emitWarning(message, 'HoldfastWarning') : (message, data) => logger.warn(message, data)
}

interface EndedDrive {
  readonly thread: ThreadId
  readonly end: DriveEnd | { readonly error: unknown }
  readonly worker: string
}

function hearEnd({ faults, lost, hub, secrets }: RuntimeCore, { thread, end, worker }: EndedDrive): void {
  if (typeof end === 'object') faults.set(thread, redactError(end.error, secrets))
  if (end === 'lost') lost.set(thread, worker)
  hub.look(thread)
}

async function definitionOf({ store, publication }: RuntimeCore, thread: ThreadId): Promise<Definition> {
  const info = await store.thread(thread)
  if (!info) throw new HoldfastError('thread_not_found', `there is no thread ${thread} in this store`)
  return (await publication(info.publication)).definition
}

/** What observes this runtime, each with its queue. */
function toFeeds({ sinks = [], records = [] }: RuntimeOptions, ports: { readonly store: Store } & SinkFeedPorts): readonly SinkFeed[] {
  return [...sinks, ...records.map((sink) => toEventSink(sink, ports.store))].map((sink) => new SinkFeed(sink, ports))
}

function toResolver(models: RuntimeOptions['models']): ModelResolver {
  if (typeof models === 'function') return models
  const find = (reference: ModelCandidate): LanguageModel => {
    const name = toModelName(reference)
    const known: LanguageModel | undefined = models && Object.hasOwn(models, name) ? models[name] : undefined
    if (known) return known
    const names = Object.keys(models ?? {})
    const message = `there is no model "${name}" in this runtime; it has: ${names.join(', ') || 'none'}`
    throw new HoldfastError('model_unknown', message, { details: { name, known: names } })
  }
  const fallbacksOf = ({ fallbacks = [] }: ModelReference): readonly ModelCandidate[] => {
    for (const fallback of fallbacks) find(fallback)
    return fallbacks
  }
  return Object.assign((reference: ModelReference) => find(reference), { fallbacksOf })
}
