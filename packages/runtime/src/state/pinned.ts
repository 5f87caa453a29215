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
  const { tools, hooks = [] } = definition
  const code = tools.filter((tool) => tool.identity.startsWith('host:')).map((tool) => `tool:${tool.name}`)
  return [...code, ...hooks.map(({ name }) => `hook:${name}`)].sort()
}
