// Keeps I10: every accepted item is consumed by exactly one commit, whose facts name it.
import type { Budget } from '../contracts/budget.ts'
import { findBudgetFault } from '../contracts/budget.ts'
import type { Fact, FactOf, WaitKind } from '../contracts/fact.ts'
import type { Fault } from '../contracts/fault.ts'
import type { HookedPoints, PlanContext, TakeContext, Taken } from '../contracts/heart.ts'
import type { Ms, RunId, TurnId } from '../contracts/ids.ts'
import type { InjectedPrompt } from '../contracts/initial-prompt.ts'
import type { Json } from '../contracts/json.ts'
import type { Body, Part } from '../contracts/message.ts'
import type { InboxItem } from '../contracts/store.ts'
import { isUnseen } from './admission.ts'
import { answersMessage } from './end.ts'
import { takeBudget } from './take-budget.ts'
import { discard, findAnswer, takeAnswer, takeDecision } from './take-decision.ts'
import { canRetry } from './retry.ts'
import type { State } from './state.ts'
import { conversationOf, hasOpenTurn, isActive, isEnding } from './state.ts'

/** How long a cancelled tool may still say what became of it, when the canceller does not tell. */
export const CANCEL_GRACE_MS = 2_000

/** The body of an item that brings a message: `run` is the run that it starts when the thread rests. */
export interface MessageBody {
  readonly run: RunId
  readonly parts: readonly Part[]
  readonly variables?: { readonly [key: string]: Json }
  /** What the thread may spend, whole: for the item that it is made with. */
  readonly budget?: Budget
  /** What stands before the message: for the item that a thread is made with. */
  readonly initial?: readonly InjectedPrompt[]
  /** The run that is tried again: the item brings no message, and is stale once another run has come. */
  readonly retries?: RunId
  /** It is no answer, whatever is asked. */
  readonly answers?: false
}

/**
 * The one item that can be taken now, and the facts that consume it; null when nothing can. A cancel comes first, then decisions, budgets,
 * messages in order of arrival. An item whose kind this program does not act on is left alone.
 */
export function take(state: State, items: readonly InboxItem[], context: TakeContext): Taken | null {
  const cancel = items.find((item) => item.kind === 'cancel')
  if (cancel) return takeCancel(state, items, cancel, context.hooked)
  const decision = items.find((item) => item.kind === 'decision')
  if (decision) return takeDecision(state, decision)
  const budget = items.find((item) => item.kind === 'budget')
  if (budget) return takeBudget(state, budget) ?? discard(budget, 'stale')
  const retry = items.find((item) => item.kind === 'start' || isMessage(item))
  if (retry && retriedRun(retry) !== undefined) return takeRetry(state, retry)
  const answered = findAnswer(state, items, context)
  const message = answered?.item ?? nextMessage(state, items, context.now)
  if (!message || isUnseen(state, message, context.hooked)) return null
  const refused = state.admitted.get(message.id)?.error
  if (refused) return giveBack(state, message, 'blocked', refused)
  return answered ? takeAnswer(state, items, context) : takeMessage(state, message)
}

/** The message that hooks are to look at now: it is the next to be taken. Null when there is none. */
export function findUnseen(state: State, { pending, now, hooked }: Pick<PlanContext, 'pending' | 'now' | 'hooked'>): InboxItem | null {
  if (hooked?.onMessage !== true || pending.some(({ kind }) => kind === 'cancel')) return null
  const shown = { sequence: Number.POSITIVE_INFINITY }
  const next = findAnswer(state, pending, shown)?.item ?? nextMessage(state, pending, now)
  return next && isUnseen(state, next, hooked) ? next : null
}

/** The first message, where one can be taken. */
function nextMessage(state: State, items: readonly InboxItem[], now: Ms): InboxItem | null {
  const message = items.find((item) => item.kind === 'start' || isMessage(item))
  return message && canTakeMessage(state, now) ? message : null
}

/** Whether a message wants the model call that runs to end: it could be taken if that were over. */
export function isInterrupted(state: State, pending: readonly InboxItem[]): boolean {
  return pending.some((item) => item.kind === 'interrupt') && !isAsking(state)
}

/** Messages that came before the cancel go back to their sender; a start becomes a run that ends at once. */
function takeCancel(state: State, items: readonly InboxItem[], cancel: InboxItem, hooked: HookedPoints | undefined): Taken {
  const older = items.slice(0, items.indexOf(cancel))
  const start = older.find((item) => item.kind === 'start')
  if (start && !isActive(state)) return takeCancelled(state, start, hooked)
  const message = older.find(isMessage)
  if (message) return giveBack(state, message, 'cancelled')
  const { run } = state
  if (run?.status !== 'running') return discard(cancel, 'no_run')
  if (run.cancel) return discard(cancel, 'stale')
  const { reason, graceMs } = readCancel(cancel.body)
  return { item: cancel, facts: [{ v: 1, type: 'run.cancelRequested', run: run.id, cause: cancel.id, reason, graceMs }] }
}

/** What no hook has let pass stands in no history. */
function takeCancelled(state: State, start: InboxItem, hooked: HookedPoints | undefined): Taken {
  if (retriedRun(start) !== undefined) return takeRetry(state, start)
  const isRefused = isUnseen(state, start, hooked) || state.admitted.get(start.id)?.error
  return isRefused ? giveBack(state, start, 'cancelled') : takeMessage(state, start)
}

