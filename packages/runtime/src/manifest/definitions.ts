// What reads, checks and freezes definitions is loaded with the first of them: importing the runtime stays quick. AGENTS.md lists this file.
import type { AgentDefinition } from '../contracts/api.ts'
import type { Publication } from '../contracts/publication.ts'
import type { Tool } from '../contracts/tool.ts'
import type { AgentManifest } from './agent-manifest.ts'
import { once } from './libraries.ts'
import type { FreezeOptions } from './publish.ts'

const loadFreezing = once(() => import('./publish.ts'))

/**
 * Reads an agent manifest (`schemaVersion: "1.0"`, the form without `steps`), YAML or JSON. Where a text is expected, a plain value of YAML counts as it
 * was written: `1.10` stays "1.10". Without a name the agent is called after its file.
 *
 * Throws `invalid_manifest`; `details.problems` lists all that is wrong, each with `file`, `line`, `column`, `path`, `code`, `message`, `expected` and
 * `nearMiss`.
 */
export async function parseAgentManifest(text: string, file: string): Promise<AgentManifest> {
  return (await import('./agent-manifest.ts')).parseAgentManifest(text, file)
}

/** Resolves and freezes a definition. */
export async function freezeDefinition(agent: AgentDefinition, registry: Iterable<Tool>, options: FreezeOptions): Promise<Publication> {
  return (await loadFreezing()).freezeDefinition(agent, registry, options)
}
