import type { Digest, Ms } from './ids.ts'

/** Whether a call is held for a decision, and how. */
export type Approval =
  | boolean
  | {
      /** How long a decision is waited for; then the call is refused. Default: for ever. */
      readonly expiresInMs?: Ms
      /** How many distinct principals must approve. One refusal refuses. Default 1. */
      readonly quorum?: number
    }

/** How far an approval reaches: this run, this thread, or this tool with exactly these arguments in this thread. Default: this call alone. */
export type RememberedScope = 'run' | 'thread' | 'arguments'

/** What is remembered of an approval: later calls of the tool that nobody else asks about run without being held. */
export interface ApprovalRule {
  /** The tool's identity and version. */
  readonly tool: string
  /** Who had asked: an ask that is not among these is a new one. */
  readonly asks: readonly string[]
  /** Of the arguments, where only these are meant. */
  readonly arguments?: Digest
  /** How many people said so: it does not stand for more. Default 1. */
  readonly needed?: number
}

/** Whether a value says how a call is held. */
export function isApproval(value: unknown): value is Approval {
  if (typeof value === 'boolean') return true
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.entries(value).every(
    ([key, bound]) => (key === 'expiresInMs' || key === 'quorum') && (bound === undefined || (Number.isSafeInteger(bound) && bound > 0))
  )
}
