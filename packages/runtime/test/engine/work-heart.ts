import type { Fact } from '../../src/contracts/fact.ts'
import type { Heart, Planned, Stamp } from '../../src/contracts/heart.ts'
import type { Ms } from '../../src/contracts/ids.ts'
import type { InboxItem, ThreadRow } from '../../src/contracts/store.ts'
import { NO_USAGE } from '../../src/contracts/usage.ts'

/** What an item asks for: an effect of that length, and a rest until a timer after it. */
export type Job = { readonly workMs: Ms | null; readonly restMs: Ms | null }

/** A thread that does its jobs, several at a time. */
export interface WorkState {
  readonly needs: readonly string[]
  readonly works: Map<string, Job>
  /** Rests until then. */
  timer: { readonly stamp: Stamp; readonly restMs: Ms } | null
}

/** The state of a thread of which nothing is known but what it needs. */
export function noWork(needs: readonly string[]): WorkState {
  return { needs, works: new Map(), timer: null }
}

/** How lists show such a thread. */
export function workRow(needs: readonly string[], status: ThreadRow['status'] = 'queued'): ThreadRow {
  return { status, agent: 'worker', needs, turns: 0, usage: NO_USAGE, cost: 0, runUsage: NO_USAGE, runCost: 0 }
}

/**
 * A trivial heart: every item is a job. An `event` is taken only when nothing runs and no timer is set, so that it is deferred now and then.
 */
export const workHeart: Heart<WorkState> = {
  evolve,
  take(state, items) {
    const item = items.find((each) => each.kind !== 'event' || (state.works.size === 0 && state.timer === null))
    return item ? { item, facts: [toFact(item)] } : null
  },
  plan(state, { now, stopping }) {
    const due = state.timer === null ? null : state.timer.stamp.at + state.timer.restMs
    if (due !== null && due <= now && !stopping)
      return planned({ facts: [{ v: 1, type: 'state.set', owner: 'timer', key: '', value: null }] })
    const actions = [...state.works.keys()].map((call) => ({ id: `${call}#1.1`, scope: '', do: 'run' as const, call }))
    return planned({ actions, timer: due, rest: actions.length === 0 })
  },
  project: (state) => workRow(state.needs, state.works.size > 0 ? 'running' : 'waiting'),
  reachesOut: () => true,
  progress: (facts) => facts.some((fact) => fact.type === 'call.settled')
}

/** The end of an effect. */
export function settled(call: string): Fact {
  return { v: 1, type: 'call.settled', call, outcome: 'ok', result: { inline: { value: null } } }
}

function evolve(state: WorkState, stamp: Stamp, fact: Fact): WorkState {
  if (fact.type === 'message.received') begin(state, stamp, fact.cause ?? '', jobOf(fact))
  if (fact.type === 'call.settled') {
    const job = state.works.get(fact.call)
    state.works.delete(fact.call)
    if (job?.restMs) state.timer = { stamp, restMs: job.restMs }
  }
  if (fact.type === 'state.set') state.timer = null
  return state
}

function begin(state: WorkState, stamp: Stamp, call: string, job: Job): void {
  if (job.workMs !== null) state.works.set(call, job)
  else if (job.restMs !== null) state.timer = { stamp, restMs: job.restMs }
}

function toFact(item: InboxItem): Fact {
  return {
    v: 1,
    type: 'message.received',
    cause: item.id,
    source: item.from,
    parts: { inline: [{ type: 'text', text: JSON.stringify(item.body) }] }
  }
}

function jobOf(fact: Extract<Fact, { type: 'message.received' }>): Job {
  const [part] = 'inline' in fact.parts ? fact.parts.inline : []
  return part?.type === 'text' ? (JSON.parse(part.text) as Job) : { workMs: null, restMs: null }
}

function planned(over: Partial<Planned>): Planned {
  return { facts: [], send: [], spawn: [], open: [], close: [], actions: [], timer: null, rest: false, ...over }
}
