import { toKeptBytes } from './artifacts/spilled-bodies.ts'
import { assertKey } from './caller-key.ts'
import type { AgentDefinition, Runtime, RuntimeOptions, StartOptions } from './contracts/api.ts'
import type { RunHandle } from './contracts/thread-handle.ts'
import type { Budget } from './contracts/budget.ts'
import { changeBudget, findBudgetFault } from './contracts/budget.ts'
import { HoldfastError } from './contracts/errors.ts'
import { assertKnownOptions } from './contracts/known-options.ts'
import type { Grants } from './contracts/grants.ts'
import type { InjectedPrompt } from './contracts/initial-prompt.ts'
import type { Json } from './contracts/json.ts'
import type { Labels } from './contracts/labels.ts'
import { findLabelFault } from './contracts/labels.ts'
import type { Part } from './contracts/message.ts'
import type { Definition, Publication } from './contracts/publication.ts'
import type { NewThread } from './contracts/store.ts'
import type { Tool } from './contracts/tool.ts'
import { NO_USAGE } from './contracts/usage.ts'
import { decide, toApproval } from './decisions.ts'
import { assertModelsGranted } from './granted-models.ts'
import { assertOwnToolsGranted } from './granted-tools.ts'
import { toGrants } from './host-grants.ts'
import { grantsAtBirth } from './grants/effective-grants.ts'
import { toStoredGrants } from './grants/stored-grants.ts'
import { forkThread, importThread, toFirstPrompts } from './rare-acts.ts'
import { freezeDefinition } from './manifest/definitions.ts'
import { compileTemplate } from './manifest/template.ts'
import { resolveVariables } from './manifest/variables.ts'
import { APPROVE, CLOSE, DENY, RUNTIME, START, THREADS, WAITS } from './option-names.ts'
import { assertOpen } from './rest.ts'
import type { RuntimeCore } from './runtime-core.ts'
import { createRuntimeArtifacts } from './runtime-artifacts.ts'
import { createCore } from './runtime-core.ts'
import { assertSecretFree } from './definition-secrets.ts'
import { withoutSecrets } from './secrets.ts'
import { needsOf } from './state/pinned.ts'
import type { GivenMessage } from './thread-handle.ts'
import { toItem } from './inbox-delivery.ts'
import { createThreadHandle, toMessage } from './thread-handle.ts'
import { digestJson } from './util/canonical.ts'
import { assertWholeNumber } from './whole-number.ts'

// The heartbeat comes four times a lease: below this it would be all that a process does.
const SHORTEST_LEASE_MS = 100
/** What a run may be started with, as JSON. */
const MAX_START_BYTES = 16 * 1024 * 1024
/** What of it may stand in its first commit, which holds more and of which a store takes 1 MiB. */
const MAX_KEPT_BYTES = 900_000

/**
 * Makes a runtime over a store. It drives the threads that are started, messaged and resumed through it (with `recover`, every thread
 * that is ready) until `close`. Throws `invalid_tools` when two tools share a name, `invalid_input` for a bound that is none.
 */
