import type { AgentDefinition } from './contracts/api.ts'
import { HoldfastError } from './contracts/errors.ts'
import type { Grants } from './contracts/grants.ts'
import { findLacking } from './grants/tool-needs.ts'
import { isTool } from './manifest/tool-registry.ts'

/**
 * A tool that stands in a definition itself is not one of the runtime's, so what it needs of the machine is not granted by itself: every call of it would
 * be blocked. Throws `invalid_tools` (details: `tool`, `field`), before anything is paid for.
 */
export function assertOwnToolsGranted(grants: Grants, { name, tools = [] }: Pick<AgentDefinition, 'name' | 'tools'>): void {
  for (const tool of tools) {
    if (!isTool(tool) || tool.needs === undefined) continue
    const field = findLacking(grants, tool.needs)
    if (field === undefined) continue
    throw new HoldfastError(
      'invalid_tools',
      `Tool "${tool.name}" of ${name}: it works with ${field}, of which this runtime grants nothing. Give the tool to the runtime (\`tools\`) and name it in the definition, or say what is granted (\`grants\`).`,
      { details: { tool: tool.name, field: `grants.${field}` } }
    )
  }
}
