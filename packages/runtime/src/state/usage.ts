import type { Cost, Usage } from '../contracts/usage.ts'
import { roundUsd } from '../util/money.ts'

const OPTIONAL = ['cachedInputTokens', 'cacheWriteTokens', 'cacheWriteHourTokens', 'reasoningTokens'] as const

/** The sum of two usages; a part that only one of them knows is kept. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: { -readonly [Key in keyof Usage]: Usage[Key] } = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens
  }
  for (const key of OPTIONAL) if (a[key] !== undefined || b[key] !== undefined) sum[key] = (a[key] ?? 0) + (b[key] ?? 0)
  if (a.estimated || b.estimated) sum.estimated = true
  return sum
}

/** The sum of two costs: unknown when either is. */
export function addCost(a: Cost, b: Cost): Cost {
  return a === 'unknown' || b === 'unknown' ? 'unknown' : roundUsd(a + b)
}
