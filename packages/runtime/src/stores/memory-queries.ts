import type { Commit } from '../contracts/fact.ts'
import type { ThreadId } from '../contracts/ids.ts'
import type { Page, ThreadQuery, WaitQuery } from '../contracts/query.ts'
import type { AcceptedItem, Store, ThreadInfo } from '../contracts/store.ts'
import type { WaitRow } from '../contracts/wait.ts'
import { fromFactsText } from './facts-text.ts'
import type { MemoryCommit, MemoryDatabase, MemoryThread, MemoryWait } from './memory-database.ts'
import { liveUntil, toCopy } from './memory-database.ts'
import { fromPositionCursor, fromThreadCursor, toPage, toPageLimit, toThreadCursor } from './page-cursor.ts'

/** A page of a thread's log. */
export function readLog(db: MemoryDatabase, thread: ThreadId, from: number, limitBytes: number): readonly Commit[] {
  const commits = db.threads.get(thread)?.commits ?? []
  const page: Commit[] = []
  let bytes = 0
  for (let index = Math.max(0, from - 1); index < commits.length && (page.length === 0 || bytes < limitBytes); index += 1) {
    const commit = commits[index]
    if (commit === undefined) break
    page.push(toCommit(commit))
    bytes += commit.text.length
  }
  return page
}

/** Every item that a thread has accepted. */
export function listItems(db: MemoryDatabase, thread: ThreadId): readonly AcceptedItem[] {
  const found = db.threads.get(thread)
  return [...(found?.known.values() ?? [])].map(({ takenIn, ...known }) => {
    const pending = found?.pending.get(known.id)
    return pending === undefined
      ? { ...known, state: 'consumed', takenIn: takenIn ?? 0 }
      : { ...known, state: pending.state, body: pending.body }
  })
}

/** A page of the feed. */
export function readFeed(
  db: MemoryDatabase,
  filter: Parameters<Store['follow']>[0],
  after: string,
  limit: number
): { readonly commits: readonly Commit[]; readonly next: string } {
  const commits: Commit[] = []
  let position = fromPositionCursor(after)
  while (position < db.feed.length && commits.length < limit) {
    const commit = db.feed[position]
    position += 1
    if (commit && isWanted(commit.thread, filter)) commits.push(toCommit(commit))
  }
  return { commits, next: position === 0 ? after : String(position) }
}

/** A thread as lists show it. */
export function toThreadInfo(db: MemoryDatabase, thread: MemoryThread): ThreadInfo {
  const leaseUntil = liveUntil(db, thread, db.clock.now())
  return {
    tenant: thread.tenant,
    id: thread.id,
    ...(thread.key === undefined ? {} : { key: thread.key }),
    root: thread.root,
    path: thread.path,
    ...(thread.labels === null ? {} : { labels: toCopy(thread.labels) }),
    publication: thread.publication,
    createdAt: thread.createdAt,
    at: thread.at,
    head: thread.commits.length,
    attempt: thread.attempt,
    row: thread.row,
    ...(thread.timerAt === null ? {} : { timerAt: thread.timerAt }),
    pending: thread.pending.size,
    ...(thread.owner === null || leaseUntil === null ? {} : { owner: { worker: thread.owner, leaseUntil } })
  }
}

/** A page of threads, newest activity first. */
export function listThreads(db: MemoryDatabase, query: ThreadQuery): Page<ThreadInfo> {
  const after = query.after === undefined ? null : fromThreadCursor(query.after)
  const found = [...db.threads.values()]
    .filter((thread) => isListed(thread, query) && (after === null || compareActivity(thread, after) > 0))
    .sort(compareActivity)
  return toPage(
    found,
    toPageLimit(query.limit),
    (thread) => toThreadCursor(thread.at, thread.id),
    (thread) => toThreadInfo(db, thread)
  )
}

/** A page of waits, oldest first. */
export function listWaits(db: MemoryDatabase, query: WaitQuery): Page<WaitRow> {
  const after = fromPositionCursor(query.after ?? '')
  const found = [...db.unclosed.values()].filter((wait) => wait.position > after && isAsked(wait, query))
  return toPage(
    found,
    toPageLimit(query.limit),
    (wait) => String(wait.position),
    (wait) => wait.row
  )
}

function toCommit(commit: MemoryCommit): Commit {
  const { thread, sequence, attempt, at, worker, format, digest, text } = commit
  const facts = fromFactsText({ text, thread: thread.id, sequence, digest, format })
  return {
    tenant: thread.tenant,
    thread: thread.id,
    sequence,
    attempt,
    at,
    worker,
    format,
    digest,
    position: String(commit.position),
    facts
  }
}

function isWanted(thread: MemoryThread, filter: Parameters<Store['follow']>[0]): boolean {
  return thread.tenant === filter.tenant && thread.id === (filter.thread ?? thread.id) && thread.root === (filter.root ?? thread.root)
}

function isListed(thread: MemoryThread, query: ThreadQuery): boolean {
  return (
    thread.tenant === query.tenant &&
    thread.root === (query.root ?? thread.root) &&
    thread.at >= (query.since ?? 0) &&
    Object.entries(query.labels ?? {}).every(([key, value]) => thread.labels?.[key] === value) &&
    (query.status === undefined || query.status.includes(thread.row.status))
  )
}

function isAsked({ tenant, row }: MemoryWait, query: WaitQuery): boolean {
  return (
    tenant === query.tenant &&
    row.thread === (query.thread ?? row.thread) &&
    row.root === (query.root ?? row.root) &&
    (query.kind === undefined || query.kind.includes(row.kind))
  )
}

function compareActivity(a: Pick<ThreadInfo, 'at' | 'id'>, b: Pick<ThreadInfo, 'at' | 'id'>): number {
  if (a.at !== b.at) return b.at - a.at
  if (a.id === b.id) return 0
  return a.id < b.id ? 1 : -1
}
