import type { Commit, Fact, FactOf, Limits, Runtime, ThreadHandle, ThreadInfo } from '@holdfast/runtime'
import { loadRuntime } from './libraries.ts'
import { isRuntimeError } from './failure.ts'
import { toInjectedPrompts } from './injected-calls.ts'
import { lifeOf } from './owner.ts'
import { readBudget } from './read-budget.ts'
import { bodyOf, callsOf } from './render-event.ts'
import type { Activity, Situation } from './situation.ts'

/** How much of the end of a log is read to know what its run is at. */
const COMMITS_READ = 200
const BYTES_READ = 4 * 1024 * 1024

/** What stops a run whose budget is used up. */
const BUDGETS: readonly string[] = ['token_budget', 'cost_budget', 'cost_unknown', 'time_budget', 'tool_call_budget']

/** Reads what an explanation of a thread is made from. Throws `thread_not_found`. */
export async function readSituation(runtime: Runtime, id: string): Promise<Situation> {
  const thread = runtime.thread(id)
  const info = await thread.info()
  const { items: waits } = await runtime.waits({ thread: id })
  const end = await readEnd(thread, info)
  const life = info.owner && (await lifeOf(info.owner.worker))
  const budget = info.row.why !== undefined && BUDGETS.includes(info.row.why) ? await readBudget(thread) : null
  return {
    info,
    limits: await readLimits(thread),
    ...(life === undefined ? {} : { life }),
    waits,
    ...(end === undefined ? {} : { end }),
    ...(budget === null ? {} : { budget }),
    activity: toActivity(await thread.log(Math.max(1, info.head - COMMITS_READ), BYTES_READ)),
    now: Date.now()
  }
}

/** A publication that is gone leaves what holds for every run. */
async function readLimits(thread: ThreadHandle): Promise<Limits> {
  const { DEFAULT_LIMITS } = await loadRuntime()
  try {
    return { ...DEFAULT_LIMITS, ...(await thread.publication()).definition.limits }
  } catch (error) {
    if (isRuntimeError(error) && error.code === 'publication_missing') return DEFAULT_LIMITS
    throw error
  }
}

async function readEnd(thread: ThreadHandle, { row }: ThreadInfo): Promise<FactOf<'run.ended'> | undefined> {
  if (row.endedIn === undefined) return undefined
  const [commit] = await thread.log(row.endedIn, 1)
  return commit?.facts.findLast((fact): fact is FactOf<'run.ended'> => fact.type === 'run.ended')
}

/** What the last run in a piece of a log is at. */
export function toActivity(commits: readonly Commit[]): Activity {
  const calls = new Map<string, string>()
  const names = new Map<string, string>()
  let at: At = {}
  for (const fact of commits.flatMap(({ facts }) => facts)) {
    if (fact.type === 'model.responded' || fact.type === 'prompts.injected')
      for (const { call, tool } of namesIn(fact)) names.set(call, tool)
    else if (fact.type === 'call.started') calls.set(fact.call, names.get(fact.call) ?? 'a tool')
    else if (fact.type === 'call.settled') calls.delete(fact.call)
    at = follow(at, fact)
  }
  return { ...at, calls: [...calls.values()] }
}

function namesIn(
  fact: FactOf<'model.responded'> | FactOf<'prompts.injected'>
): readonly { readonly call: string; readonly tool: string }[] {
  if (fact.type === 'prompts.injected') return toInjectedPrompts(fact).flatMap(({ calls }) => calls)
  const value = bodyOf(fact.parts)
  return typeof value === 'string' ? [] : callsOf(fact.turn, value)
}

type At = Omit<Activity, 'calls'>

function follow(at: At, fact: Fact): At {
  switch (fact.type) {
    case 'run.started':
    case 'run.ended':
      return {}
    case 'turn.started': {
      const { turn, model, moved } = fact
      const started = { turn: Number(turn.slice(turn.lastIndexOf('/') + 1)), model, ...(moved && { moved }) }
      return fact.try > 1 && at.failure !== undefined ? { ...started, failure: at.failure } : started
    }
    case 'model.responded':
      return {}
    case 'model.failed':
      return { ...at, failure: fact.error?.message ?? `it was ${fact.why}` }
    default:
      return at
  }
}
