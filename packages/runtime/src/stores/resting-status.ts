import type { RunStatus } from '../contracts/fact.ts'

const RESTING: ReadonlySet<string> = new Set<RunStatus>(['waiting', 'completed', 'failed', 'cancelled', 'stopped'])

/** Whether a thread of this status rests once nobody owns it and nothing fresh lies in its inbox. */
export function isRestingStatus(status: string): boolean {
  return RESTING.has(status)
}
