import type { Json } from '../contracts/json.ts'
import type { Ms } from '../contracts/ids.ts'

/** A failure that a scripted turn shows instead of an answer. */
export interface ScriptError {
  readonly message?: string
  /** HTTP status of the answer. Absent: 503, or 400 when not `transient`. */
  readonly status?: number
  /** The `Retry-After` header: a number of seconds, or any text. */
  readonly retryAfter?: number | string
  /** Whether the same request may succeed later. Decides only where `status` is absent. Default true. */
  readonly transient?: boolean
}

/** Tokens of a scripted turn. Absent: the provider reports none, and they are estimated. */
export interface ScriptUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cachedInputTokens?: number
  readonly cacheWriteTokens?: number
  readonly reasoningTokens?: number
}

/** One answer of a scripted model. */
export interface ScriptTurn {
  readonly text?: string
  readonly reasoning?: string
  readonly toolCalls?: readonly { readonly name: string; readonly arguments?: Json }[]
  readonly usage?: ScriptUsage
  /** What the finish says. Default: `tool-calls` with calls, else `stop`. */
  readonly finish?: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'interrupted' | 'other'
  /** How long nothing comes; then all of the answer does, in a few pieces. */
  readonly delayMs?: Ms
  /** Alone: the request is refused. Beside text or calls: the stream breaks after them. */
  readonly error?: ScriptError
  /** The turn is used only when the last user or tool text of the prompt contains this, and is skipped otherwise. */
  readonly when?: string
}

/** What a scripted model says, turn by turn. */
export interface Script {
  readonly turns: readonly ScriptTurn[]
}

/** Whether nothing of the turn will stand in the history, so that a request made after it looks like the one before it. */
export function leavesNoTrace(turn: ScriptTurn): boolean {
  const hasCalls = (turn.toolCalls ?? []).length > 0
  if (turn.error || turn.finish === 'error' || turn.finish === 'interrupted' || (turn.finish === 'length' && hasCalls)) return true
  return !hasCalls && (turn.text ?? '').trim() === ''
}
