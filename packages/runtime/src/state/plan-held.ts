// Keeps I6, I11, I12: what is held runs only after a decision and another look of the gate; time can only refuse.
import type { CallOutcome, Fact, WaitKind } from '../contracts/fact.ts'
import type { Action, PlanContext } from '../contracts/heart.ts'
import type { Ms, WaitId } from '../contracts/ids.ts'
import type { Json, JsonObject } from '../contracts/json.ts'
import type { CallResult } from '../contracts/message.ts'
import type { NewWait } from '../contracts/wait.ts'
import { isInjected } from './call-place.ts'
import { ASK_USER } from './evolve-call.ts'
import { toSettled } from './settle.ts'
import type { Call, Conversation, Run, State } from './state.ts'

/** What is planned for the calls of a turn. */
export interface CallsDraft {
  readonly state: State
  readonly run: Run
  readonly conversation: Conversation
  readonly context: PlanContext
  readonly facts: Fact[]
  readonly open: NewWait[]
  readonly close: string[]
  readonly actions: Action[]
  /** When something is to be looked at again, on the store's clock. */
  due: Ms | null
  /** Whether something would be started if this worker did not stop. */
  isHeldBack: boolean
}

/**
 * Has the gate look at a call: the first time, and after each approval. Hooks of plugins that keep state see what those of the look before have kept: there
 * one look comes after the other.
 */
export function look({ state, actions, conversation }: CallsDraft, call: Call): void {
  if (looksInTurn(state) && nextLook(state, conversation) !== call) return
  const id = call.waits === 0 ? `${call.id}#gate` : `${call.id}#gate.${call.waits}`
  actions.push({ id, scope: conversation.scope, do: 'gate', call: call.id })
}

function looksInTurn({ definition: { plugins } }: State): boolean {
  return plugins?.some(({ state, hooks }) => state !== undefined && hooks?.some(isBeforeCall)) ?? false
}

function isBeforeCall({ on }: { readonly on: readonly string[] }): boolean {
  return on.includes('beforeToolCall')
}

/** First looks in call order, then those after approvals in the order of these: whatever comes later stands behind the one that is under way. */
function nextLook(state: State, { turn }: Conversation): Call | undefined {
  const open = turn?.calls.filter((call) => !call.settled && !call.started) ?? []
  const first = open.find((call) => call.verdict === null)
  if (first) return first
  const approved = open.filter((call) => call.verdict === 'hold' && call.decision === 'approved' && !isQuestionOf(state, call))
  return approved.sort((a, b) => a.decidedIn - b.decidedIn)[0]
}

/** What follows for a call that waits for a person, or that a person has decided about. */
export function planHeld(draft: CallsDraft, call: Call): void {
  if (call.decision !== null) planDecided(draft, call)
  else if (call.wait === null) openWait(draft, call)
  else expireIfDue(draft, call.wait)
}

function planDecided(draft: CallsDraft, call: Call): void {
  const isQuestion = isQuestionOf(draft.state, call)
  const isAnswered = call.decision === 'approved'
  if (call.decision === 'expired') settle(draft, call, 'expired', { error: isQuestion ? NO_ANSWER : NOT_DECIDED })
  else if (isQuestion && isAnswered) settle(draft, call, 'ok', { value: call.answer })
  else if (isAnswered) look(draft, call)
  else
    settle(draft, call, 'denied', { error: isQuestion ? toRefusal(DECLINED, call.reason) : `Not run. ${toRefusal(REFUSED, call.reason)}` })
}

/** What a model reads of a call that a person refused. */
export const REFUSED = 'A person refused this call.'
/** The same of a question that a person does not want to answer. */
export const DECLINED = 'A person declined to answer this question.'
const NOT_DECIDED = 'Nobody decided about this call in time. It was not run.'
const NO_ANSWER = 'Nobody answered the question.'

/** What a model reads, with the reason word for word where there is one. */
export function toRefusal(what: string, reason: string | null): string {
  return reason === null || reason.trim() === '' ? what : `${what.slice(0, -1)}: ${reason}`
}

/** Ends a call. */
export function settle({ facts, run, conversation }: CallsDraft, call: Call, outcome: CallOutcome, result: CallResult): void {
  facts.push(toSettled(run, conversation, call, outcome, result))
}

function isQuestionOf(state: State, call: Call): boolean {
  return state.tools.get(call.tool)?.identity === ASK_USER
}

function openWait(draft: CallsDraft, call: Call): void {
  const { state } = draft
  const kind = isQuestionOf(state, call) ? 'question' : 'approval'
  const id = `${state.thread}:${call.id}:${kind}:${call.waits + 1}`
  const args = call.arguments && 'inline' in call.arguments ? call.arguments.inline : null
  const subject = kind === 'question' ? toQuestion(args) : toSubject(state, call, args)
  const { expiresAfterMs, needed, asks } = call
  openCallWait(draft, call, { id, kind, subject, expiresAfterMs, needed, asks })
}

/** A wait of a call, as the log and the store are told of it. */
export interface CallWait {
  readonly id: WaitId
  readonly kind: WaitKind
  readonly subject: Json
  readonly expiresAfterMs: Ms | null
  readonly needed: number
  /** Who asks, where the gate does. */
  readonly asks?: readonly string[]
}

/** Opens a wait of a call. */
export function openCallWait(draft: CallsDraft, call: Call, { id, kind, subject, expiresAfterMs, needed, asks }: CallWait): void {
  const { state, run, conversation } = draft
  draft.facts.push({
    v: 1,
    type: 'wait.opened',
    run: run.id,
    scope: conversation.scope,
    wait: id,
    kind,
    call: call.id,
    ...(asks === undefined ? {} : { asks }),
    subject: { inline: subject },
    ...(expiresAfterMs === null ? {} : { expiresAfterMs }),
    ...(needed === 1 ? {} : { needed })
  })
  const { thread, root } = state
  const expiry = expiresAfterMs === null ? {} : { expiresInMs: expiresAfterMs }
  draft.open.push({ id, thread, root, path: '', kind, subject, digest: call.digest ?? '', needed, ...expiry })
}

/** What a person sees who decides: exactly what would run, and who asks. */
function toSubject(state: State, call: Call, args: Json): JsonObject {
  const effect = state.tools.get(call.tool)?.effect ?? 'once'
  const again = call.answered.length === 0 ? {} : { answered: call.answered }
  return {
    ...{ tool: call.tool, call: call.id, arguments: args, effect, asks: call.asks, ...again },
    ...(call.changed ? { changed: true } : {}),
    ...(isInjected(call.id) ? { injected: true } : {})
  }
}

function toQuestion(args: Json): JsonObject {
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? (args as JsonObject) : {}
}

/** Ends a wait of a call whose time is over. */
export function expireIfDue(draft: CallsDraft, id: string): void {
  const wait = draft.state.waits.get(id)
  if (wait?.expiresAfterMs == null || draft.context.now < wait.stamp.at + wait.expiresAfterMs) return
  const { run, conversation } = draft
  draft.facts.push({ v: 1, type: 'wait.resolved', run: run.id, scope: conversation.scope, wait: id, as: 'expired' })
  draft.close.push(id)
}

/** When the first wait is over unless somebody decides, on the store's clock. */
export function earliestExpiry(state: State): Ms | null {
  let earliest: Ms | null = null
  for (const wait of state.waits.values()) {
    if (wait.expiresAfterMs === null) continue
    const due = wait.stamp.at + wait.expiresAfterMs
    if (earliest === null || due < earliest) earliest = due
  }
  return earliest
}
