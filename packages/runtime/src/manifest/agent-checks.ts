import { isHoldfastError } from '../contracts/errors.ts'
import type { Json, JsonObject } from '../contracts/json.ts'
import type { VariableDeclaration } from '../contracts/publication.ts'
import type { AgentFault } from './agent-fault.ts'
import type { WrittenAuthority } from './authority-checks.ts'
import { findAuthorityFaults } from './authority-checks.ts'
import { proveSchema } from './json-schema.ts'
import type { WrittenInitialPrompts } from './initial-prompt-checks.ts'
import { findInitialFaults } from './initial-prompt-checks.ts'
import { findTemplateFaults } from './template-checks.ts'
import { findDeclarationFaults } from './variables.ts'

/** What of an agent is checked beyond its shape. */
export interface CheckedAgent extends WrittenAuthority, WrittenInitialPrompts {
  readonly systemPrompt?: string
  readonly prompt?: string
  /** Null when they cannot be read: then nobody knows which names there are. */
  readonly variables?: readonly VariableDeclaration[] | null
  readonly outputSchema?: JsonObject
  readonly plugins?: readonly unknown[]
}

/** What is wrong with an agent beyond its shape: its variables, its templates and what they name, its output schema, its rules and grants. */
export async function findAgentFaults(agent: CheckedAgent): Promise<readonly AgentFault[]> {
  const { variables = [] } = agent
  const faults = [...findDeclarationFaults(variables ?? [])]
  for (const field of ['systemPrompt', 'prompt'] as const) {
    const text = agent[field]
    if (text !== undefined) faults.push(...(await findTemplateFaults([field], text, variables)))
  }
  faults.push(...(await findInitialFaults(hasPlugins(agent) ? { ...agent, tools: null } : agent, variables)))
  if (agent.outputSchema !== undefined) faults.push(...(await findSchemaFaults(agent.outputSchema)))
  faults.push(...findAuthorityFaults(agent))
  return faults
}

/** Plugins add tools: which ones is known when it is published, and that looks again. */
function hasPlugins({ plugins = [] }: CheckedAgent): boolean {
  return plugins.length > 0
}

/** What of an agent can be checked although its shape is wrong: the fields in which nothing is. */
export function toCheckable(value: Json, faults: readonly AgentFault[]): CheckedAgent {
  const wrong = new Set(faults.map(({ path }) => path[0]))
  if (typeof value !== 'object' || value === null || wrong.has(undefined)) return {}
  const sound = Object.entries(value).filter(([key]) => CHECKED_FIELDS.has(key) && !wrong.has(key))
  return {
    ...Object.fromEntries(sound),
    ...(wrong.has('variables') ? { variables: null } : {}),
    ...(wrong.has('tools') || wrong.has('plugins') ? { tools: null } : {})
  }
}

const CHECKED_FIELDS: ReadonlySet<string> = new Set([
  'systemPrompt',
  'prompt',
  'initialPrompts',
  'tools',
  'plugins',
  'variables',
  'outputSchema',
  'permissions',
  'grants',
  'capabilities',
  'agents'
] satisfies (keyof CheckedAgent)[])

async function findSchemaFaults(schema: JsonObject): Promise<readonly AgentFault[]> {
  try {
    await proveSchema(schema)
    return []
  } catch (error) {
    if (!isHoldfastError(error)) throw error
    return [{ code: 'invalid', path: ['outputSchema'], message: error.message.replace(/\.$/, ''), expected: 'a JSON Schema' }]
  }
}
