import { basename, dirname } from 'node:path'
import type { Config } from '@holdfast/config'
import type { AgentDefinition, Grants, GrantsInput, Place, Tool } from '@holdfast/runtime'
import type { Ungranted } from './built-in-tools.ts'
import { createBuiltIns, findUngranted, isBuiltIn } from './built-in-tools.ts'
import { loadAllCode } from './configuration.ts'
import { envFileOf } from './env-file.ts'
import { Failure } from './failure.ts'
import { loadRuntime } from './libraries.ts'
import { findProjectGrants } from './project-grants.ts'
import { listArtifactFolders } from './store-artifacts.ts'
import type { StoreLocation } from './store-location.ts'
import type { ModuleCode } from './tools-module.ts'

/** A built-in tool of the runtime that can be left out of what is granted. */
const ASK_USER = 'ask_user'

/** What decides about the tools of an agent. */
export interface AgentToolsSource {
  readonly config: Config
  /** A module that was named beside those of the configuration. */
  readonly named: string | undefined
  /** What the agent calls its tools. */
  readonly references: readonly string[]
  /** The agent, where it was read from its file: what is missing is told where it is named. */
  readonly agent?: AgentDefinition
  /** What it asks for. */
  readonly grants: GrantsInput | undefined
  /** What its thread may do by its record, where there is one. */
  readonly kept?: Grants
  /** Where its threads are kept: no tool sees that. */
  readonly location?: StoreLocation
  /** Is told of a module that takes long. */
  tell(line: string): void
  /** What is thrown for a tool that comes with the runtime and is not granted. Default `tool_unknown`. */
  readonly code?: 'tool_unknown' | 'thread_unplaceable'
}

/**
 * What the modules give, and of the tools that come with the runtime what is granted. A module's own tool takes the place of one that comes with the
 * runtime. Throws what loading a module throws, and for a tool that would have to be granted the code that was told.
 */
export async function loadAgentCode(source: AgentToolsSource): Promise<ModuleCode> {
  const code = await loadAllCode(source.config, source.named, source.tell)
  return { ...code, tools: await withBuiltIns(source, code.tools) }
}

async function withBuiltIns(source: AgentToolsSource, own: readonly Tool<never>[]): Promise<readonly Tool<never>[]> {
  const { config, references, grants, kept, location } = source
  const { toToolName } = await loadRuntime()
  const unasked = source.code === undefined ? await findUnasked(references, own, grants) : []
  const taken = new Set(own.map((tool) => toToolName(tool.name)))
  const wanted = new Set(references.map(toToolName).filter((tool) => isBuiltIn(tool) && !taken.has(tool)))
  if (wanted.size === 0) {
    if (unasked.length > 0) throw await refuse(unasked, source)
    return own
  }
  const project = await findProjectGrants(config, { asked: grants, kept })
  const ungranted = [...wanted].flatMap((tool) => findUngranted(tool, project) ?? [])
  const missing = [...ungranted, ...unasked.filter(({ tool }) => !ungranted.some((each) => each.tool === tool))]
  if (missing.length > 0) throw await refuse(missing, source)
  const builtIns = await createBuiltIns(project, toHidden(config, location))
  return [...own, ...builtIns.filter((tool) => !taken.has(toToolName(tool.name)))]
}

/** Tools that the agent lists and its own grants leave out: each of their calls would be blocked. A thread that is under way is not refused for it. */
async function findUnasked(
  references: readonly string[],
  own: readonly Tool<never>[],
  grants: GrantsInput | undefined
): Promise<readonly Ungranted[]> {
  if (grants === undefined) return []
  const { parseGrants, toToolName } = await loadRuntime()
  // Folders by names are of no account here.
  const parsed = parseGrants({ tools: grants.tools ?? 'all' })
  const granted = parsed.ok ? parsed.value.tools : []
  if (granted === 'all') return []
  const names = new Map(own.map(({ name }) => [toToolName(name), name]))
  return references.flatMap((reference) => {
    const wanted = toToolName(reference)
    // One that is none of these is of a plugin, or of nobody, and that is told when it is published.
    if (!names.has(wanted) && !isBuiltIn(wanted) && wanted !== ASK_USER) return []
    const name = names.get(wanted) ?? wanted
    const isGranted = granted.includes(`${kindOf(wanted, names)}:${name}`)
    return isGranted ? [] : [{ tool: name, field: 'tools' as const, why: 'not_asked' as const }]
  })
}

