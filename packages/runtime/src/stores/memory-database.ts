import type { Clock } from '../contracts/clock.ts'
import type { Fact } from '../contracts/fact.ts'
import { FORMAT } from '../contracts/fact.ts'
import type { Digest, ItemId, Ms, RunId, ThreadId, WaitId } from '../contracts/ids.ts'
import type { Labels } from '../contracts/labels.ts'
import type { Publication } from '../contracts/publication.ts'
import type { InboxItem, NewItem, NewThread, RunInfo, ThreadRow } from '../contracts/store.ts'
import type { NewWait, WaitRow } from '../contracts/wait.ts'
import type { FactsText } from './facts-text.ts'
import { toBodyText, toFactsText } from './facts-text.ts'
import type { HintListeners } from './hint-listeners.ts'
import { birthLabels, birthPublication, toBirthDigest } from './thread-birth.ts'

/** A commit as it is kept: facts as text, so that nobody can change them afterwards. */
export interface MemoryCommit extends FactsText {
  readonly thread: MemoryThread
  readonly sequence: number
  readonly attempt: number
  readonly at: Ms
  readonly worker: string
  readonly format: number
  readonly position: number
}

/** What is kept of an item for ever. */
export type KnownItem = Omit<InboxItem, 'body' | 'state'> & { takenIn?: number }

/** A thread with its log and inbox. */
export interface MemoryThread {
  readonly tenant: string
  readonly id: ThreadId
  readonly key?: string
  readonly root: ThreadId
  readonly path: string
  readonly birth: Digest
  readonly labels: Labels | null
  readonly createdAt: Ms
  readonly commits: MemoryCommit[]
  /** Every item ever accepted, in order of arrival, so that a repeat is known as one. */
  readonly known: Map<ItemId, KnownItem>
  /** Items not yet consumed, in order of arrival. */
  readonly pending: Map<ItemId, InboxItem>
  readonly runs: Map<RunId, RunInfo>
  /** Those that its commits name. */
  readonly artifacts: Set<Digest>
  publication: Digest
  at: Ms
  attempt: number
  idle: number
  format: number
  row: ThreadRow
  fresh: number
  moved: boolean
  owner: string | null
  timerAt: Ms | null
}

/** A wait with what lists need beside the row. */
export interface MemoryWait {
  readonly tenant: string
  readonly position: number
  row: WaitRow
}

/** The lease of a worker. A beat that came too late ends it for good. */
export interface MemoryLease {
  until: Ms
  ms: Ms
  ended: boolean
}

/** The data of one memory store. The sets name the threads that `claim` must look at. */
export interface MemoryDatabase {
  readonly clock: Pick<Clock, 'now'>
  readonly hints: HintListeners
  readonly threads: Map<ThreadId, MemoryThread>
  readonly keys: Map<string, ThreadId>
  /** By position; null where a thread was removed. */
  readonly feed: (MemoryCommit | null)[]
  readonly waits: Map<WaitId, MemoryWait>
  /** Open and decided ones, oldest first. */
  readonly unclosed: Map<WaitId, MemoryWait>
  readonly publications: Map<Digest, Publication>
  readonly leases: Map<string, MemoryLease>
  readonly withFresh: Set<ThreadId>
  readonly withTimer: Set<ThreadId>
  readonly withOwner: Set<ThreadId>
  /** Waits opened so far. */
  waitsOpened: number
}

/** A copy that shares nothing with its origin, as any other store would give it. */
export function toCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value))
}

/** The key of a thread within its tenant, as one string. */
export function tenantKey(tenant: string, key: string): string {
  return JSON.stringify([tenant, key])
}

/** Adds a commit to a thread's log and to the feed. */
export function addCommit(
  db: MemoryDatabase,
  thread: MemoryThread,
  facts: FactsText,
  given: Pick<MemoryCommit, 'at'> & Partial<Pick<MemoryCommit, 'attempt' | 'worker' | 'format'>>
): void {
  const commit: MemoryCommit = {
    attempt: thread.attempt,
    worker: thread.owner ?? '',
    format: FORMAT,
    ...given,
    ...facts,
    thread,
    sequence: thread.commits.length + 1,
    position: db.feed.length + 1
  }
  thread.commits.push(commit)
  thread.at = commit.at
  db.feed.push(commit)
}

