import type { DatabaseSync } from 'node:sqlite'
import type { Digest, Ms, ThreadId, WaitId } from '../contracts/ids.ts'
import type { Publication } from '../contracts/publication.ts'
import type { Page, ThreadQuery, WaitQuery } from '../contracts/query.ts'
import type { RunInfo, ThreadInfo } from '../contracts/store.ts'
import type { WaitRow } from '../contracts/wait.ts'
import { fromPositionCursor, toPage, toPageLimit, toThreadCursor } from './page-cursor.ts'
import type { Tables, ThreadRecord } from './sqlite-tables.ts'
import type { Condition } from './sqlite-thread-filter.ts'
import { toThreadFilter } from './sqlite-thread-filter.ts'

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

/** How many threads of a label are counted, to know whether it is rare. */
const MANY = 1000

/** Prepares the statements of lists; those that depend on the filter are prepared when they are first asked. */
export function createSqliteQueries(db: DatabaseSync, tables: Tables): SqliteQueries {
  const publication = db.prepare('SELECT definition FROM publication WHERE digest = ?')
  const thread = db.prepare(`${selectThreads('thread AS t')} WHERE t.id = ?`)
  const runs = db.prepare('SELECT r.row FROM thread AS t JOIN run AS r ON r.thread = t.no WHERE t.id = ? ORDER BY r.started_in')
  const list = createLister(db)
  const rarest = createRarest(db)
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
      const { from, conditions, order } = toThreadFilter(query, rarest)
      const found = list(selectThreads(from), conditions, order, limit + 1) as unknown as readonly ListedThread[]
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

function selectThreads(from: string): string {
  return `SELECT t.*, w.until, w.ended, (SELECT count(*) FROM item AS i WHERE i.thread = t.no AND i.state < 2) AS pending
  FROM ${from} LEFT JOIN worker AS w ON w.id = t.owner`
}

/** Which of several labels the fewest threads have, as far as it is counted. */
function createRarest(db: DatabaseSync): Parameters<typeof toThreadFilter>[1] {
  const count = db.prepare(`SELECT count(*) AS count FROM (SELECT 1 FROM label WHERE tenant = ? AND key = ? AND value = ? LIMIT ${MANY})`)
  return (tenant, labels) => {
    const counts = labels.map(([key, value]) => Number(count.get(tenant, key, value)?.['count']))
    return counts.indexOf(Math.min(...counts))
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
    ...(record.labels === null ? {} : { labels: JSON.parse(record.labels) }),
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
