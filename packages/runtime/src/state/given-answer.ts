import type { Part } from '../contracts/message.ts'
import type { OutputCheck } from '../contracts/output-check.ts'
import type { Cost, Usage } from '../contracts/usage.ts'

/** An answer as the model gave it. */
export interface GivenAnswer {
  readonly parts: readonly Part[]
  readonly finish: string
  readonly check: OutputCheck | null
  readonly usage: Usage
  readonly cost: Cost
  /** What facts call the model that answered. */
  readonly model: string
}
