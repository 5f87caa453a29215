import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Digest, Ms, ThreadId, WaitId } from '../contracts/ids.ts'
import type { Publication } from '../contracts/publication.ts'
import type { Page, ThreadQuery, WaitQuery } from '../contracts/query.ts'
import type { RunInfo, ThreadInfo } from '../contracts/store.ts'
import type { WaitRow } from '../contracts/wait.ts'
import { fromPositionCursor, fromThreadCursor, toPage, toPageLimit, toThreadCursor } from './page-cursor.ts'
import type { Tables, ThreadRecord } from './sqlite-tables.ts'
import { toActivity } from './sqlite-tables.ts'

/** What lists and lookups read. */
export interface SqliteQueries {
  publication(digest: Digest): Publication | null
  thread(id: ThreadId, now: Ms): ThreadInfo | null
  threads(query: ThreadQuery, now: Ms): Page<ThreadInfo>
  runs(thread: ThreadId): readonly RunInfo[]
  waits(query: WaitQuery): Page<WaitRow>
  wait(id: WaitId): WaitRow | null
}

type ListedThread = ThreadRecord & { readonly until: Ms | null; readonly ended: number | null; readonly pending: number }

/** One condition of a list: its text, and the values that it takes. */
type Condition = readonly [text: string, ...values: SQLInputValue[]]

const THREAD = `SELECT t.*, w.until, w.ended, (SELECT count(*) FROM item AS i WHERE i.thread = t.no AND i.state < 2) AS pending
  FROM thread AS t LEFT JOIN worker AS w ON w.id = t.owner`

const OPEN_STATUSES: ReadonlySet<string> = new Set(['queued', 'running', 'waiting'])

/** Prepares the statements of lists; those that depend on the filter are prepared when they are first asked. */
export function createSqliteQueries(db: DatabaseSync, tables: Tables): SqliteQueries {
  const publication = db.prepare('SELECT definition FROM publication WHERE digest = ?')
  const thread = db.prepare(`${THREAD} WHERE t.id = ?`)
  const runs = db.prepare('SELECT r.row FROM thread AS t JOIN run AS r ON r.thread = t.no WHERE t.id = ? ORDER BY r.started_in')
  const list = createLister(db)
  return {
    publication(digest) {
      const definition = publication.get(digest)?.['definition']
      return typeof definition === 'string' ? { digest, definition: JSON.parse(definition) } : null
    },
    thread(id, now) {
      const found = thread.get(id) as ListedThread | undefined
      return found === undefined ? null : toThreadInfo(found, now)
    },
    threads(query, now) {
      const limit = toPageLimit(query.limit)
      const found = list(
        THREAD,
        threadConditions(query),
        't.activity DESC, t.at DESC, t.id DESC',
        limit + 1
      ) as unknown as readonly ListedThread[]
      return toPage(
        found,
        limit,
        (last) => toThreadCursor(last.at, last.id),
        (record) => toThreadInfo(record, now)
      )
    },
    runs: (id) => runs.all(id).map((record) => JSON.parse(String(record['row']))),
    waits(query) {
      const limit = toPageLimit(query.limit)
      const found = list('SELECT no, row FROM wait', waitConditions(query), 'no', limit + 1)
      return toPage(
        found,
        limit,
        (last) => String(last['no']),
        (record) => JSON.parse(String(record['row']))
      )
    },
    wait: (id) => tables.wait(id)?.row ?? null
  }
}

function createLister(db: DatabaseSync) {
  const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  return (select: string, conditions: readonly Condition[], order: string, limit: number) => {
    const text = `${select} WHERE ${conditions.map(([condition]) => condition).join(' AND ')} ORDER BY ${order} LIMIT ?`
    const statement = prepared.get(text) ?? db.prepare(text)
    prepared.set(text, statement)
    return statement.all(...conditions.flatMap(([, ...values]) => values), limit)
  }
}

function threadConditions(query: ThreadQuery): readonly Condition[] {
  // A tree is small: the plus keeps SQLite from walking all of the tenant's threads in order instead.
  const conditions: Condition[] = [[query.root === undefined ? 't.tenant = ?' : '+t.tenant = ?', query.tenant]]
  if (query.root !== undefined) conditions.push(['t.root = ?', query.root])
  if (query.since !== undefined) conditions.push(['t.activity >= ?', toActivity(query.since)], ['t.at >= ?', query.since])
  if (query.status !== undefined) {
    conditions.push(['t.status IN (SELECT value FROM json_each(?))', JSON.stringify(query.status)])
    // The words of the partial index, so that a few open threads are found among many ended ones.
    if (query.status.every((status) => OPEN_STATUSES.has(status))) conditions.push([`t.status IN ('queued', 'running', 'waiting')`])
  }
  if (query.after !== undefined) {
    const { at, id } = fromThreadCursor(query.after)
    conditions.push(['t.activity <= ?', toActivity(at)], ['(t.at < ? OR (t.at = ? AND t.id < ?))', at, at, id])
  }
  return conditions
}

function waitConditions(query: WaitQuery): readonly Condition[] {
  const conditions: Condition[] = [[`state <> 'closed'`], ['tenant = ?', query.tenant]]
  if (query.thread !== undefined) conditions.push(['thread = ?', query.thread])
  if (query.root !== undefined) conditions.push(['root = ?', query.root])
  if (query.kind !== undefined) conditions.push(['kind IN (SELECT value FROM json_each(?))', JSON.stringify(query.kind)])
  if (query.after !== undefined) conditions.push(['no > ?', fromPositionCursor(query.after)])
  return conditions
}

function toThreadInfo(record: ListedThread, now: Ms): ThreadInfo {
  const { owner, until, ended } = record
  const isLive = owner !== null && until !== null && ended === 0 && until > now
  return {
    tenant: record.tenant,
    id: record.id,
    ...(record.key === null ? {} : { key: record.key }),
    root: record.root,
    path: record.path,
    publication: record.publication,
    createdAt: record.created_at,
    at: record.at,
    head: record.head,
    attempt: record.attempt,
    row: JSON.parse(record.row),
    ...(record.timer_at === null ? {} : { timerAt: record.timer_at }),
    pending: record.pending,
    ...(isLive ? { owner: { worker: owner, leaseUntil: until } } : {})
  }
}
