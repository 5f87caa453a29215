import type { ArtifactStore, ArtifactUse } from './artifact.ts'
import type { Beat, Claim, ClaimRequest } from './claim.ts'
import type { Commit, Fact, RunStatus } from './fact.ts'
import type { Digest, ItemId, Ms, Principal, RunId, Scope, ThreadId, WaitId } from './ids.ts'
import type { Json } from './json.ts'
import type { Labels } from './labels.ts'
import type { Publication } from './publication.ts'
import type { Page, ThreadQuery, WaitQuery } from './query.ts'
import type { Cost, Usage } from './usage.ts'
import type { Decided, NewWait, WaitRow } from './wait.ts'

/** What an inbox item asks for. */
export type ItemKind =
  | 'start'
  | 'message'
  | 'interrupt'
  | 'cancel'
  | 'decision'
  | 'event'
  | 'report'
  | 'watch'
  | 'unwatch'
  | 'alert'
  | 'budget'
  | 'migrate'

/** Something sent to a thread by another party; consumed by exactly one commit (I10). */
export interface InboxItem {
  readonly id: ItemId
  readonly thread: ThreadId
  readonly kind: ItemKind
  readonly from: Principal
  readonly at: Ms
  readonly scope?: Scope
  /** Over kind, scope and body: the same id with another digest is a conflict. */
  readonly digest: Digest
  /** At most 18 MiB of JSON. */
  readonly body: Json
  /** `deferred`: seen, not takeable in the thread's state; wakes nobody. */
  readonly state: 'fresh' | 'deferred'
}

/** An item that a thread has accepted. Of a consumed one only what a repeat is known by is left, and the commit that took it. */
export type AcceptedItem = Omit<InboxItem, 'body' | 'state'> &
  ({ readonly state: 'fresh' | 'deferred'; readonly body: Json } | { readonly state: 'consumed'; readonly takenIn: number })

/** An item as its sender gives it. */
export type NewItem = Omit<InboxItem, 'at' | 'state'>

/** What `project(state)` derives for lists and for `settled`: rebuildable from the log at any time (I1). */
export interface ThreadRow {
  readonly status: RunStatus
  readonly agent: string
  /** What a worker must have to drive this thread: `tool:` names and others. */
  readonly needs: readonly string[]
  readonly run?: RunId
  readonly why?: string
  /** Turns of the latest run. */
  readonly turns: number
  /** Usage of the whole thread. */
  readonly usage: Usage
  readonly cost: Cost
  /** Usage of the latest run. */
  readonly runUsage: Usage
  readonly runCost: Cost
  /** Sequence of the commit that began, and of the one that ended, the latest run. */
  readonly startedIn?: number
  readonly endedIn?: number
}

/**
 * A thread to be made: commit 1, attempt 0, and its first item. Two are the same when `created` (without `root`), the kind, the sender
 * and the digest of `first` are: derive a generated id that stands in the first item's body from the key, if there is one.
 */
export interface NewThread {
  readonly tenant: string
  readonly id: ThreadId
  /** The caller's idempotency key: one thread per (tenant, key). */
  readonly key?: string
  readonly root: ThreadId
  readonly path: string
  readonly created: Fact
  readonly first: NewItem
  readonly row: ThreadRow
}

/**
 * A thread with all that it had in another store. What follows from its commits and items (`row`, `runs`, `waits`) is given by the caller,
 * who has folded them (I1).
 */
export interface ImportedThread {
  readonly tenant: string
  readonly id: ThreadId
  readonly key?: string
  readonly root: ThreadId
  readonly path: string
  /** The one that the thread is pinned to; kept with it, as `publish` does. */
  readonly publication: Publication
  /** At least that of the last commit. */
  readonly attempt: number
  /** The whole log, from sequence 1 on. `facts` give exactly the text that `digest` is of. */
  readonly commits: readonly Omit<Commit, 'tenant' | 'thread' | 'position'>[]
  /** Commits from this sequence on are new: the store stamps them by its clock, at the earliest with the `at` that they are given. Default: none is. */
  readonly stampFrom?: number
  /** In order of arrival; the first is the one that the thread was made with. */
  readonly items: readonly AcceptedItem[]
  readonly row: ThreadRow
  readonly runs: readonly RunInfo[]
  /** Open, decided and closed ones. */
  readonly waits: readonly WaitRow[]
  /** Those that its commits name. */
  readonly artifacts: readonly Digest[]
  readonly timerAt?: Ms
}

