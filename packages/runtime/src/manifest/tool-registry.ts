import type { AgentTool } from '../contracts/agent-tool.ts'
import type { AgentDefinition } from '../contracts/api.ts'
import { HoldfastError } from '../contracts/errors.ts'
import type { Tool } from '../contracts/tool.ts'
import { toToolIdentityText } from '../grants/tool-identity.ts'
import { digestJson } from '../util/canonical.ts'
import { ownerOf } from './plugin-owner.ts'
import { checkWholeTool } from './tool-fields.ts'

/** The name of the built-in tool with which a run ends itself. */
export const TASK_COMPLETE_NAME = 'task_complete'
/** The name of the built-in tool that asks a person. */
export const ASK_USER_NAME = 'ask_user'
/** Names that no other tool may have. */
export const BUILT_IN_NAMES: readonly string[] = [TASK_COMPLETE_NAME, ASK_USER_NAME]

/** Whether an entry of an agent's tools is a tool itself, and no reference to one. */
export function isTool(entry: AgentTool | Tool<never>): entry is Tool<never> {
  return typeof entry === 'object' && entry !== null && 'execute' in entry
}

/** What grants call a tool: the host's, one of a plugin, or one of the runtime for files and pages. */
export function identityOf(tool: Pick<Tool, 'name' | 'origin'>): string {
  const owner = ownerOf(tool)
  if (owner !== undefined) return toToolIdentityText({ kind: 'plugin', plugin: owner.name, tool: tool.name })
  return toToolIdentityText({ kind: tool.origin ?? 'host', name: tool.name })
}

/** The version that a publication freezes: declared by the tool, else the digest of what it declares. A definition that tightens it does not change it. */
export function versionOf(tool: Tool): string {
  if (tool.version !== undefined) return tool.version
  const { name, description, input, effect, parallelSafe, timeoutMs = null } = tool
  const plugin = ownerOf(tool)?.version
  return digestJson({
    identity: identityOf(tool),
    name,
    description,
    inputSchema: input.jsonSchema,
    effect,
    parallelSafe,
    timeoutMs,
    ...(plugin === undefined ? {} : { plugin })
  })
}

/**
 * The tools that a definition may name, by name: those of the host and its own. Throws `invalid_tools` when two have one name, one has the name of a
 * built-in tool, or one that `defineTool` did not make lacks something.
 */
export function collectTools(agent: Pick<AgentDefinition, 'tools'>, registry: Iterable<Tool>): ReadonlyMap<string, Tool> {
  const tools = new Map<string, Tool>()
  for (const tool of [...registry, ...(Array.isArray(agent.tools) ? agent.tools.filter(isTool) : [])]) {
    checkWholeTool(tool)
    const other = tools.get(tool.name)
    if (BUILT_IN_NAMES.includes(tool.name)) throw refuse(tool, 'this name is that of a built-in tool')
    if (other !== undefined && other !== tool) throw refuse(tool, 'two tools have this name')
    tools.set(tool.name, tool)
  }
  return tools
}

function refuse(tool: Tool, message: string): HoldfastError {
  return new HoldfastError('invalid_tools', `Tool "${tool.name}": ${message}.`, { details: { tool: tool.name, field: 'name' } })
}
