import type { Fact, RunStatus } from '../contracts/fact.ts'
import type { ThreadRow } from '../contracts/store.ts'
import { NO_USAGE } from '../contracts/usage.ts'
import { isQuarantined } from './quarantine.ts'
import type { Call, State } from './state.ts'

const PROGRESS: ReadonlySet<Fact['type']> = new Set([
  'message.admitted',
  'model.responded',
  'call.settled',
  'step.settled',
  'wait.opened',
  'wait.resolved',
  'run.ended'
])

/** The row of a thread, for lists and for `settled`: derived from the state alone (I1). */
export function project(state: State): ThreadRow {
  const { run } = state
  return {
    status: statusOf(state),
    agent: state.definition.name,
    needs: state.needs,
    turns: run?.turns ?? 0,
    usage: state.usage,
    cost: state.cost,
    runUsage: run?.usage ?? NO_USAGE,
    runCost: run?.cost ?? 0,
    ...(run ? { run: run.id, startedIn: run.startedIn } : {}),
    ...(run?.why == null ? {} : { why: run.why }),
    ...(run?.endedIn == null ? {} : { endedIn: run.endedIn })
  }
}

/** Whether a commit of these facts brings the thread on; attempts without such a commit are counted against the crash budget. */
export function isProgress(facts: readonly Fact[]): boolean {
  for (const { type } of facts) if (PROGRESS.has(type)) return true
  return false
}

function statusOf(state: State): RunStatus {
  const { run } = state
  if (!run) return 'queued'
  if (run.status !== 'running') return run.status
  if (state.waits.size === 0) return 'running'
  return isQuarantined(state) || !isWorking(state) ? 'waiting' : 'running'
}

function isWorking(state: State): boolean {
  for (const { turn } of state.conversations.values()) {
    if (turn?.phase === 'infer' || turn?.phase === 'review') return true
    if (turn?.calls.some((call) => call.inReview || (!call.settled && isBusy(call)))) return true
  }
  return false
}

/** Whether something is to be done for a call, and nobody is waited for. */
function isBusy({ wait, started, verdict, decision }: Call): boolean {
  return wait === null && (started !== null || verdict === null || decision !== null)
}