export function createRuntime(options: RuntimeOptions): Runtime {
  assertKnownOptions('createRuntime', options, RUNTIME)
  assertWholeNumber('leaseMs', options.leaseMs, SHORTEST_LEASE_MS)
  assertWholeNumber('concurrency', options.concurrency, 0)
  assertWholeNumber('crashBudget', options.crashBudget, 1)
  const core = createCore(options)
  let closing: Promise<void> | null = null
  const close: Runtime['close'] = async (closeOptions = {}) => {
    assertKnownOptions('close', closeOptions, CLOSE)
    const { graceMs = 5_000, modelGraceMs = graceMs } = closeOptions
    assertWholeNumber('graceMs', graceMs, 0)
    assertWholeNumber('modelGraceMs', modelGraceMs, 0)
    core.toolGraceMs = Math.max(0, graceMs - modelGraceMs)
    closing ??= stop(core, modelGraceMs)
    return closing
  }
  return {
    publish: (agent) => withoutSecrets(core.secrets, () => publish(core, agent)),
    start: (agent, startOptions = {}) => withoutSecrets(core.secrets, () => start(core, agent, startOptions)),
    thread: (id) => createThreadHandle(core, id),
    fork: (thread, forkOptions = {}) => withoutSecrets(core.secrets, () => forkThread(core, thread, forkOptions)),
    threads: async (query = {}) => {
      assertKnownOptions('threads', query, THREADS)
      return core.store.threads({ ...query, tenant: core.tenant })
    },
    waits: async (query = {}) => {
      assertKnownOptions('waits', query, WAITS)
      return core.store.waits({ ...query, tenant: core.tenant })
    },
    decide: (wait, decision) => withoutSecrets(core.secrets, () => decide(core, wait, decision)),
    approve: (wait, approval = {}) =>
      withoutSecrets(core.secrets, async () => {
        assertKnownOptions('approve', approval, APPROVE)
        return decide(core, wait, toApproval(approval))
      }),
    deny: (wait, refusal = {}) =>
      withoutSecrets(core.secrets, async () => {
        assertKnownOptions('deny', refusal, DENY)
        return decide(core, wait, { decision: 'deny', ...(refusal.reason === undefined ? {} : { reason: refusal.reason }) })
      }),
    answer: (wait, answer) => withoutSecrets(core.secrets, () => decide(core, wait, { decision: 'answer', answer })),
    import: (pieces) => withoutSecrets(core.secrets, () => importThread(core, pieces)),
    artifacts: createRuntimeArtifacts(core),
    close,
    [Symbol.asyncDispose]: () => close()
  }
}

async function stop(core: RuntimeCore, modelGraceMs: number): Promise<void> {
  core.isClosed = true
  await core.engine.stop(modelGraceMs)
  // Whoever waits here waits for nothing any more.
  core.hub.look(null)
  await core.closeSinks()
}

async function publish(core: RuntimeCore, agent: AgentDefinition): Promise<Publication> {
  core.registry.add((agent.tools ?? []).filter((tool): tool is Tool<never> => typeof tool === 'object' && 'execute' in tool))
  const { models, hooks, plugins } = core
  const publication = await freezeDefinition(agent, core.registry.list(), { models, hooks: hooks.names, plugins })
  assertSecretFree(publication.definition, core.secrets)
  const known = core.known(publication.digest)
  if (known) return known
  await core.store.publish(publication)
  core.remember(publication)
  return publication
}

async function start(core: RuntimeCore, agent: AgentDefinition, options: StartOptions): Promise<RunHandle> {
  assertOpen(core)
  assertKnownOptions('start', options, START)
  assertKey('idempotencyKey', options.idempotencyKey)
  const publication = await publish(core, agent)
  const { definition } = publication
  const grants = grantsAtBirth(core.grants, options.grants && toGrants(options.grants, 'grants of the start'), definition.grants)
  assertModelsGranted(grants, definition)
  assertOwnToolsGranted(core.grants, agent)
  const variables = resolveVariables(definition.variables, options.variables ?? {})
  const message = await firstMessage(core, definition, options.input, variables)
  const { redacted: taken, ...initial } = await toFirstPrompts(definition, variables, core.secrets)
  const budget = toStartBudget(definition, options.budget)
  const kept = { parts: message.parts, variables: core.secrets.redactJson(variables), ...budget, ...initial }
  assertFits(kept)
  const key = options.idempotencyKey === undefined ? undefined : core.secrets.redact(options.idempotencyKey)
  const made = toThread(core, publication, { run: '', ...kept }, { key, labels: toLabels(core, options.labels), grants })
  const { created, thread } = await core.store.create(made)
  const run = created || thread === made.id ? runOf(thread) : await firstRunOf(core, thread)
  core.engine.wake(thread)
  const handle = { ...createThreadHandle(core, thread), thread, run, created }
  const names =
    core.secrets.size === 0 ? [] : [...new Set([...message.redacted, ...taken, ...core.secrets.namesIn(JSON.stringify(variables))])]
  return names.length === 0 ? handle : { ...handle, redacted: names }
}

/** What the start says, by field above what the definition does. */
function toStartBudget(definition: Definition, budget: Budget | undefined): { readonly budget?: Budget } {
  if (budget === undefined) return {}
  const fault = findBudgetFault(budget, 'budget')
  if (fault !== null) throw new HoldfastError('invalid_input', `the budget of the start ${fault}`)
  return { budget: changeBudget(definition.budget ?? null, budget) }
}

