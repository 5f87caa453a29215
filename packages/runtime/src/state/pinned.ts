import type { Digest } from '../contracts/ids.ts'
import type { Definition, Publication, ToolDescriptor } from '../contracts/publication.ts'
import type { EffectiveLimits } from './limits.ts'
import { limitsOf } from './limits.ts'

/** The publication that a thread is pinned to now, and what follows from it. */
export interface Pinned {
  publication: Digest
  definition: Definition
  limits: EffectiveLimits
  tools: ReadonlyMap<string, ToolDescriptor>
  needs: readonly string[]
}

/** What a state holds of a publication. */
export function toPinned({ definition, digest }: Publication): Pinned {
  return {
    publication: digest,
    definition,
    limits: limitsOf(definition),
    tools: new Map(definition.tools.map((tool) => [tool.name, tool])),
    needs: needsOf(definition)
  }
}

/** What a worker must have to drive a thread of this definition. */
export function needsOf(definition: Definition): readonly string[] {
  const { tools, hooks = [], plugins = [] } = definition
  const code = tools.flatMap(({ identity }) => toToolNeed(identity) ?? [])
  return [...code, ...hooks.map(({ name }) => `hook:${name}`), ...plugins.map(({ name }) => `plugin:${name}`)].sort()
}

/** What placement calls a tool whose code a worker must have; nothing for one that is no code of a worker. */
export function toToolNeed(identity: string): string | undefined {
  if (identity.startsWith('host:')) return `tool:${identity.slice('host:'.length)}`
  return identity.startsWith('os:') ? `tool:${identity}` : undefined
}
