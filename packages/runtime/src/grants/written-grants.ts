import type { Grants } from '../contracts/grants.ts'
import type { Checked } from '../contracts/shape-fault.ts'
import { NO_GRANTS } from './intersect-grants.ts'
import { parseGrants } from './parse-grants.ts'

/**
 * What a host grants that says nothing: its own tools, models, connections and registered agents. Nothing of the machine: no folder, no host of
 * the network, no variable of the environment, no command.
 */
export const DEFAULT_GRANTS: Grants = {
  ...NO_GRANTS,
  tools: 'all',
  connections: 'all',
  definitions: 'all',
  models: 'all',
  agents: { start: true, files: false, depth: 8, reach: 'descendants' }
}

/** What is named elsewhere, too: the host gives its runtime tools, models, connections and agents, and a definition lists those that it uses. */
const NAMED_ELSEWHERE = ['tools', 'connections', 'definitions', 'models', 'agents'] as const satisfies readonly (keyof Grants)[]

/**
 * Reads grants that stand in a configuration, a definition or the options of a program. Of the machine, what is left out is not granted, as with `parseGrants`.
 * Of what is named elsewhere, what is left out is what is named there, and what is said narrows it: an empty list leaves nothing.
 */
export function parseWrittenGrants(value: unknown): Checked<Grants> {
  const parsed = parseGrants(value)
  if (!parsed.ok) return parsed
  const left = NAMED_ELSEWHERE.filter((field) => !isSaid(value, field))
  return { ok: true, value: { ...parsed.value, ...Object.fromEntries(left.map((field) => [field, DEFAULT_GRANTS[field]])) } }
}

function isSaid(value: unknown, field: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, field) && Reflect.get(value, field) !== undefined
}
