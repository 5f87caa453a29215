import type { Budget } from '../../src/contracts/budget.ts'
import type { Effect } from '../../src/contracts/fact.ts'
import type { Limits, ModelCandidate, ModelReference, Publication, ToolDescriptor } from '../../src/contracts/publication.ts'

/** A tool of the tests: safe to run beside others and `read` unless said otherwise. */
export function toolOf(name: string, more: Partial<ToolDescriptor> = {}): ToolDescriptor {
  return {
    identity: `host:${name}`,
    name,
    description: name,
    inputSchema: { type: 'object' },
    effect: 'read',
    parallelSafe: true,
    timeoutMs: 5_000,
    version: '1',
    ...more
  }
}

const tool = (name: string, effect: Effect, parallelSafe: boolean): ToolDescriptor => toolOf(name, { effect, parallelSafe })

/** Tools of every effect, some safe to run beside others and some not. */
export const TOOLS: readonly [ToolDescriptor, ...ToolDescriptor[]] = [
  tool('look', 'read', true),
  tool('put', 'idempotent', true),
  tool('pay', 'once', true),
  tool('wire', 'once', true),
  tool('scan', 'read', false),
  tool('move', 'once', false),
  toolOf('charge', { effect: 'once', reconcile: true, onUnknown: 'ask', timeoutMs: 900 }),
  toolOf('ship', { effect: 'once', parallelSafe: false, onUnknown: 'ask', timeoutMs: 700 }),
  toolOf('task_complete', { identity: 'agent:task_complete' })
]

/** Models that stand in: one of the same provider, one of another, a profile. */
export const FALLBACKS: readonly ModelCandidate[] = [
  { provider: 'fake', model: 'two' },
  { provider: 'other', model: 'one' },
  { ref: 'small' }
]

/** A frozen agent with these tools and limits. */
export function publicationOf(
  tools: readonly ToolDescriptor[] = TOOLS,
  limits: Limits = {},
  fallbacks: readonly ModelCandidate[] = [],
  budget?: Budget
): Publication {
  const model: ModelReference = { provider: 'fake', model: 'one', ...(fallbacks.length === 0 ? {} : { fallbacks }) }
  return { digest: 'sha256:model', definition: { name: 'clerk', model, variables: [], tools, limits, ...(budget && { budget }) } }
}