async function firstMessage(
  { secrets }: RuntimeCore,
  definition: Definition,
  input: StartOptions['input'],
  variables: { readonly [key: string]: Json }
): Promise<GivenMessage> {
  if (input !== undefined) return toMessage(input, secrets)
  if (definition.prompt === undefined) {
    throw new HoldfastError(
      'invalid_input',
      `the agent ${definition.name} has no prompt of its own: say what it is to do when you start it (an input; at the command line, the text behind the file), or give it a \`prompt\``
    )
  }
  return toMessage((await compileTemplate(definition.prompt)).render(variables), secrets)
}

function assertFits(first: Pick<FirstItem, 'parts' | 'variables' | 'initial'>): void {
  const bytes = sizeOf(first)
  if (bytes <= MAX_KEPT_BYTES) return
  if (bytes > MAX_START_BYTES) throw tooLarge('have', bytes, MAX_START_BYTES)
  // Each of them becomes a body of its own.
  const kept = [first.parts, first.initial ?? [], ...Object.values(first.variables)].reduce(
    (sum: number, body) => sum + toKeptBytes(sizeOf(body)),
    0
  )
  if (kept > MAX_KEPT_BYTES) throw tooLarge('have, without the largest of them,', kept, MAX_KEPT_BYTES)
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

function tooLarge(have: string, bytes: number, limit: number): HoldfastError {
  const message = `the message, the initial prompts and the variables ${have} ${bytes} bytes, at most ${limit} fit: give large values by reference`
  return new HoldfastError('value_too_large', message, { details: { bytes, limit } })
}

interface FirstItem {
  readonly run: string
  readonly parts: readonly Part[]
  readonly variables: { readonly [key: string]: Json }
  readonly budget?: Budget
  readonly initial?: readonly InjectedPrompt[]
}

/** What a thread is found by, and what it may do. */
interface Filing {
  readonly key: string | undefined
  readonly labels: { readonly labels?: Labels }
  readonly grants: Grants
}

function toLabels({ secrets }: RuntimeCore, labels: Labels = {}): Filing['labels'] {
  const fault = findLabelFault(labels)
  if (fault !== null) throw new HoldfastError('invalid_input', `expected labels that a list can show: ${fault}`)
  const names = secrets.size === 0 ? [] : secrets.namesIn(JSON.stringify(labels))
  // One that is redacted files a thread under nothing.
  if (names.length > 0) {
    throw new HoldfastError('invalid_input', `a label holds a secret (${names.join(', ')}), and lists show it: use another one`, {
      details: { secrets: names }
    })
  }
  return Object.keys(labels).length === 0 ? {} : { labels: { ...labels } }
}

function toThread(core: RuntimeCore, publication: Publication, first: FirstItem, filing: Filing): NewThread {
  const { key, labels, grants } = filing
  const { definition, digest } = publication
  // A key names its thread, so that two starts with one key make the same one.
  const own = key === undefined ? core.ids.next(20) : digestJson([core.tenant, key]).slice(7, 27)
  const id = `thr_${own}`
  const body = { ...first, run: runOf(id) }
  return {
    tenant: core.tenant,
    id,
    ...(key === undefined ? {} : { key }),
    root: id,
    path: '',
    created: {
      v: 1,
      type: 'thread.created',
      publication: digest,
      grants: toStoredGrants(grants) as unknown as Json,
      rules: [],
      root: id,
      depth: 0,
      ...labels
    },
    first: toItem(core, id, 'start', 'start', body as unknown as Json),
    row: {
      status: 'queued',
      agent: definition.name,
      needs: needsOf(definition),
      turns: 0,
      usage: NO_USAGE,
      cost: 0,
      runUsage: NO_USAGE,
      runCost: 0
    }
  }
}

function runOf(thread: string): string {
  return `run_${thread.slice(4)}`
}

async function firstRunOf(core: RuntimeCore, thread: string): Promise<string> {
  const [first] = await core.store.runs(thread)
  return first?.run ?? runOf(thread)
}
