// Keeps I17: a wait that a pause opened is closed before its turn goes on and before its run ends.
import type { Fact } from '../contracts/fact.ts'
import type { PlanContext, Planned } from '../contracts/heart.ts'
import type { Ms } from '../contracts/ids.ts'
import type { JsonObject } from '../contracts/json.ts'
import { HOLD_PAUSE_MS } from './candidate.ts'
import { acts, follows, rests } from './planned.ts'
import type { Conversation, OpenWait, Run, State, Turn } from './state.ts'

/** A pause longer than this is a wait, which lists show: nobody stands and waits for it. A shorter one is spent at rest. */
export const MAX_REST_MS = 600_000

/** Nothing is to be done before a point in time: the worker holds the thread, lets it go, or opens a wait, by how long that is. */
export function planPause(state: State, run: Run, conversation: Conversation, turn: Turn, due: Ms, { now }: PlanContext): Planned {
  const pauseMs = Math.ceil(due - now)
  const wait = pauseIn(state, conversation)
  if (wait) return rests(endOf(wait))
  if (pauseMs <= HOLD_PAUSE_MS) return acts([], due)
  if (pauseMs <= MAX_REST_MS) return rests(due)
  const id = `${state.thread}:${turn.id}:timer:${turn.try}`
  const subject = toSubject(turn)
  const opened = { wait: id, kind: 'timer' as const, subject: { inline: subject }, expiresAfterMs: pauseMs }
  const fact: Fact = { v: 1, type: 'wait.opened', run: run.id, scope: conversation.scope, ...opened }
  const row = { id, thread: state.thread, root: state.root, path: '', kind: 'timer' as const, subject, digest: '', needed: 1 }
  return follows([fact], { open: [{ ...row, expiresInMs: pauseMs }] })
}

/** The end of a pause that was a wait, when its time has come or the run goes no further; null when there is none or it lasts. */
export function planPauseEnd(state: State, run: Run, conversation: Conversation, isOver: boolean, { now }: PlanContext): Planned | null {
  const wait = pauseIn(state, conversation)
  if (!wait || !(isOver || now >= endOf(wait))) return null
  const { scope } = conversation
  return follows([{ v: 1, type: 'wait.resolved', run: run.id, scope, wait: wait.id, as: 'expired' }], { close: [wait.id] })
}

function pauseIn(state: State, { scope }: Conversation): OpenWait | undefined {
  if (state.waits.size === 0) return undefined
  return [...state.waits.values()].find((wait) => wait.kind === 'timer' && wait.scope === scope)
}

function endOf({ stamp, expiresAfterMs }: OpenWait): Ms {
  return stamp.at + (expiresAfterMs ?? 0)
}

/** Which model is not asked meanwhile, and what it said. */
function toSubject({ model, failure }: Turn): JsonObject {
  const { error } = failure ?? {}
  return { model, ...(error ? { code: error.code, message: error.message } : {}) }
}
