import type { Grants } from '../contracts/grants.ts'
import type { ToolNeeds } from '../contracts/tool.ts'
import { toNormalGrants } from './intersect-grants.ts'
import { parseGrants } from './parse-grants.ts'
import { DEFAULT_GRANTS } from './written-grants.ts'

/** A field of which a tool may need something. */
export type NeededField = 'files.read' | 'files.write' | 'network.hosts' | 'env'

const FIELDS = ['files.read', 'files.write', 'network.hosts', 'env'] as const satisfies readonly NeededField[]

/** The first field of which a tool needs something and grants hold nothing. */
export function findLacking(grants: Grants, needs: ToolNeeds): NeededField | undefined {
  return FIELDS.find((field) => isSome(namesIn(needs, field)) && !isSome(namesIn(grants, field)))
}

/** What a host grants that says nothing: as ever, and of the machine what the tools need that it gives its runtime. */
export function toDefaultGrants(tools: Iterable<{ readonly needs?: ToolNeeds }>): Grants {
  return [...tools].reduce((grants, { needs }) => (needs === undefined ? grants : withNeeds(grants, needs)), DEFAULT_GRANTS)
}

function withNeeds(grants: Grants, needs: ToolNeeds): Grants {
  const parsed = parseGrants(needs)
  if (!parsed.ok) return grants
  const { files, network, env } = parsed.value
  return toNormalGrants({
    ...grants,
    files: { read: joined(grants.files.read, files.read), write: joined(grants.files.write, files.write) },
    network: { hosts: [...grants.network.hosts, ...network.hosts], private: joined(grants.network.private, network.private) },
    env: joined(grants.env, env)
  })
}

type Names = Grants['env']

function joined(some: Names, more: Names): Names {
  return some === 'all' || more === 'all' ? 'all' : [...some, ...more]
}

function namesIn({ files, network, env }: Grants | ToolNeeds, field: NeededField): Names | undefined {
  return { 'files.read': files?.read, 'files.write': files?.write, 'network.hosts': network?.hosts, env }[field]
}

function isSome(names: Names | undefined): boolean {
  return names !== undefined && names.length > 0
}
