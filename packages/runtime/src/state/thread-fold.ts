// Keeps I1: every row that a store keeps beside a log follows from its commits and the accepted items.
import type { Commit, Fact, FactOf } from '../contracts/fact.ts'
import type { Digest, ItemId, Ms, ThreadId, WaitId } from '../contracts/ids.ts'
import type { Json } from '../contracts/json.ts'
import type { Labels } from '../contracts/labels.ts'
import type { Publication } from '../contracts/publication.ts'
import type { AcceptedItem, RunInfo, ThreadRow } from '../contracts/store.ts'
import { NO_USAGE } from '../contracts/usage.ts'
import type { WaitRow } from '../contracts/wait.ts'
import { inlineOf } from './body.ts'
import { endOfTime } from './end.ts'
import { evolve } from './evolve.ts'
import { project } from './project.ts'
import type { Run, State } from './state.ts'
import { emptyState } from './state.ts'

/** The commits that a fold reads. */
export type FoldedCommit = Pick<Commit, 'sequence' | 'attempt' | 'at' | 'facts'>

/** What a log says of its thread. */
export interface FoldedThread {
  readonly head: number
  readonly at: Ms
  readonly createdAt: Ms
  /** Of the last commit. */
  readonly attempt: number
  readonly publication: Digest
  readonly root: ThreadId
  readonly labels: Labels
  readonly row: ThreadRow
  readonly runs: readonly RunInfo[]
  /** All that were ever opened. */
  readonly waits: readonly WaitRow[]
  /** In which commit an item was consumed. */
  readonly takenIn: ReadonlyMap<ItemId, number>
  /**
   * When somebody must look at the thread again: at once while its run goes on, else when the first of its waits expires or the time of a run is
   * over that waits for its budget.
   */
  readonly timerAt: Ms | null
}

interface FoldedWait {
  readonly fact: FactOf<'wait.opened'>
  readonly at: Ms
  readonly digest: Digest
  resolved: FactOf<'wait.resolved'> | null
}

/** Folds the commits of one thread, one after another. */
export class ThreadFold {
  readonly state: State
  #runs: RunInfo[] = []
  readonly #waits = new Map<WaitId, FoldedWait>()
  readonly #takenIn = new Map<ItemId, number>()
  #first: Ms | null = null
  #labels: Labels = {}
  #last = { sequence: 0, at: 0, attempt: 0 }

  constructor(thread: ThreadId, publication: Publication) {
    this.state = emptyState(thread, publication)
  }

  /** Makes a publication known that a later commit names. */
  know(publication: Publication): void {
    this.state.publications.set(publication.digest, publication)
  }

  /** Throws what `evolve` throws. */
  add({ sequence, attempt, at, facts }: FoldedCommit): void {
    const stamp = { sequence, attempt, at }
    this.#first ??= at
    this.#last = stamp
    for (const fact of facts) {
      evolve(this.state, stamp, fact)
      if (fact.cause !== undefined) this.#takenIn.set(fact.cause, sequence)
      this.#note(fact, at)
    }
  }