/** A message goes back to its sender. What a thread was made with begins its run all the same, which ends at once where a hook is against it. */
function giveBack(state: State, item: InboxItem, why: 'cancelled' | 'blocked', error?: Fault): Taken {
  const { run, parts, initial = [] } = item.body as unknown as MessageBody
  const returned: Fact = { v: 1, type: 'message.returned', cause: item.id, item: item.id, why, source: item.from, parts: { inline: parts } }
  if (item.kind !== 'start') return { item, facts: [returned] }
  const ended: Fact[] = error ? [{ v: 1, type: 'run.ended', run, status: 'failed', why: error.code, error }] : []
  // What the system says holds for whatever the thread is told later.
  const system = initial.flatMap(({ role, text }) => (role === 'system' && text !== undefined ? [{ role, text }] : []))
  const injected = system.length === 0 ? [] : [toInjected(item, run, system)]
  return { item, facts: [toRunStarted(state, item), ...toSettings(item, run), ...injected, returned, ...ended] }
}

function isMessage({ kind }: InboxItem): boolean {
  return kind === 'message' || kind === 'interrupt'
}

const ASKING: ReadonlySet<WaitKind> = new Set(['approval', 'question', 'quarantine', 'budget'])

/** Whether a person is asked to decide or to answer: messages wait until that is done. */
function isAsking(state: State): boolean {
  for (const { kind } of state.waits.values()) if (ASKING.has(kind)) return true
  return false
}

/** At a turn boundary of a run that goes on, or at rest: never between a call and its result, never into a run that is about to end. */
function canTakeMessage(state: State, now: Ms): boolean {
  if (!isActive(state)) return true
  if (isEnding(state) || isAsking(state)) return false
  const conversation = conversationOf(state)
  return !hasOpenTurn(conversation) && answersMessage(state, conversation, now)
}

function takeMessage(state: State, item: InboxItem): Taken {
  const body = item.body as unknown as MessageBody
  const facts: Fact[] = []
  const run = isActive(state) && state.run ? state.run.id : body.run
  if (!isActive(state)) facts.push(toRunStarted(state, item))
  facts.push(...toSettings(item, run))
  if (body.initial && state.run === null) facts.push(toInjected(item, run, body.initial))
  facts.push({
    v: 1,
    type: 'message.received',
    run,
    scope: '',
    cause: item.id,
    source: item.from,
    parts: { inline: body.parts },
    ...toSeen(state, item),
    ...toInterrupted(state, item)
  })
  const pauses = item.kind === 'interrupt' ? [...state.waits.values()].filter(({ kind }) => kind === 'timer') : []
  for (const { id, scope } of pauses) facts.push({ v: 1, type: 'wait.resolved', run, scope, cause: item.id, wait: id, as: 'cancelled' })
  return { item, facts, ...(pauses.length === 0 ? {} : { close: pauses.map(({ id }) => id) }) }
}

function toSeen({ admitted }: State, { id }: InboxItem): Pick<FactOf<'message.received'>, 'seen'> {
  const seen = admitted.get(id)?.seen ?? null
  return seen === null ? {} : { seen: { inline: seen } }
}

/** What an item sets beside what it says. */
function toSettings(item: InboxItem, run: RunId): readonly Fact[] {
  const { variables = {}, budget } = item.body as unknown as MessageBody
  const facts: Fact[] = []
  if (Object.keys(variables).length > 0) {
    facts.push({ v: 1, type: 'variables.set', run, cause: item.id, values: toBodies(variables) })
  }
  if (budget && findBudgetFault(budget, 'budget') === null) {
    facts.push({ v: 1, type: 'budget.set', run, cause: item.id, limit: budget, by: item.from })
  }
  return facts
}

/** Nothing of a thread is older: a later run has them in its history. */
function toInjected(item: InboxItem, run: RunId, prompts: readonly InjectedPrompt[]): Fact {
  return { v: 1, type: 'prompts.injected', run, scope: '', cause: item.id, turn: `${run}//0`, prompts: { inline: prompts } }
}

function toInterrupted(state: State, item: InboxItem): { readonly interrupts?: TurnId } {
  const { turn } = conversationOf(state)
  const isCutShort = isActive(state) && turn?.phase === 'failed' && turn.failure?.why === 'interrupted'
  return item.kind === 'interrupt' && isCutShort ? { interrupts: turn.id } : {}
}

/** The next run in place of one that failed or was stopped: what that one last read is asked again. */
function takeRetry(state: State, item: InboxItem): Taken {
  const run = retriedRun(item)
  return run !== undefined && canRetry(state, run) ? { item, facts: [toRunStarted(state, item)] } : discard(item, 'stale')
}

function retriedRun(item: InboxItem): RunId | undefined {
  return item.kind === 'start' ? (item.body as unknown as MessageBody | null)?.retries : undefined
}

function toRunStarted(state: State, item: InboxItem): Fact {
  const { run } = item.body as unknown as MessageBody
  return { v: 1, type: 'run.started', run, cause: item.id, publication: state.publication, mode: 'sequential', by: item.from }
}

function toBodies(values: { readonly [key: string]: Json }): { readonly [key: string]: Body } {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { inline: value }]))
}

function readCancel(body: Json): { readonly reason: string; readonly graceMs: number } {
  const { reason, graceMs } = (body ?? {}) as { readonly reason?: Json; readonly graceMs?: Json }
  return { reason: typeof reason === 'string' ? reason : 'cancelled', graceMs: typeof graceMs === 'number' ? graceMs : CANCEL_GRACE_MS }
}
