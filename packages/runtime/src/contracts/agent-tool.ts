import type { Effect } from './fact.ts'
import type { Ms } from './ids.ts'
import type { OnUnknown } from './tool.ts'

/** An entry of an agent's `tools`: a name, a reference, or one that tightens what the tool declares. */
export type AgentTool =
  | string
  | {
      readonly ref: string
      readonly approval?: boolean
      readonly effect?: Effect
      readonly timeoutMs?: Ms
      readonly onUnknown?: OnUnknown
    }
