// Keeps I5: what an older attempt has started is started again only where a repeat does no harm, or where its tool or a person says that it was not done.
import type { Ms } from '../contracts/ids.ts'
import type { JsonObject } from '../contracts/json.ts'
import type { CallResult } from '../contracts/message.ts'
import { inlineOf } from './body.ts'
import { hasNextLeg, nextStart } from './call-legs.ts'
import type { SaidOutcome } from './call-suspension.ts'
import type { CallsDraft } from './plan-held.ts'
import { DECLINED, expireIfDue, openCallWait, REFUSED, settle, toRefusal } from './plan-held.ts'
import { toSettled, toUnknown } from './settle.ts'
import type { Call, CallStart } from './state.ts'

/** How often a call that may be repeated is started in all, for each of its legs. */
export const MAX_TRIES = 3

/** What follows for a call that was started before: whether it may be started once more as soon as it has a place. */
export function planStarted(draft: CallsDraft, call: Call, started: CallStart): boolean {
  if (hasNextLeg(call)) return true
  if (call.suspended) planSuspended(draft, call, call.suspended)
  else if (started.stamp.attempt === draft.context.attempt) run(draft, call, started)
  else if (call.outcome) return planSaid(draft, call, call.outcome)
  else if (call.wait !== null) expireIfDue(draft, call.wait)
  else planLost(draft, call, started)
  return false
}

function run({ actions, conversation }: CallsDraft, call: Call, started: CallStart): void {
  actions.push({ id: `${call.id}#${started.try}.${started.leg}`, scope: conversation.scope, do: 'run', call: call.id })
}

/** The next start of a call, unless this worker stops. */
export function start(draft: CallsDraft, call: Call): void {
  const {
    state,
    run: { id },
    conversation,
    context
  } = draft
  if (context.stopping) {
    draft.isHeldBack = true
    return
  }
  const tool = state.tools.get(call.tool)
  draft.facts.push({
    v: 1,
    type: 'call.started',
    run: id,
    scope: conversation.scope,
    call: call.id,
    ...nextStart(call),
    effect: tool?.effect ?? 'once',
    deadlineMs: tool?.timeoutMs ?? state.limits.toolTimeoutMs
  })
}

/** A call that has let go of its process: the wait opens, time ends it, or somebody has refused. */
function planSuspended(draft: CallsDraft, call: Call, suspended: NonNullable<Call['suspended']>): void {
  const { kind, wait, subject, expiresAfterMs } = suspended
  if (call.decision === 'expired') settle(draft, call, 'expired', { error: NOT_IN_TIME })
  else if (call.decision !== null)
    settle(draft, call, 'denied', { error: `Not completed. ${toRefusal(kind === 'question' ? DECLINED : REFUSED, call.reason)}` })
  else if (call.wait === null) openCallWait(draft, call, { id: wait, kind, subject: inlineOf(subject), expiresAfterMs, needed: 1 })
  else expireIfDue(draft, call.wait)
}

const NOT_IN_TIME = 'What this call waited for did not come in time. It was begun and was not completed.'

/** The attempt that started it is over, and what became of it is not recorded. */
function planLost(draft: CallsDraft, call: Call, started: CallStart): void {
  if (started.effect !== 'once') again(draft, call, started)
  else if (draft.state.tools.get(call.tool)?.reconcile) planReconcile(draft, call, started)
  else planUnknown(draft, call, started)
}

function again(draft: CallsDraft, call: Call, started: CallStart): void {
  if (started.try < MAX_TRIES) start(draft, call)
  else planUnknown(draft, call, started)
}

/**
 * The tool is asked at once, since what was done is done. That nothing was done counts only when it is asked after the deadline: the process that
 * is not heard of may still be sending.
 */
function planReconcile(draft: CallsDraft, call: Call, started: CallStart): void {
  const { said = null, final = false, result = null, review = false } = call.reconciled ?? {}
  if (said === null || (!final && said !== 'done' && said !== 'unknown')) askTool(draft, call, started)
  else if (said === 'not_done') startUndone(draft, call, started)
  else if (said === 'done') settleDone(draft, call, result ? inlineOf(result) : { value: null }, review)
  else planUnknown(draft, call, started)
}

/** What is known not to be done is not unknown, also when it is given up. */
function startUndone(draft: CallsDraft, call: Call, started: CallStart): void {
  if (started.try < MAX_TRIES) start(draft, call)
  else settle(draft, call, 'error', { error: GIVEN_UP })
}

const GIVEN_UP = `This call was started ${MAX_TRIES} times, and each time the process that ran it stopped. It was not done.`

function settleDone({ facts, run, conversation }: CallsDraft, call: Call, result: CallResult, review: boolean): void {
  const settled = toSettled(run, conversation, call, 'error' in result ? 'error' : 'ok', result)
  facts.push(review ? { ...settled, review } : settled)
}

/** At once, and again when nothing more can come of the start. */
function askTool(draft: CallsDraft, call: Call, started: CallStart): void {
  const due = endOf(started)
  const final = draft.context.now >= due
  if (!final) lookAgain(draft, due)
  if (!final && call.reconciled) return
  const id = `${call.id}#${started.try}.${started.leg}?${final ? 'final' : 'first'}`
  draft.actions.push({ id, scope: draft.conversation.scope, do: 'reconcile', call: call.id, final })
}

/**
 * From when on nothing more can come of a start: it has begun at most about a lease after its commit, and ends at its deadline, in a process
 * that is not heard of, too.
 */
function endOf({ stamp, deadlineMs }: CallStart): Ms {
  return stamp.at + deadlineMs + LATE_START_MS
}

/** How long after its commit a call may begin. */
export const LATE_START_MS = 10_000

function lookAgain(draft: CallsDraft, due: Ms): void {
  draft.due = draft.due === null ? due : Math.min(draft.due, due)
}

/** Nobody here knows what became of it. A person is asked when nothing more can come of it: what is looked at then stays as it is. */
function planUnknown(draft: CallsDraft, call: Call, started: CallStart): void {
  const { state, run, conversation } = draft
  if (state.tools.get(call.tool)?.onUnknown !== 'ask') {
    draft.facts.push(toUnknown(run, conversation, call))
    return
  }
  if (draft.context.now < endOf(started)) {
    lookAgain(draft, endOf(started))
    return
  }
  const id = `${state.thread}:${call.id}:outcome:${call.waits + 1}`
  openCallWait(draft, call, { id, kind: 'outcome', subject: toSubject(draft, call, started), expiresAfterMs: null, needed: 1 })
}

/** With what somebody can look whether it happened. */
function toSubject({ state }: CallsDraft, call: Call, { try: count, leg, effect, stamp }: CallStart): JsonObject {
  const args = call.arguments ? inlineOf(call.arguments) : null
  const key = toIdempotencyKey(state.thread, call.id, leg)
  return { tool: call.tool, call: call.id, arguments: args, effect, try: count, leg, startedAt: stamp.at, key }
}

/** What a tool is given to have repeats absorbed: the call's own name, and from the second on its leg. */
export function toIdempotencyKey(thread: string, call: string, leg: number): string {
  return leg < 2 ? `${thread}:${call}` : `${thread}:${call}:${leg}`
}

/** A person has said what became of it. */
function planSaid(draft: CallsDraft, call: Call, { outcome, result }: SaidOutcome): boolean {
  if (outcome === 'not_happened') return true
  if (outcome === 'happened') settle(draft, call, 'ok', { value: result ?? HAPPENED })
  else draft.facts.push(toUnknown(draft.run, draft.conversation, call))
  return false
}

const HAPPENED = 'A person says that this call happened. What it gave is not known.'