/** What an import did. `conflict`: there is another thread under this id or key, and nothing was changed. */
export type Imported = 'imported' | 'repeated' | 'conflict'

/** What a removal did, or why not: `busy` has a live owner or is not at rest, `child` goes only with the root of its tree. */
export type Removed = 'removed' | 'unknown' | 'busy' | 'child'

/** One commit to be appended, with all that must happen in the same transaction. */
export interface AppendRequest {
  readonly tenant: string
  readonly thread: ThreadId
  readonly attempt: number
  /** The head before this commit. A repeat with the same thread, attempt, sequence and facts gives the same receipt. */
  readonly expectedSequence: number
  /** At most 1 MiB of JSON; may be empty only with `then: 'release'`. */
  readonly facts: readonly Fact[]
  readonly consumed: readonly ItemId[]
  readonly deferred: readonly ItemId[]
  readonly send: readonly NewItem[]
  readonly spawn: readonly NewThread[]
  readonly open: readonly NewWait[]
  readonly close: readonly WaitId[]
  /** Those that `facts` name: put before, counted as used in the same transaction. */
  readonly artifacts: readonly Digest[]
  readonly row: ThreadRow
  /** The store keeps the earlier of `at` and its now + `inMs`; null: no timer. */
  readonly timer: { readonly at?: Ms; readonly inMs?: Ms } | null
  /** Whether this commit is progress (a response, a settlement, a wait, an end): resets the count of idle claims. */
  readonly progress: boolean
  /**
   * `later`: nothing outside follows from this commit, and it answers nobody, before another of the thread that says `now`. A store that
   * syncs may leave it to the sync of the next commit; it is as atomic, ordered and visible as any.
   */
  readonly sync: 'now' | 'later'
  readonly then: 'keep' | 'release'
}

/** The answer to an append. */
export type Receipt = { readonly now: Ms } & (
  | {
      readonly ok: true
      readonly sequence: number
      readonly at: Ms
      readonly repeated: boolean
      /** False after a release, and after a late repeat: stop driving. */
      readonly owned: boolean
      /** Whether fresh items are waiting. A release is not done while one is: the store keeps the owner instead. */
      readonly fresh: boolean
    }
  | {
      readonly ok: false
      readonly why: 'fenced' | 'sequence' | 'decided' | 'wait_cycle' | 'moved' | 'conflict'
      readonly head: number
      readonly attempt: number
      readonly waits?: readonly WaitId[]
    }
)

/** A thread as lists show it. */
export interface ThreadInfo {
  readonly tenant: string
  readonly id: ThreadId
  readonly key?: string
  readonly root: ThreadId
  readonly path: string
  /** As its birth says; absent when there are none. */
  readonly labels?: Labels
  readonly publication: Digest
  readonly createdAt: Ms
  /** Of the last commit. */
  readonly at: Ms
  readonly head: number
  readonly attempt: number
  readonly row: ThreadRow
  readonly timerAt?: Ms
  /** Unconsumed items. */
  readonly pending: number
  /** Present while a worker with a live lease owns the thread. */
  readonly owner?: { readonly worker: string; readonly leaseUntil: Ms }
}

/** A run as lists show it. */
export interface RunInfo {
  readonly thread: ThreadId
  readonly run: RunId
  readonly status: RunStatus
  readonly why?: string
  readonly turns: number
  readonly usage: Usage
  readonly cost: Cost
  readonly startedIn: number
  readonly endedIn?: number
}

/**
 * Logs, inboxes, leases, waits, publications and queries.
 *
 * **Contract** of every method: atomic; idempotent as said; throws only `store_unavailable` or `store_full`
 * (`HoldfastError`), and then the outcome is unknown: repeat it. A store that has been closed throws `store_closed`.
 */
export interface Store extends AsyncDisposable {
  /** How much a power cut may lose: `power` the last commits that said `sync: 'later'`, `process` the last commits, `none` everything. */
  readonly durability: 'power' | 'process' | 'none'
  /** Where bytes lie that are too large for a commit, unless the runtime is given another place for them. */
  readonly artifacts: ArtifactStore

  /** Keeps a frozen definition. Idempotent by digest. */
  publish(publication: Publication): Promise<void>
  /** A publication by its digest, or null. */
  publication(digest: Digest): Promise<Publication | null>

