import type { Fact, FactOf } from '../contracts/fact.ts'
import type { RunId, ThreadId } from '../contracts/ids.ts'
import type { RunInfo, ThreadRow } from '../contracts/store.ts'
import type { Cost } from '../contracts/usage.ts'
import { addCost, addUsage, NO_USAGE } from '../contracts/usage.ts'

/** Whether a commit changes what lists of runs show: a run began or ended, or the thread comes to rest. */
export function touchesRuns(facts: readonly Fact[], then: 'keep' | 'release'): boolean {
  if (then === 'release') return true
  for (const { type } of facts) if (type === 'run.started' || type === 'run.ended') return true
  return false
}

/**
 * The run rows that a commit leaves. The thread's row tells of its latest run only; a run that ended in the same commit in which the
 * next one began is told from the row before it and from the facts.
 */
export function toRunRows(
  thread: ThreadId,
  sequence: number,
  facts: readonly Fact[],
  row: ThreadRow,
  before: ThreadRow
): readonly RunInfo[] {
  const rows: RunInfo[] = []
  for (const run of endedRuns(facts)) if (run !== row.run) rows.push(pastRun(thread, sequence, run, facts, before))
  if (row.run !== undefined && row.startedIn !== undefined) {
    rows.push({
      thread,
      run: row.run,
      status: row.status,
      ...(row.why === undefined ? {} : { why: row.why }),
      turns: row.turns,
      usage: row.runUsage,
      cost: row.runCost,
      startedIn: row.startedIn,
      ...(row.endedIn === undefined ? {} : { endedIn: row.endedIn })
    })
  }
  return rows
}

function endedRuns(facts: readonly Fact[]): readonly RunId[] {
  return facts.flatMap((fact) => (fact.type === 'run.ended' && fact.run !== undefined ? [fact.run] : []))
}

function pastRun(thread: ThreadId, sequence: number, run: RunId, facts: readonly Fact[], before: ThreadRow): RunInfo {
  const own = facts.filter((fact) => fact.run === run)
  const known = before.run === run
  const end = own.find((fact): fact is FactOf<'run.ended'> => fact.type === 'run.ended')
  const calls = own.filter((fact) => fact.type === 'model.responded' || fact.type === 'model.failed')
  const turns = own.filter((fact) => fact.type === 'turn.started' && fact.try === 1).length
  return {
    thread,
    run,
    status: end?.status ?? 'failed',
    ...(end?.why === undefined ? {} : { why: end.why }),
    turns: (known ? before.turns : 0) + turns,
    usage: calls.reduce((sum, fact) => addUsage(sum, fact.usage ?? NO_USAGE), known ? before.runUsage : NO_USAGE),
    cost: calls.reduce((sum, fact) => addCost(sum, costOf(fact)), known ? before.runCost : (0 as Cost)),
    startedIn: known ? (before.startedIn ?? sequence) : sequence,
    endedIn: sequence
  }
}

function costOf({ usage, cost }: FactOf<'model.responded'> | FactOf<'model.failed'>): Cost {
  return usage ? (cost ?? 'unknown') : 0
}
