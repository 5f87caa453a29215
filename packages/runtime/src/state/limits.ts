import type { Definition, Limits } from '../contracts/publication.ts'

/** The bounds that hold for every run, also where the definition says nothing. */
export interface EffectiveLimits extends Limits {
  readonly maxTurns: number
  readonly lastTurn: 'answer' | 'tools'
  readonly maxRepeatedCalls: number
  readonly maxRetries: number
  readonly maxParallelCalls: number
  readonly maxToolCallsPerIteration: number
  readonly toolTimeoutMs: number
  readonly providerTimeoutMs: number
}

/** What holds where a definition says nothing. The other limits have no default: they bound nothing unless they are set. */
export const DEFAULT_LIMITS = {
  maxTurns: 100,
  lastTurn: 'answer',
  maxRepeatedCalls: 8,
  maxRetries: 2,
  maxParallelCalls: 16,
  /** Calls in one response. */
  maxToolCallsPerIteration: 64,
  toolTimeoutMs: 120_000,
  providerTimeoutMs: 600_000
} as const satisfies Limits

/** The limits of a definition, defaults filled in. */
export function limitsOf(definition: Pick<Definition, 'limits'>): EffectiveLimits {
  return { ...DEFAULT_LIMITS, ...definition.limits }
}
