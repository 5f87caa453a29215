import type { RunId } from '../contracts/ids.ts'
import type { State } from './state.ts'
import { conversationOf } from './state.ts'

/**
 * Why the last run cannot be retried as it is. With these two a new message can follow: `answered`, the model has said its last word; `unasked`, no
 * message was let through to it.
 */
export type NoRetry = 'no_run' | 'under_way' | 'not_failed' | 'answered' | 'unasked'

/**
 * Whether the last run can be retried without a new message: it failed or was stopped, and what it last read was not answered. The history
 * then ends with a message or with results, so that the next request is valid (I7).
 */
export function findNoRetry(state: State): NoRetry | null {
  const { run } = state
  if (!run) return 'no_run'
  if (run.status === 'running') return 'under_way'
  if (run.status !== 'failed' && run.status !== 'stopped') return 'not_failed'
  const last = conversationOf(state).history.at(-1)
  if (last?.role === 'user' || last?.role === 'tool') return null
  return last?.role === 'assistant' ? 'answered' : 'unasked'
}

/** Whether a retry of this run can be taken: nothing has come after it. */
export function canRetry(state: State, run: RunId): boolean {
  return state.run?.id === run && findNoRetry(state) === null
}
