import { parseGrants } from '../grants/parse-grants.ts'
import { parsePermissionRules } from '../grants/parse-rules.ts'
import type { AgentFault } from './agent-fault.ts'
import type { Path } from './problem.ts'

/** What a definition says about what its runs may do, as it was written. */
export interface WrittenAuthority {
  readonly grants?: unknown
  /** The other name of `grants`. */
  readonly capabilities?: unknown
  readonly permissions?: unknown
  readonly agents?: readonly { readonly name: string }[]
}

/** What is wrong with grants, rules and the names of agents. */
export function findAuthorityFaults({ grants, capabilities, permissions, agents = [] }: WrittenAuthority): readonly AgentFault[] {
  const rules = permissions === undefined ? undefined : parsePermissionRules(permissions)
  return [
    ...(rules === undefined || rules.ok ? [] : rules.faults.map((fault) => within('permissions', fault))),
    ...findGrantFaults('grants', grants),
    ...findGrantFaults('capabilities', capabilities),
    ...(grants === undefined || capabilities === undefined ? [] : [BOTH_NAMES]),
    ...findRepeatedAgents(agents)
  ]
}

const BOTH_NAMES: AgentFault = {
  code: 'duplicate',
  path: ['capabilities'],
  message: 'this is another name of `grants`, which is there as well',
  related: ['grants']
}

function findGrantFaults(field: string, value: unknown): readonly AgentFault[] {
  if (value === undefined) return []
  const parsed = parseGrants(value)
  return parsed.ok ? [] : parsed.faults.map((fault) => within(field, fault))
}

function within(field: string, fault: AgentFault): AgentFault {
  return { ...fault, path: [field, ...fault.path] }
}

function findRepeatedAgents(agents: readonly { readonly name: string }[]): readonly AgentFault[] {
  const first = new Map<string, number>()
  return agents.flatMap(({ name }, index) => {
    const before = first.get(name)
    if (before === undefined) first.set(name, index)
    if (before === undefined) return []
    const path: Path = ['agents', index, 'name']
    return [{ code: 'duplicate', path, message: `the agent "${name}" is listed twice`, related: ['agents', before, 'name'] }]
  })
}