/** Whose tool has a name: one of a module comes before one of the runtime. */
function kindOf(wanted: string, own: ReadonlyMap<string, string>): 'agent' | 'os' | 'host' {
  if (wanted === ASK_USER) return 'agent'
  return isBuiltIn(wanted) && !own.has(wanted) ? 'os' : 'host'
}

/** What an agent of a file says of its tools. */
export function toToolNames(agent: AgentDefinition): Pick<AgentToolsSource, 'references' | 'agent' | 'grants'> {
  return { references: toReferences(agent), agent, grants: agent.grants }
}

/** What an agent calls its tools. */
export function toReferences({ tools = [] }: Pick<AgentDefinition, 'tools'>): readonly string[] {
  return tools.flatMap((entry) => (typeof entry === 'string' ? [entry] : 'ref' in entry ? [entry.ref] : []))
}

/** The store with all that lies beside it, and the keys of the project. */
function toHidden({ file }: Config, location: StoreLocation | undefined): readonly string[] {
  const folder = location === undefined ? '' : dirname(location.path)
  return [
    ...(location === undefined ? [] : [location.path, location.threads, ...listArtifactFolders(location)]),
    ...(basename(folder) === '.holdfast' ? [folder] : []),
    ...(file === undefined ? [] : [envFileOf(file)])
  ]
}

const WHY: { readonly [why in Ungranted['why']]: string } = {
  not_granted: 'the configuration does not grant',
  not_asked: "the agent's own grants leave out",
  not_kept: 'the thread was started without',
  nothing_shared: 'the configuration and the agent grant no common part of'
}

const EXAMPLES: { readonly [field in Ungranted['field']]: string } = {
  'files.read': 'files: { read: ["workspace:/"] }',
  'files.write': 'files: { write: ["workspace:/out"] }',
  'network.hosts': 'network: { hosts: [example.com] }',
  tools: 'tools: all'
}

async function refuse(
  missing: readonly Ungranted[],
  { config, agent, code = 'tool_unknown' }: Pick<AgentToolsSource, 'config' | 'agent' | 'code'>
): Promise<Failure> {
  const places = await findPlaces(missing, agent)
  const lines = missing.map(({ tool, field, why }, index) => `  ${toPlaceText(places[index])}${tool}: ${WHY[why]} grants.${field}`)
  const file = config.file ?? 'holdfast.config.yaml'
  const [first] = missing
  const [where, fields] = first?.why === 'not_granted' ? [file, []] : ['the agent', ['tools'] as const]
  const example = [...new Set([...fields, first?.field ?? 'files.read'])].map((field) => EXAMPLES[field]).join(', ')
  const remedy = `Say in ${where} what it may, as in \`grants: { ${example} }\`, or leave the tool out.`
  return new Failure(code, `Tools of the agent are not granted:\n${lines.join('\n')}`, {
    details: { ungranted: missing.map(({ tool, field, why }, index) => ({ tool, field: `grants.${field}`, why, ...places[index] })) },
    remedy
  })
}

/** Where the agent's file names each. */
async function findPlaces(missing: readonly Ungranted[], agent: AgentDefinition | undefined): Promise<readonly (Place | undefined)[]> {
  if (agent === undefined) return []
  const { findPlace, toToolName } = await loadRuntime()
  const entries = (agent.tools ?? []).map((entry) =>
    toToolName(typeof entry === 'string' ? entry : 'ref' in entry ? entry.ref : entry.name)
  )
  return missing.map(({ tool }) => findPlace(agent, ['tools', entries.indexOf(toToolName(tool))]))
}

function toPlaceText(place: Place | undefined): string {
  return place === undefined ? '' : `${place.file}:${place.line}:${place.column}: `
}
