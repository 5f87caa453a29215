// Keeps I2: a table of small functions by fact type, deterministic, no I/O. The accumulator is reused: copying it per fact is quadratic.
import { HoldfastError } from '../contracts/errors.ts'
import type { Fact, FactOf } from '../contracts/fact.ts'
import type { Stamp } from '../contracts/heart.ts'
import { NO_USAGE } from '../contracts/usage.ts'
import { evolveMessageAdmitted } from './admission.ts'
import { inlineOf } from './body.ts'
import { evolveThreadForked, evolveThreadRepinned } from './evolve-fork.ts'
import {
  evolveApprovalRemembered,
  evolveCallGated,
  evolveCallReconciled,
  evolveCallReviewed,
  evolveCallSettled,
  evolveCallStarted,
  evolveCallSuspended,
  evolveWaitOpened,
  evolveWaitResolved
} from './evolve-call.ts'
import { evolveModelFailed, evolveModelResponded, evolveTurnPrepared, evolveTurnReviewed, evolveTurnStarted } from './evolve-turn.ts'
import { toUserMessage } from './history.ts'
import { endInitialPrompts, evolvePromptsInjected } from './initial-prompts.ts'
import { withValue } from './plugin-values.ts'
import { startWork, stopWork } from './spent.ts'
import type { State } from './state.ts'
import { conversationOf } from './state.ts'

type Table = { readonly [T in Fact['type']]?: (state: State, stamp: Stamp, fact: FactOf<T>) => void }

const TABLE: Table = {
  'thread.created': (state, _stamp, fact) => {
    state.root = fact.root
    state.grants = fact.grants
  },
  'thread.forked': evolveThreadForked,
  'thread.repinned': evolveThreadRepinned,
  'attempt.claimed': () => {},
  'run.started': evolveRunStarted,
  'run.cancelRequested': (state, _stamp, fact) => {
    if (state.run) state.run.cancel = { reason: fact.reason, graceMs: fact.graceMs }
  },
  'run.ended': evolveRunEnded,
  'variables.set': (state, _stamp, fact) => {
    state.variables = { ...state.variables, ...fact.values }
  },
  'state.set': (state, _stamp, fact) => {
    state.plugins = withValue(state.plugins, fact)
  },
  'message.received': evolveMessageReceived,
  'message.returned': () => {},
  'message.admitted': evolveMessageAdmitted,
  'item.discarded': () => {},
  'prompts.injected': evolvePromptsInjected,
  'turn.started': evolveTurnStarted,
  'model.responded': evolveModelResponded,
  'model.failed': evolveModelFailed,
  'turn.prepared': evolveTurnPrepared,
  'turn.reviewed': evolveTurnReviewed,
  'call.gated': evolveCallGated,
  'call.started': evolveCallStarted,
  'call.suspended': evolveCallSuspended,
  'call.reconciled': evolveCallReconciled,
  'call.settled': evolveCallSettled,
  'call.reviewed': evolveCallReviewed,
  'hook.recorded': () => {},
  'approval.remembered': evolveApprovalRemembered,
  'wait.opened': evolveWaitOpened,
  'wait.resolved': evolveWaitResolved,
  'budget.set': evolveBudgetSet
}

/** Folds one fact into the state, which it changes and returns. Throws `format_unknown` for a fact that this program does not know (I20). */
export function evolve(state: State, stamp: Stamp, fact: Fact): State {
  const apply = TABLE[fact.type] as ((state: State, stamp: Stamp, fact: Fact) => void) | undefined
  if (!apply) {
    throw new HoldfastError(
      'format_unknown',
      `the fact ${fact.type} in commit ${stamp.sequence} is not known to this version of Holdfast: update it`
    )
  }
  apply(state, stamp, fact)
  if (fact.cause !== undefined && state.admitted.size > 0) state.admitted.delete(fact.cause)
  return state
}

function evolveRunStarted(state: State, stamp: Stamp, fact: FactOf<'run.started'>): void {
  state.run = {
    id: fact.run ?? '',
    startedIn: stamp.sequence,
    stamp,
    status: 'running',
    why: null,
    endedIn: null,
    cancel: null,
    givenUp: null,
    quarantines: 0,
    budgetRefused: false,
    budgetWaits: 0,
    turns: 0,
    usage: NO_USAGE,
    cost: 0
  }
  startWork(state.spent, stamp)
  state.remembered = state.remembered.filter((rule) => rule.for === 'thread')
  // Also where what it begins with goes back unread.
  conversationOf(state)
  for (const conversation of state.conversations.values()) {
    conversation.turn = null
    conversation.prepared = null
    conversation.answer = null
    conversation.completed = null
    conversation.emptyAnswers = 0
    conversation.repairs = 0
    conversation.repeated = null
  }
}

function evolveRunEnded(state: State, stamp: Stamp, fact: FactOf<'run.ended'>): void {
  if (!state.run) return
  stopWork(state.spent, stamp)
  state.run.status = fact.status
  state.run.why = fact.why ?? fact.error?.code ?? null
  state.run.endedIn = stamp.sequence
  for (const conversation of state.conversations.values()) endInitialPrompts(conversation)
}

/** What is not known of what was spent before is left at that: whoever sets a budget has seen it. */
function evolveBudgetSet(state: State, _stamp: Stamp, { limit }: FactOf<'budget.set'>): void {
  state.budget = limit
  state.spent.unpriced = 0
  state.spent.unmetered = 0
  if (state.run) state.run.budgetRefused = false
}

function evolveMessageReceived(state: State, _stamp: Stamp, fact: FactOf<'message.received'>): void {
  const conversation = conversationOf(state, fact.scope)
  // Hooks have not seen it.
  conversation.prepared = null
  const message = toUserMessage(inlineOf(fact.seen ?? fact.parts))
  // What a thread is told to do stands behind what comes of its initial prompts.
  if (message) (conversation.initial?.behind ?? conversation.history).push(message)
  // The repair request keeps its count; anything else is a new question.
  if (fact.source.kind === 'runtime' && conversation.answer?.check?.ok === false) conversation.repairs++
  else conversation.repairs = 0
  conversation.answer = null
}
