import type { AgentDefinition } from '../contracts/api.ts'
import { HoldfastError, isHoldfastError } from '../contracts/errors.ts'
import type { JsonObject } from '../contracts/json.ts'
import type { ModelResolver } from '../contracts/model.ts'
import type { Definition, ModelCandidate, ModelReference, Publication, ToolDescriptor } from '../contracts/publication.ts'
import type { Checked } from '../contracts/shape-fault.ts'
import type { Tool } from '../contracts/tool.ts'
import { parsePermissionRules } from '../grants/parse-rules.ts'
import { parseWrittenGrants } from '../grants/written-grants.ts'
import { toModelName } from '../state/candidate.ts'
import { digestJson } from '../util/canonical.ts'
import { findAgentFaults, toCheckable } from './agent-checks.ts'
import type { AgentFault } from './agent-fault.ts'
import { checkShape } from './shape-check.ts'
import type { CodeAgent } from './agent-shape.ts'
import { freezeInitialPrompts } from './initial-prompts.ts'
import { proveSchema } from './json-schema.ts'
import { joinTools } from './join-tools.ts'
import { toPlacedError } from './placed-error.ts'
import { toJsonCopy } from './json-value.ts'
import { loadAgentShape, loadModelShape } from './libraries.ts'
import type { Path } from './problem.ts'
import { toManifestError } from './problem.ts'
import { resolveHooks } from './resolve-hooks.ts'
import type { PluginSource } from './resolve-plugins.ts'
import { resolvePlugins } from './plugins.ts'
import { resolveTools } from './resolve-tools.ts'
import { toJsonSchema } from './standard-schema.ts'
import { toToolName } from './tool-name.ts'
import { collectTools, isTool } from './tool-registry.ts'
import { findPlace, toWrittenProblems } from './written-source.ts'

/** What a definition is frozen with. */
export interface FreezeOptions {
  /** Says which models stand in. Default: those of the definition. */
  readonly models?: Pick<ModelResolver, 'fallbacksOf'>
  /** The names of hooks that a definition may name. Default: none. */
  readonly hooks?: readonly string[]
  /** The plugins that a definition may name. Default: none. */
  readonly plugins?: PluginSource
}

const NO_PLUGINS: PluginSource = { names: [], find: () => undefined }

/**
 * Resolves and freezes a definition. The digest covers what changes behaviour: not metadata, not the order of keys, not how a default is spelled out
 * as undefined. Everything that can be wrong is found here, before anything is paid for.
 *
 * Throws `invalid_manifest` (details: `problems`), `tool_unknown` (details: `unknown`), `invalid_tools` (details: `tool`), and what `models` says
 * of fallbacks.
 */
