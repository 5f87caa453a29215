import type { Cost, Usage } from '../contracts/usage.ts'

/** The sum of two usages; a part that only one of them knows is kept. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...sumOf('cachedInputTokens', a, b),
    ...sumOf('cacheWriteTokens', a, b),
    ...sumOf('reasoningTokens', a, b),
    ...(a.estimated || b.estimated ? { estimated: true } : {})
  }
}

/** The sum of two costs: unknown when either is. */
export function addCost(a: Cost, b: Cost): Cost {
  return a === 'unknown' || b === 'unknown' ? 'unknown' : a + b
}

type OptionalTokens = 'cachedInputTokens' | 'cacheWriteTokens' | 'reasoningTokens'

function sumOf(key: OptionalTokens, a: Usage, b: Usage): { readonly [key: string]: number } {
  if (a[key] === undefined && b[key] === undefined) return {}
  return { [key]: (a[key] ?? 0) + (b[key] ?? 0) }
}