  /** Decisions that the thread has not read stand in its inbox. */
  end(items: readonly AcceptedItem[]): FoldedThread {
    const { state } = this
    const row = project(state)
    const { run } = state
    const active = run?.status === 'running' ? [toRunInfo(state.thread, run, row.status)] : []
    const byId = new Map(items.map((item) => [item.id, item]))
    const waits = [...this.#waits.values()].map((wait) => toWaitRow(state, wait, byId.get(`decide:${wait.fact.wait}`)))
    return {
      head: this.#last.sequence,
      at: this.#last.at,
      createdAt: this.#first ?? 0,
      attempt: this.#last.attempt,
      publication: state.publication,
      root: state.root,
      labels: this.#labels,
      row,
      runs: [...this.#runs, ...active],
      waits,
      takenIn: this.#takenIn,
      timerAt: row.status === 'running' ? this.#last.at : earliestOf([...expiriesOf(waits), ...endsOfBudgetWait(state)])
    }
  }

  /** The waits so far belong to another thread, and it has paid for the runs. */
  #fork(): void {
    this.#waits.clear()
    this.#runs = this.#runs.map((run) => ({ ...run, usage: NO_USAGE, cost: 0 }))
  }

  #note(fact: Fact, at: Ms): void {
    if (fact.type === 'run.ended' && this.state.run) this.#runs.push(toRunInfo(this.state.thread, this.state.run, fact.status))
    else if (fact.type === 'wait.opened') this.#waits.set(fact.wait, { fact, at, digest: digestOfCall(this.state, fact), resolved: null })
    else if (fact.type === 'thread.created') this.#labels = fact.labels ?? {}
    else if (fact.type === 'thread.forked') this.#fork()
    else if (fact.type === 'wait.resolved') {
      const wait = this.#waits.get(fact.wait)
      if (wait) wait.resolved = fact
    }
  }
}

/** The publication that a thread was made with, as its log begins. */
export function bornWith([first]: readonly Pick<Commit, 'facts'>[]): Digest | null {
  const created = first?.facts[0]
  return created?.type === 'thread.created' ? created.publication : null
}

/** The publications that later commits pin a thread to. */
export function repinnedIn(facts: readonly Fact[]): readonly Digest[] {
  return facts.flatMap((fact) => (fact.type === 'thread.repinned' ? [fact.publication] : []))
}

function toRunInfo(thread: ThreadId, run: Run, status: RunInfo['status']): RunInfo {
  const { id, why, turns, usage, cost, startedIn, endedIn } = run
  return {
    ...{ thread, run: id, status, ...(why === null ? {} : { why }), turns, usage, cost, startedIn },
    ...(endedIn === null ? {} : { endedIn })
  }
}

function digestOfCall(state: State, { scope = '', call }: FactOf<'wait.opened'>): Digest {
  return state.conversations.get(scope)?.turn?.calls.find((each) => each.id === call)?.digest ?? ''
}

function toWaitRow(state: State, { fact, at, digest, resolved }: FoldedWait, item: AcceptedItem | undefined): WaitRow {
  const decision = resolved?.as === 'decided' ? resolved.decision : decisionIn(item)
  const by = resolved?.by ?? item?.from
  return {
    id: fact.wait,
    thread: state.thread,
    root: state.root,
    path: '',
    kind: fact.kind,
    subject: inlineOf(fact.subject),
    digest,
    needed: fact.needed ?? 1,
    votes: decision === undefined || by === undefined ? [] : [{ by, decision, at: item?.at ?? at }],
    state: resolved ? 'closed' : decision === undefined ? 'open' : 'decided',
    ...(decision === undefined ? {} : { decision }),
    ...(fact.expiresAfterMs === undefined ? {} : { expiresAt: at + fact.expiresAfterMs }),
    ...(fact.targets === undefined ? {} : { targets: fact.targets })
  }
}

function decisionIn(item: AcceptedItem | undefined): Json | undefined {
  if (item === undefined || item.state === 'consumed') return undefined
  const { body } = item
  return typeof body === 'object' && body !== null && !Array.isArray(body)
    ? (body as { readonly [key: string]: Json })['decision']
    : undefined
}

function expiriesOf(waits: readonly WaitRow[]): readonly Ms[] {
  return waits.flatMap(({ state, expiresAt }) => (state === 'open' && expiresAt !== undefined ? [expiresAt] : []))
}

/** A run that waits for its budget ends with its time, too. */
function endsOfBudgetWait(state: State): readonly Ms[] {
  const end = endOfTime(state)
  return end !== null && [...state.waits.values()].some(({ kind }) => kind === 'budget') ? [end] : []
}

function earliestOf(points: readonly Ms[]): Ms | null {
  return points.reduce<Ms | null>((first, point) => (first === null || point < first ? point : first), null)
}