export async function freezeDefinition(
  agent: AgentDefinition,
  registry: Iterable<Tool> = [],
  { models, hooks: known = [], plugins: source = NO_PLUGINS }: FreezeOptions = {}
): Promise<Publication> {
  if (typeof agent !== 'object' || agent === null) throw toError('the definition', [NO_OBJECT])
  const tools = collectTools(agent, registry)
  const data = await checkAgent(agent)
  const named = await resolveNamed(agent, data, tools, { known, source })
  const { descriptors, plugins, hooks } = named
  const { limits = {}, budget, outputSchema, variables = [] } = data
  for (const descriptor of descriptors) await proveInput(descriptor)
  const definition: Definition = {
    name: data.name,
    ...(data.description === undefined ? {} : { description: data.description }),
    model: toModel({ ...data, source: agent }, descriptors, models),
    ...(data.systemPrompt === undefined ? {} : { systemPrompt: data.systemPrompt }),
    ...(data.prompt === undefined ? {} : { prompt: data.prompt }),
    ...(await toInitialPrompts(agent, data, descriptors)),
    variables: variables.map(({ metadata: _, ...variable }) => variable),
    tools: descriptors,
    limits,
    ...(budget === undefined || Object.keys(budget).length === 0 ? {} : { budget }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...toAuthority(data),
    ...(hooks.length === 0 ? {} : { hooks }),
    ...(plugins.length === 0 ? {} : { plugins })
  }
  return { digest: digestJson(definition), definition }
}

/** What a definition names: tools, plugins, hooks. None of them is the same as an empty list. */
interface Named extends Required<Pick<Definition, 'hooks' | 'plugins'>> {
  readonly descriptors: readonly ToolDescriptor[]
}

async function resolveNamed(
  agent: AgentDefinition,
  data: CodeAgent,
  tools: ReadonlyMap<string, Tool>,
  { known, source }: { readonly known: readonly string[]; readonly source: PluginSource }
): Promise<Named> {
  const refuse = (faults: readonly AgentFault[]) => toError(data.name, faults, agent)
  const plugins = await resolvePlugins(data.plugins ?? [], source)
  if (!plugins.ok) throw refuse(plugins.faults)
  const joined = joinTools(data.tools ?? [], tools, plugins.made)
  if (!joined.ok) throw refuse(joined.faults)
  const { limits = {}, outputSchema } = data
  const placeOf = (index: number) => findPlace(agent, ['tools', index])
  const settings = { limits, placeOf, ...(outputSchema === undefined ? {} : { outputSchema }) }
  const resolved = await resolveTools(joined.entries, joined.tools, settings)
  if (!resolved.ok) throw refuse(resolved.faults)
  const hooks = resolveHooks(data.hooks ?? [], known)
  if (!hooks.ok) throw refuse(hooks.faults)
  return { descriptors: resolved.descriptors, plugins: plugins.made.map(({ published }) => published), hooks: hooks.entries }
}

/** The publication with another model. Throws as `freezeDefinition` does. */
export async function freezeModel(
  { definition }: Publication,
  model: ModelReference,
  { models }: FreezeOptions = {}
): Promise<Publication> {
  const { name, tools } = definition
  const copy = toJsonCopy(model)
  if (!copy.ok) throw toError(name, [{ code: copy.code, path: ['model', ...copy.path], message: copy.message }])
  const { ModelShape, modelFields } = await loadModelShape()
  const shape = checkShape(ModelShape, modelFields('model'), copy.value, { around: ['model'] })
  if (!shape.ok) throw toError(name, shape.faults)
  const changed: Definition = { ...definition, model: toModel({ name, model: shape.data }, tools, models) }
  return { digest: digestJson(changed), definition: changed }
}

const NO_OBJECT: AgentFault = { code: 'invalid', path: [], message: 'this is no definition', expected: 'an object' }

/** The agent as plain data of the right shape, its tools named and its output schema written out. */
async function checkAgent(agent: AgentDefinition): Promise<CodeAgent> {
  const label = typeof agent.name === 'string' && agent.name !== '' ? agent.name.slice(0, 200) : 'the definition'
  const copy = toJsonCopy({ ...agent, ...toNamedTools(agent), ...toWrittenSchema(agent, label) })
  if (!copy.ok) throw toError(label, [{ code: copy.code, path: copy.path, message: copy.message }], agent)
  const { CodeAgentShape, AGENT_FIELDS } = await loadAgentShape()
  const shape = checkShape(CodeAgentShape, AGENT_FIELDS, copy.value)
  const told = shape.ok ? [] : shape.faults
  const faults = [...told, ...(await findAgentFaults(shape.ok ? shape.data : toCheckable(copy.value, told)))]
  if (!shape.ok || faults.length > 0) throw toError(label, faults, agent)
  return shape.data
}

function toNamedTools({ tools }: AgentDefinition): { readonly tools?: unknown } {
  return Array.isArray(tools) ? { tools: tools.map((entry) => (isTool(entry) ? entry.name : entry)) } : {}
}

function toWrittenSchema({ outputSchema }: AgentDefinition, label: string): { readonly outputSchema?: JsonObject } {
  if (outputSchema === undefined) return {}
  const converted = toJsonSchema(outputSchema)
  if (converted.ok) return { outputSchema: converted.schema }
  throw toError(label, [{ code: 'invalid', path: ['outputSchema'], message: 'this schema cannot be used', expected: converted.expected }])
}

/**
 * What its runs may do. Nothing that is written is the same as an empty list; grants that ask for nothing are something else. What cannot be read
 * was found before; were it not, it must not be dropped: without them a run could do more.
 */
function toAuthority({ name, permissions = [], grants, agents = [], children }: CodeAgent): Partial<Definition> {
  const rules = readWhole(name, 'permissions', parsePermissionRules(permissions))
  const asked = grants === undefined ? undefined : readWhole(name, 'grants', parseWrittenGrants(grants))
  return {
    ...(rules.length > 0 ? { permissions: rules } : {}),
    ...(asked === undefined ? {} : { grants: asked }),
    ...(agents.length === 0 ? {} : { agents }),
    ...(children === undefined ? {} : { children })
  }
}

function readWhole<T>(name: string, field: string, read: Checked<T>): T {
  if (read.ok) return read.value
  throw toError(
    name,
    read.faults.map((fault) => ({ ...fault, path: [field, ...fault.path] }))
  )
}

/** None is the same as an empty list. */
async function toInitialPrompts(
  source: object,
  { name, initialPrompts = [], limits = {} }: CodeAgent,
  descriptors: readonly ToolDescriptor[]
): Promise<Pick<Definition, 'initialPrompts'>> {
  if (initialPrompts.length === 0) return {}
  const frozen = await freezeInitialPrompts(initialPrompts, descriptors, limits)
  if (!frozen.ok) throw toError(name, frozen.faults, source)
  return { initialPrompts: frozen.prompts }
}

async function proveInput({ name, inputSchema }: ToolDescriptor): Promise<void> {
  try {
    await proveSchema(inputSchema)
  } catch (cause) {
    if (!isHoldfastError(cause)) throw cause
    throw new HoldfastError('invalid_tools', `Tool "${name}": ${cause.message}`, { details: { tool: name, field: 'input' }, cause })
  }
}

/** The model with those that stand in for it: none is as good as an empty list. */
function toModel(
  { name, model, source = {} }: Pick<CodeAgent, 'name' | 'model'> & { readonly source?: object },
  descriptors: readonly ToolDescriptor[],
  models: FreezeOptions['models']
): ModelReference {
  const { fallbacks: own = [], ...first } = model
  const fallbacks = findFallbacks(model, models, source) ?? own
  const choose = (candidate: ModelCandidate, path: Path) => withChosenTool(candidate, descriptors, { name, path, source })
  const chosen = choose(first, ['model'])
  if (fallbacks.length === 0) return chosen
  return { ...chosen, fallbacks: fallbacks.map((candidate, index) => choose(candidate, ['model', 'fallbacks', index])) }
}

/** Those that stand in. One that is not known is told at its place. */
function findFallbacks(model: ModelReference, models: FreezeOptions['models'], source: object): readonly ModelCandidate[] | undefined {
  try {
    return models?.fallbacksOf?.(model)
  } catch (error) {
    if (!isHoldfastError(error)) throw error
    const { name } = error.details
    const index = model.fallbacks?.findIndex((each) => ('ref' in each ? each.ref : each.provider) === name || toModelName(each) === name)
    throw toPlacedError(error, source, index === undefined || index < 0 ? ['model'] : ['model', 'fallbacks', index])
  }
}

/** A tool that the model must choose is one of the definition's, by the name that the model sees. */
function withChosenTool<T extends ModelCandidate>(
  model: T,
  descriptors: readonly ToolDescriptor[],
  { name, path: around, source }: { readonly name: string; readonly path: Path; readonly source: object }
): T {
  const choice = model.settings?.toolChoice
  if (typeof choice !== 'object') return model
  const chosen = descriptors.find((descriptor) => toToolName(descriptor.name) === toToolName(choice.tool))
  if (chosen !== undefined) return { ...model, settings: { ...model.settings, toolChoice: { tool: chosen.name } } }
  const path = [...around, 'settings', 'toolChoice', 'tool']
  const expected = `one of ${descriptors.map((descriptor) => descriptor.name).join(', ')}`
  throw toError(name, [{ code: 'invalid', path, message: 'this is no tool of the definition', expected }], source)
}

function toError(name: string, faults: readonly AgentFault[], source: object = {}): HoldfastError {
  const problems = toWrittenProblems(source, name, faults)
  return toManifestError(problems[0]?.file ?? name, problems)
}
