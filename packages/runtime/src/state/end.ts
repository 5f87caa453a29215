import type { Ms } from '../contracts/ids.ts'
import type { Json } from '../contracts/json.ts'
import { endOfBudget } from './budget.ts'
import { firstCandidate, hasNextTry, HOLD_PAUSE_MS } from './candidate.ts'
import type { End } from './run-end.ts'
import type { Answer, Conversation, State, Turn } from './state.ts'
import type { TurnFailure } from './turn-failure.ts'

/** How many answers without text and without calls are asked again before the run fails. */
export const MAX_EMPTY_ANSWERS = 2

/**
 * What would end the run now, judged by the conversation alone, or null when it goes on. Asked at a turn boundary.
 */
export function endOf(state: State, conversation: Conversation): End | null {
  const { turn, prepared, completed, answer } = conversation
  const refused = turn?.refused ?? prepared?.error
  if (refused) return { status: 'failed', why: refused.code, error: refused }
  if (completed) return withinOutputLimit(state, completed.output)
  if (turn?.phase === 'failed' && turn.failure) return endOfFailure(state, turn)
  if (answer) return endOfAnswer(state, conversation, answer)
  if ((conversation.repeated?.count ?? 0) >= state.limits.maxRepeatedCalls) return { status: 'stopped', why: 'repeated_call' }
  if (turn?.phase === 'closed' && turn.number >= state.limits.maxTurns) return { status: 'stopped', why: 'turn_limit' }
  return null
}

/** Whether the run has lasted as long as it may. It stops at a turn boundary. */
export function isOutOfTime(state: Pick<State, 'run' | 'limits'>, now: Ms): boolean {
  const end = endOfTime(state)
  return end !== null && now >= end
}

/** Until when the run may last, on the store's clock; null when nothing bounds it. */
export function endOfTime({ run, limits }: Pick<State, 'run' | 'limits'>): Ms | null {
  return run === null || limits.runTimeoutMs === undefined ? null : run.stamp.at + limits.runTimeoutMs
}

/** Whether this run answers a message that is taken now: it goes on, or it has said its last word and a turn is left (B060). */
export function answersMessage(state: State, conversation: Conversation, now: Ms): boolean {
  if (isOutOfTime(state, now)) return false
  const end = endOf(state, conversation)
  if (end === null) return endOfBudget(state, conversation, firstCandidate(state, now), now) === null
  return end.status === 'completed' && !conversation.completed && hasTurnsLeft(state, conversation)
}

function endOfFailure(state: State, turn: Turn): End | null {
  const { failure } = turn
  if (!failure) return null
  const error = failure.error ?? { code: 'provider_unavailable', message: 'the model gave no answer' }
  if (failure.why !== 'blocked' && hasNextTry(state, turn)) return null
  const message = [error.message, ...describePause(failure), ...describeOthers(turn)].join(' ')
  return { status: 'failed', why: error.code, error: { code: error.code, message } }
}

/** Nobody waits for it: the run has ended. */
function describePause({ retryAfterMs }: TurnFailure): readonly string[] {
  if (retryAfterMs === null || retryAfterMs <= HOLD_PAUSE_MS) return []
  const minutes = Math.ceil(retryAfterMs / 60_000)
  return [`(the provider asks to retry in ${minutes < 2 * 1_440 ? `${minutes} minutes` : `${Math.ceil(minutes / 1_440)} days`})`]
}

/** What the other models said last. */
function describeOthers({ model, failures }: Turn): readonly string[] {
  const last = new Map(failures.filter((each) => each.model !== model).map((each) => [each.model, each]))
  if (last.size === 0) return []
  const told = [...last].map(([name, { why, error }]) => `${name}: ${error?.code ?? why}`)
  return [`(before it ${told.join(', ')})`]
}

function endOfAnswer(state: State, conversation: Conversation, answer: Answer): End | null {
  if (answer.finish === 'length') return failed('output_truncated', 'the model reached its output limit before the end of its answer')
  if (answer.finish === 'content-filter') return failed('content_filtered', 'the provider withheld the answer')
  if (conversation.emptyAnswers > 0) {
    if (conversation.emptyAnswers <= MAX_EMPTY_ANSWERS && hasTurnsLeft(state, conversation)) return null
    return failed('empty_model_response', `the model answered ${conversation.emptyAnswers} times without text and without a call`)
  }
  const { check } = answer
  if (check?.ok === false) {
    if (conversation.repairs === 0 && hasTurnsLeft(state, conversation)) return null
    return failed('output_invalid', check.errors)
  }
  return withinOutputLimit(state, check ? check.value : answer.text)
}

function withinOutputLimit(state: State, output: Json): End {
  const limit = state.limits.maxOutputBytes
  if (limit !== undefined && new TextEncoder().encode(JSON.stringify(output)).length > limit)
    return { status: 'stopped', why: 'output_limit' }
  return { status: 'completed', output }
}

function hasTurnsLeft(state: State, conversation: Conversation): boolean {
  return (conversation.turn?.number ?? 0) < state.limits.maxTurns
}

function failed(code: string, message: string): End {
  return { status: 'failed', why: code, error: { code, message } }
}
