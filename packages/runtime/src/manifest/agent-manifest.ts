import { basename } from 'node:path'
import type { AgentDefinition } from '../contracts/api.ts'
import type { Json, JsonObject } from '../contracts/json.ts'
import { findAgentFaults, toCheckable } from './agent-checks.ts'
import type { AgentFault } from './agent-fault.ts'
import { toTextProblems } from './agent-fault.ts'
import { checkShape, findMissingTexts } from './shape-check.ts'
import type { AgentManifestData } from './agent-shape.ts'
import { loadAgentShape } from './libraries.ts'
import type { Path } from './problem.ts'
import { toManifestError, toPathText } from './problem.ts'
import type { ParsedDocument } from './parsed-document.ts'
import { parseYaml } from './parse-yaml.ts'
import { noteSource } from './written-source.ts'

/** An agent manifest that was read: the definition, and what is beside it. */
export interface AgentManifest {
  readonly definition: AgentDefinition
  readonly id?: string
  /** Given to adapters, by namespace. */
  readonly extensions?: JsonObject
}

/** Reads an agent manifest, YAML or JSON. */
export async function parseAgentManifest(text: string, file: string): Promise<AgentManifest> {
  const document = await parseYaml(text, file)
  if (document.value === undefined) throw toManifestError(file, document.errors)
  const { AgentManifestShape, AGENT_FIELDS } = await loadAgentShape()
  const value = withTexts(document, withVariableTexts(document, document.value), (current) => findMissingTexts(AgentManifestShape, current))
  const shape = checkShape(AgentManifestShape, AGENT_FIELDS, value)
  const told = shape.ok ? findExtensionFaults(shape.data) : relevant(value, shape.faults)
  const faults = [...told, ...(await findAgentFaults(shape.ok ? shape.data : toCheckable(value, told)))]
  const known = new Set(document.errors.map(({ path }) => path))
  const problems = [...document.errors, ...toTextProblems(document, faults).filter(({ path }) => !known.has(path))]
  if (!shape.ok || problems.length > 0) throw toManifestError(file, problems)
  const manifest = toManifest(shape.data, file)
  noteSource(manifest.definition, document)
  return manifest
}

/** The text of declared text variables, where YAML reads their plain value as something else. */
function withVariableTexts(document: ParsedDocument, value: Json): Json {
  const variables = fieldOf(value, 'variables')
  if (!Array.isArray(variables)) return value
  const paths = variables.flatMap((variable: Json, index) =>
    fieldOf(variable, 'type') === 'string' ? [['variables', index, 'value']] : []
  )
  return withTexts(document, value, () => paths)
}

function withTexts(document: ParsedDocument, value: Json, find: (value: Json) => readonly Path[]): Json {
  return find(value).reduce<Json>((current, path) => {
    const source = document.sourceAt(path)
    return source === undefined ? current : replaceAt(current, path, source)
  }, value)
}

/** A copy in which a number, true or false at a path is the text of it. Null stays: it says that there is nothing. */
function replaceAt(value: Json, path: Path, text: string): Json {
  const [part, ...rest] = path
  if (part === undefined) return typeof value === 'number' || typeof value === 'boolean' ? text : value
  if (Array.isArray(value)) return value.map((item: Json, index) => (index === part ? replaceAt(item, rest, text) : item))
  const item = fieldOf(value, part)
  return item === undefined ? value : { ...(value as JsonObject), [part]: replaceAt(item, rest, text) }
}

function fieldOf(value: Json, key: string | number): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined
}

/** A workflow needs no model of its own: that one is missing is no second fault of it. */
function relevant(value: Json, faults: readonly AgentFault[]): readonly AgentFault[] {
  if (fieldOf(value, 'steps') === undefined) return faults
  return faults.filter(({ code, path }) => !(code === 'missing' && toPathText(path) === 'model'))
}

/** The namespace of the published runtime is reserved; what it defines is about steps. */
function findExtensionFaults({ extensions }: AgentManifestData): readonly AgentFault[] {
  const reserved = extensions?.['agentRuntime'] ?? {}
  return Object.entries(reserved)
    .filter(([key, value]) => key !== 'stateProjection' || value !== 'step-output-state-v1')
    .map(([key]) => {
      const expected = 'stateProjection: "step-output-state-v1"'
      return { code: 'invalid', path: ['extensions', 'agentRuntime', key], message: 'this namespace is reserved', expected }
    })
}

function toManifest(data: AgentManifestData, file: string): AgentManifest {
  const { schemaVersion: _, id, name, extensions, variables, capabilities, grants = capabilities, ...rest } = data
  const definition: AgentDefinition = {
    name: name || nameOf(file),
    ...rest,
    ...(grants === undefined ? {} : { grants }),
    ...(variables === undefined ? {} : { variables: variables.map(({ metadata: _ignored, ...variable }) => variable) })
  }
  return { definition, ...(id === undefined ? {} : { id }), ...(extensions === undefined ? {} : { extensions }) }
}

function nameOf(file: string): string {
  return basename(file.replaceAll('\\', '/')).replace(/(?:\.agent)?\.(?:ya?ml|json)$/i, '') || 'agent'
}
