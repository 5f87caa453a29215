// Keeps I16 and I17: what would go beyond the budget waits for a person, or ends the run; its wait is closed before the run goes on or ends.
import type { Fact } from '../contracts/fact.ts'
import type { PlanContext, Planned } from '../contracts/heart.ts'
import type { JsonObject } from '../contracts/json.ts'
import type { NewWait } from '../contracts/wait.ts'
import type { Excess } from './budget.ts'
import { callsLeft, findExcess, isFinal, toBudgetStatus } from './budget.ts'
import { endOfTime } from './end.ts'
import type { CallsDraft } from './plan-held.ts'
import { follows, rests } from './planned.ts'
import { toSettled } from './settle.ts'
import type { Call, Conversation, OpenWait, Run, State } from './state.ts'

/** What is planned for a run that waits for its budget: nothing, until it is extended, its time is over or it ends for another reason; null when it does not wait. */
export function planBudgetWait(state: State, run: Run, conversation: Conversation, isOver: boolean): Planned | null {
  const wait = budgetWaitIn(state, conversation)
  if (!wait) return null
  if (!isOver) return rests(endOfTime(state))
  const { scope } = conversation
  return follows([{ v: 1, type: 'wait.resolved', run: run.id, scope, wait: wait.id, as: 'cancelled' }], { close: [wait.id] })
}

/** The wait before a model call that would go beyond the budget; null when it may start. */
export function planBeyond(
  state: State,
  run: Run,
  conversation: Conversation,
  next: { readonly turn: string; readonly candidate: number },
  { now }: PlanContext
): Planned | null {
  const excess = findExcess(state, conversation, next.candidate, now)
  if (!excess) return null
  const { fact, wait } = toWait(state, run, conversation, { of: next.turn, excess, now })
  return follows([fact], { open: [wait] })
}

/** Of the calls that have a place now, those that the budget allows. What it does not allow waits with all others, or is not run at all. */
export function withinBudget(draft: CallsDraft, calls: readonly Call[]): readonly Call[] {
  const { state, run, conversation, context } = draft
  const left = callsLeft(state)
  if (left === Number.POSITIVE_INFINITY) return calls
  // One that goes on, or is tried again, is counted already.
  const beyond = calls.filter((call) => !call.started).slice(left)
  if (beyond.length === 0) return calls
  if (isFinal(state)) for (const call of beyond) draft.facts.push(toSettled(run, conversation, call, 'blocked', { error: BEYOND }))
  else if (!budgetWaitIn(state, conversation)) {
    const [turn = ''] = (beyond[0]?.id ?? '').split('.')
    const { fact, wait } = toWait(state, run, conversation, { of: turn, excess: { reason: 'tool_calls' }, now: context.now })
    draft.facts.push(fact)
    draft.open.push(wait)
  }
  return calls.filter((call) => !beyond.includes(call))
}

const BEYOND = 'Not run: the budget of tool calls is used up.'

function budgetWaitIn({ waits }: State, { scope }: Conversation): OpenWait | undefined {
  if (waits.size === 0) return undefined
  for (const wait of waits.values()) if (wait.kind === 'budget' && wait.scope === scope) return wait
  return undefined
}

interface Held {
  /** What waits. */
  readonly of: string
  readonly excess: Excess
  readonly now: number
}

function toWait(
  state: State,
  run: Run,
  { scope }: Conversation,
  { of, excess, now }: Held
): { readonly fact: Fact; readonly wait: NewWait } {
  const { thread, root } = state
  const id = `${thread}:${of}:budget:${run.budgetWaits + 1}`
  const subject = { ...excess, ...toBudgetStatus(state, now) } as unknown as JsonObject
  const kind = 'budget' as const
  return {
    fact: { v: 1, type: 'wait.opened', run: run.id, scope, wait: id, kind, subject: { inline: subject } },
    wait: { id, thread, root, path: '', kind, subject, digest: '', needed: 1 }
  }
}
