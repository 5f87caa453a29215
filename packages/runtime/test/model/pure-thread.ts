import type { Commit, Fact, FactOf } from '../../src/contracts/fact.ts'
import type { Action, Planned } from '../../src/contracts/heart.ts'
import type { Publication } from '../../src/contracts/publication.ts'
import type { Claim } from '../../src/contracts/claim.ts'
import type { AppendRequest, InboxItem, ItemKind } from '../../src/contracts/store.ts'
import type { Json } from '../../src/contracts/json.ts'
import type { Principal } from '../../src/contracts/ids.ts'
import { startDraft } from '../../src/loop/draft.ts'
import { conversationHeart } from '../../src/state/heart.ts'
import type { Call, Conversation, State } from '../../src/state/state.ts'
import { conversationOf } from '../../src/state/state.ts'
import { foldLog } from './fold-log.ts'
import { publicationOf } from './publication.ts'

const THREAD = 'thr_1'

/** One commit of a pure thread, with what was asked of the store and what should run after it. */
export interface PureCommit {
  readonly facts: readonly Fact[]
  readonly types: readonly Fact['type'][]
  readonly request: AppendRequest
  readonly plan: Planned
  /** Ids of the effects that should run. */
  readonly actions: readonly string[]
}

/** A thread without a store, a driver and a clock: the heart alone, driven by hand. */
export class PureThread {
  readonly publication: Publication
  readonly log: Pick<Commit, 'at' | 'attempt' | 'sequence' | 'facts'>[] = []
  state: State
  attempt = 0
  now = 1_000_000
  /** Whether the worker stops. */
  stopping = false
  /** What the next attempt is told of those before it. */
  crashes = 0
  pending: InboxItem[] = []
  readonly delivered: string[] = []
  #first = false
  #items = 0

  constructor(publication: Publication = publicationOf()) {
    this.publication = publication
    this.state = foldLog(THREAD, publication, [])
    this.#append([{ v: 1, type: 'thread.created', publication: publication.digest, grants: {}, rules: [], root: THREAD, depth: 0 }])
  }

  get conversation(): Conversation {
    return conversationOf(this.state)
  }

  /** Every fact so far. */
  get facts(): readonly Fact[] {
    return this.log.flatMap((commit) => commit.facts)
  }

  factsOf<T extends Fact['type']>(type: T): readonly FactOf<T>[] {
    return this.facts.filter((fact): fact is FactOf<T> => fact.type === type)
  }

  call(position: number): Call {
    const call = this.conversation.turn?.calls[position]
    if (!call) throw new Error(`the turn has no call ${position}`)
    return call
  }

  deliver(kind: ItemKind, body: Json, from: Principal = { kind: 'person', id: 'ann' }): InboxItem {
    const id = `${kind}-${++this.#items}`
    const item: InboxItem = { id, thread: THREAD, kind, from, at: this.now, digest: `sha256:${id}`, body, state: 'fresh' }
    this.pending.push(item)
    this.delivered.push(id)
    return item
  }

  message(text = 'hello', kind: 'message' | 'interrupt' = 'message'): InboxItem {
    return this.deliver(kind, { run: `run_${this.#items + 1}`, parts: [{ type: 'text', text }] })
  }

  decide(position: number, decision: Json): InboxItem {
    const { wait } = this.call(position)
    return this.deliver('decision', { wait, decision })
  }

  /** A new owner: folds the log anew. */
  claim(): this {
    this.attempt++
    this.#first = true
    this.state = foldLog(THREAD, this.publication, JSON.parse(JSON.stringify(this.log)))
    return this
  }

  /** Commits these outcomes and everything that follows from them and from the inbox. */
  commit(...outcome: readonly Fact[]): PureCommit {
    const { attempt, now, log } = this
    const claim: Claim = { tenant: 't', thread: THREAD, attempt, sequence: log.length, now, why: 'items', idle: 0 }
    const { state, pending } = this
    const outcomes = outcome.length === 0 ? [] : [{ id: 'effect', facts: outcome }]
    const crashes = this.#first ? this.crashes : 0
    const start = {
      state,
      claim,
      head: log.length,
      first: this.#first,
      worker: 'w',
      outcomes,
      pending,
      now,
      stopping: this.stopping,
      crashes
    }
    const draft = startDraft(start, conversationHeart)
    const request = draft.request('keep', { ready: false })
    this.#first = false
    this.pending = [...draft.left]
    this.state = draft.state
    if (draft.facts.length > 0) log.push({ at: now, attempt, sequence: log.length + 1, facts: draft.facts })
    const types = draft.facts.map((fact) => fact.type)
    return { facts: draft.facts, types, request, plan: draft.plan, actions: draft.plan.actions.map((action: Action) => action.id) }
  }

  /** What the state says should run now, without committing anything. */
  plan(stopping = this.stopping): Planned {
    return conversationHeart.plan(this.state, { attempt: this.attempt, now: this.now, stopping, pending: this.pending })
  }

  #append(facts: readonly Fact[]): void {
    const stamp = { at: this.now, attempt: this.attempt, sequence: this.log.length + 1 }
    this.log.push({ ...stamp, facts })
    for (const fact of facts) this.state = conversationHeart.evolve(this.state, stamp, fact)
  }
}