/** Makes a thread that is known not to exist: commit 1, attempt 0, its first item. */
export function addThread(db: MemoryDatabase, given: NewThread, now: Ms): void {
  const facts = toFactsText(given.id, [given.created])
  toBodyText(given.first)
  const thread = newThread(given, {
    birth: toBirthDigest(given),
    labels: birthLabels(given),
    publication: birthPublication(given),
    at: now
  })
  keepThread(db, thread)
  addCommit(db, thread, facts, { at: now })
  addItem(db, thread, given.first, now)
}

/** A thread without commits and items. */
export function newThread(
  given: Pick<NewThread, 'tenant' | 'id' | 'key' | 'root' | 'path' | 'row'>,
  more: { readonly birth: Digest; readonly labels: Labels | null; readonly publication: Digest; readonly at: Ms }
): MemoryThread {
  const { tenant, id, key, root, path } = given
  const { birth, labels, publication, at } = more
  return {
    ...{ tenant, id, ...(key === undefined ? {} : { key }), root, path, birth, labels: toCopy(labels), createdAt: at },
    commits: [],
    known: new Map(),
    pending: new Map(),
    runs: new Map(),
    artifacts: new Set(),
    publication,
    at,
    attempt: 0,
    idle: 0,
    format: FORMAT,
    row: toCopy(given.row),
    fresh: 0,
    moved: false,
    owner: null,
    timerAt: null
  }
}

/** Makes a thread known under its id and key. */
export function keepThread(db: MemoryDatabase, thread: MemoryThread): void {
  db.threads.set(thread.id, thread)
  if (thread.key !== undefined) db.keys.set(tenantKey(thread.tenant, thread.key), thread.id)
}

/** Puts an item into an inbox unless it is there. */
export function addItem(db: MemoryDatabase, thread: MemoryThread, item: NewItem, now: Ms): void {
  if (thread.known.has(item.id)) return
  const { body, ...known } = toCopy(item)
  thread.known.set(item.id, { ...known, at: now })
  thread.pending.set(item.id, { ...known, at: now, body, state: 'fresh' })
  setFresh(db, thread, thread.fresh + 1)
}

/** Opens a wait unless it is there. */
export function addWait(db: MemoryDatabase, tenant: string, wait: NewWait, at: Ms): void {
  if (db.waits.has(wait.id)) return
  const { expiresInMs, ...row } = toCopy(wait)
  const expiry = expiresInMs === undefined ? {} : { expiresAt: at + expiresInMs }
  keepWait(db, tenant, { ...row, ...expiry, votes: [], state: 'open' })
}

/** Keeps a wait as it is, behind all others. */
export function keepWait(db: MemoryDatabase, tenant: string, row: WaitRow): void {
  db.waitsOpened += 1
  const record: MemoryWait = { tenant, position: db.waitsOpened, row }
  db.waits.set(row.id, record)
  if (row.state !== 'closed') db.unclosed.set(row.id, record)
}

/** Sets how many fresh items a thread has. */
export function setFresh(db: MemoryDatabase, thread: MemoryThread, fresh: number): void {
  thread.fresh = fresh
  setMember(db.withFresh, thread.id, fresh > 0)
}

/** Sets who owns a thread. */
export function setOwner(db: MemoryDatabase, thread: MemoryThread, owner: string | null): void {
  thread.owner = owner
  setMember(db.withOwner, thread.id, owner !== null)
}

/** Sets a thread's timer. */
export function setTimer(db: MemoryDatabase, thread: MemoryThread, timerAt: Ms | null): void {
  thread.timerAt = timerAt
  setMember(db.withTimer, thread.id, timerAt !== null)
}

/** Until when the owner of a thread is live, or null when nobody lives who owns it. */
export function liveUntil(db: MemoryDatabase, thread: MemoryThread, now: Ms): Ms | null {
  const lease = thread.owner === null ? undefined : db.leases.get(thread.owner)
  return lease === undefined || lease.ended || lease.until <= now ? null : lease.until
}

/** The publication that a commit pins the thread to from now on, if any. */
export function repinned(facts: readonly Fact[]): Digest | null {
  let publication: Digest | null = null
  for (const fact of facts) if (fact.type === 'thread.repinned') publication = fact.publication
  return publication
}

function setMember(set: Set<ThreadId>, id: ThreadId, isMember: boolean): void {
  if (isMember) set.add(id)
  else set.delete(id)
}
