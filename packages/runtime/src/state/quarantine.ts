// Keeps I15 and I17: a thread whose owners die again and again waits for a person, and nothing of it is driven meanwhile.
import type { Fact } from '../contracts/fact.ts'
import type { PlanContext, Planned } from '../contracts/heart.ts'
import type { JsonObject } from '../contracts/json.ts'
import type { End } from './run-end.ts'
import { follows, rests } from './planned.ts'
import type { Run, State } from './state.ts'
import { conversationOf } from './state.ts'

/** What keeps a thread aside whose owners have died too often; null when it is driven. */
export function planQuarantine(state: State, run: Run, { crashes = 0 }: Pick<PlanContext, 'crashes'>): Planned | null {
  if (isQuarantined(state)) return rests(null)
  if (crashes === 0 || run.givenUp !== null) return null
  const id = `${state.thread}:${run.id}:quarantine:${run.quarantines + 1}`
  const subject = { attempts: crashes, ...toDoing(state) }
  const opened = { wait: id, kind: 'quarantine' as const, subject: { inline: subject } }
  const fact: Fact = { v: 1, type: 'wait.opened', run: run.id, scope: '', ...opened }
  const row = { id, thread: state.thread, root: state.root, path: '', kind: opened.kind, subject, digest: '', needed: 1 }
  return follows([fact], { open: [row] })
}

/** Whether a person must say first whether the run is tried again. */
export function isQuarantined({ waits }: State): boolean {
  for (const { kind } of waits.values()) if (kind === 'quarantine') return true
  return false
}

/** How a run ends that a person gave up. */
export function endOfGivenUp(reason: string): End {
  const told = reason === '' ? '' : `: ${reason}`
  const message = `the processes that drove the run ended again and again without getting on, and a person gave it up${told}`
  return { status: 'failed', why: 'quarantined', error: { code: 'quarantined', message } }
}

/** What was under way when the last owner died. */
function toDoing(state: State): JsonObject {
  const { turn } = conversationOf(state)
  if (turn?.phase === 'infer') return { turn: turn.id, model: turn.model }
  const calls = turn?.phase === 'calls' ? turn.calls.filter((call) => !call.settled) : []
  if (!turn || calls.length === 0) return {}
  return { turn: turn.id, calls: calls.map(({ id, tool, started }) => ({ call: id, tool, started: started !== null })) }
}