  /** Makes a thread. Idempotent by id and by (tenant, key): `created: false` names the existing thread; other content under the same key or id throws `conflict`. */
  create(thread: NewThread): Promise<{ readonly created: boolean; readonly thread: ThreadId }>
  /**
   * Appends one commit. Checks in this order: the same commit exists with the same digest → the same receipt, `repeated`;
   * the attempt is not the thread's → `fenced`; the sequence is not the next → `sequence`; a wait that it closes has a decision
   * that it does not consume → `decided`. A success extends the lease. With `then: 'release'` the owner leaves, unless a fresh
   * item is there: then the thread stays owned and the receipt says `owned: true, fresh: true`.
   */
  append(request: AppendRequest): Promise<Receipt>
  /**
   * Puts items into inboxes. Idempotent by (thread, id): `repeated`; another digest: `conflict`; no such thread, moved, or an id that
   * begins like a decision's: `refused`.
   */
  deliver(items: readonly NewItem[]): Promise<readonly ('queued' | 'repeated' | 'conflict' | 'refused')[]>
  /**
   * Casts a vote; with the last one needed the wait is decided and the item `decide:` + wait with the body `{ wait, decision }` is
   * inserted, in one transaction. Until then a principal's vote takes the place of its earlier one. The same decision again: `repeated`; another than the
   * one that the wait has: `conflict`; also after the wait was closed.
   */
  decide(wait: WaitId, decision: Json, by: Principal): Promise<Decided>
  /** Extends the worker's lease. `mine` are the threads that it believes to own. */
  beat(worker: string, leaseMs: Ms, mine: readonly ThreadId[]): Promise<Beat>
  /**
   * Hands out threads that are ready: no live owner, and a fresh item or a due timer, or an owner whose lease ran out. A thread that
   * this worker owns and does not list in `not` counts as one whose lease ran out, so that a claim whose answer was lost can be
   * repeated: do not claim twice at the same time. Raises the attempt, extends the lease. A worker whose beat said `alive: false`, and one from whom a
   * thread was taken because its lease ran out, has lost its name: it gets none, and nothing extends its lease.
   * `takeover` needs `only`.
   */
  claim(request: ClaimRequest): Promise<readonly Claim[]>
  /**
   * Makes a thread that comes from another store, nobody's and at its attempt: what its owner there still writes is refused here. Its
   * commits keep everything but their position; they come behind all others. Idempotent: a thread of this id whose log begins with
   * these commits, and which has accepted these items, is left as it is (`repeated`), also when it has gone on since.
   */
  import(thread: ImportedThread): Promise<Imported>
  /**
   * Removes a root thread and all threads of its tree: logs, inboxes, waits, runs and the use of artifacts. Only when no worker with a live
   * lease owns one of them and all are at rest: waiting or ended, and without fresh items; else nothing is changed. With `unfinished` they
   * need not be at rest. Idempotent: what is gone is `unknown`. Positions and their order are never given again; the ids and the key are free. Publications stay.
   */
  remove(thread: ThreadId, options?: { readonly unfinished?: boolean }): Promise<Removed>
  /** Unconsumed items, fresh and deferred, in order of arrival. */
  pending(thread: ThreadId): Promise<readonly InboxItem[]>
  /** Every item that the thread has accepted, in order of arrival. */
  items(thread: ThreadId): Promise<readonly AcceptedItem[]>
  /** Commits from sequence `from` on, up to about `limitBytes` of facts and at least one. No transaction stays open. */
  read(thread: ThreadId, from: number, limitBytes: number): Promise<readonly Commit[]>
  /** The feed in `position` order, without gaps. `after` is empty at first. */
  follow(
    filter: { readonly tenant: string; readonly thread?: ThreadId; readonly root?: ThreadId },
    after: string,
    limit: number
  ): Promise<{ readonly commits: readonly Commit[]; readonly next: string }>
  /** Calls the listener when something may have happened to a thread; may lose, may repeat, never relied on. `null`: some thread, not known which. */
  hint(listener: (thread: ThreadId | null) => void): Disposable

  thread(id: ThreadId): Promise<ThreadInfo | null>
  threads(query: ThreadQuery): Promise<Page<ThreadInfo>>
  runs(thread: ThreadId): Promise<readonly RunInfo[]>
  /** Open waits, and decided ones that their thread has not read yet. */
  waits(query: WaitQuery): Promise<Page<WaitRow>>
  wait(id: WaitId): Promise<WaitRow | null>
  /** Which of these artifacts are named by commits of the tenant's threads, or of one thread. At most 1,000 digests are asked for at once. */
  artifactUses(tenant: string, digests: readonly Digest[], options?: { readonly thread?: ThreadId }): Promise<readonly ArtifactUse[]>
}
