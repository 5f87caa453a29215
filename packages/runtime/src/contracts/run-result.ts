import type { RunEnd } from './fact.ts'
import type { Fault } from './fault.ts'
import type { RunId, ThreadId } from './ids.ts'
import type { Json } from './json.ts'
import type { WaitRow } from './wait.ts'
import type { Cost, Usage } from './usage.ts'

/** How a run came to rest. */
export type SettledStatus = RunEnd | 'waiting'

/** What became of a run when it came to rest. Always a value, whatever happened. */
export interface RunResult {
  readonly thread: ThreadId
  readonly run: RunId
  readonly status: SettledStatus
  /** The validated output, when the definition has a schema or the agent called `task_complete`. */
  readonly output?: Json
  /** The final text. */
  readonly text?: string
  readonly error?: Fault
  /** Which limit stopped it, or why it was cancelled. */
  readonly stopReason?: string
  /** What a waiting run waits for. */
  readonly waits: readonly WaitRow[]
  readonly usage: Usage
  readonly cost: Cost
  readonly subtreeCost: Cost
}
