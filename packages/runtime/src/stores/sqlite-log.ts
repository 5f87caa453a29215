// Reads are pages: an iterator is opened and closed within one synchronous step, never held over an await.

import type { DatabaseSync } from 'node:sqlite'
import type { Commit } from '../contracts/fact.ts'
import type { ThreadId } from '../contracts/ids.ts'
import type { Store } from '../contracts/store.ts'
import { fromFactsText } from './facts-text.ts'
import { fromPositionCursor } from './page-cursor.ts'

/** Reading commits. */
export interface SqliteLog {
  read(thread: ThreadId, from: number, limitBytes: number): readonly Commit[]
  follow(filter: Filter, after: string, limit: number): { readonly commits: readonly Commit[]; readonly next: string }
}

type Filter = Parameters<Store['follow']>[0]

interface CommitRecord {
  readonly position: number
  readonly tenant: string
  readonly thread: string
  readonly sequence: number
  readonly attempt: number
  readonly at: number
  readonly worker: string
  readonly format: number
  readonly digest: string
  readonly facts: string
}

type Place = { readonly no: number; readonly head: number; readonly tenant: string; readonly root: ThreadId }

/** What one page of the feed may hold, in characters of facts. */
const FEED_PAGE_LENGTH = 8_388_608

const COLUMNS = 'l.position, t.tenant, t.id AS thread, l.sequence, l.attempt, l.at, l.worker, l.format, l.digest, l.facts'

/** Prepares the statements of reading. */
export function createSqliteLog(db: DatabaseSync): SqliteLog {
  const ofThread = db.prepare(
    `SELECT ${COLUMNS} FROM thread AS t CROSS JOIN log AS l ON l.thread = t.no WHERE t.id = ? AND l.sequence >= ? ORDER BY l.sequence`
  )
  const ofTenant = db.prepare(
    `SELECT ${COLUMNS} FROM log AS l CROSS JOIN thread AS t ON t.no = l.thread WHERE l.position > ? AND l.position <= ? AND t.tenant = ? ORDER BY l.position`
  )
  const ofTree = db.prepare(
    `SELECT ${COLUMNS} FROM log AS l CROSS JOIN thread AS t ON t.no = l.thread WHERE l.tree = ? AND l.position > ? AND l.position <= ? ORDER BY l.position`
  )
  const newest = db.prepare('SELECT max(position) AS position FROM log')
  const place = db.prepare('SELECT no, head, tenant, root FROM thread WHERE id = ?')
  const position = db.prepare('SELECT position FROM log WHERE thread = ? AND sequence = ?')

  /** The first sequence of a thread beyond a position: sequences and positions rise together, so it can be halved for. */
  function sequenceAfter({ no, head }: Place, after: number): number {
    let low = 1
    let high = head + 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (Number(position.get(no, middle)?.['position']) > after) high = middle
      else low = middle + 1
    }
    return low
  }

  function* threadCommits(id: ThreadId, filter: Filter, after: number, until: number): Generator<CommitRecord> {
    const found = place.get(id) as Place | undefined
    if (found?.tenant !== filter.tenant || found.root !== (filter.root ?? found.root)) return
    for (const record of rows(ofThread.iterate(id, sequenceAfter(found, after)))) {
      if (record.position > until) return
      yield record
    }
  }

  function* treeCommits(root: ThreadId, filter: Filter, after: number, until: number): Generator<CommitRecord> {
    for (const record of rows(ofTree.iterate(root, after, until))) if (record.tenant === filter.tenant) yield record
  }

  function commitsOf(filter: Filter, after: number, until: number): Iterable<CommitRecord> {
    if (filter.thread !== undefined) return threadCommits(filter.thread, filter, after, until)
    if (filter.root === undefined) return rows(ofTenant.iterate(after, until, filter.tenant))
    return merge(threadCommits(filter.root, filter, after, until), treeCommits(filter.root, filter, after, until))
  }

  return {
    read: (thread, from, limitBytes) => takePage(rows(ofThread.iterate(thread, from)), Infinity, limitBytes).commits,
    follow(filter, after, limit) {
      const start = fromPositionCursor(after)
      const until = Number(newest.get()?.['position'] ?? 0)
      if (until <= start) return { commits: [], next: after }
      const { commits, isLast } = takePage(commitsOf(filter, start, until), limit, FEED_PAGE_LENGTH)
      return { commits, next: isLast ? String(until) : (commits.at(-1)?.position ?? after) }
    }
  }
}

function rows(iterator: Iterable<unknown>): Iterable<CommitRecord> {
  return iterator as Iterable<CommitRecord>
}

function takePage(
  source: Iterable<CommitRecord>,
  limit: number,
  limitLength: number
): { readonly commits: readonly Commit[]; readonly isLast: boolean } {
  const commits: Commit[] = []
  let length = 0
  for (const record of source) {
    if (commits.length >= limit || (commits.length > 0 && length >= limitLength)) return { commits, isLast: false }
    commits.push(toCommit(record))
    length += record.facts.length
  }
  return { commits, isLast: true }
}

function* merge(a: Iterator<CommitRecord>, b: Iterator<CommitRecord>): Generator<CommitRecord> {
  try {
    let left = a.next()
    let right = b.next()
    while (left.done !== true || right.done !== true) {
      if (right.done === true || (left.done !== true && left.value.position < right.value.position)) {
        if (left.done !== true) yield left.value
        left = a.next()
      } else {
        yield right.value
        right = b.next()
      }
    }
  } finally {
    a.return?.()
    b.return?.()
  }
}

function toCommit(record: CommitRecord): Commit {
  const { tenant, thread, sequence, attempt, at, worker, format, digest } = record
  const facts = fromFactsText({ text: record.facts, thread, sequence, digest, format })
  return { tenant, thread, sequence, attempt, at, worker, format, digest, position: String(record.position), facts }
}
