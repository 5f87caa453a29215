import type { DatabaseSync } from 'node:sqlite'
import { FORMAT } from '../contracts/fact.ts'
import type { Digest, ItemId, Ms, ThreadId, WaitId } from '../contracts/ids.ts'
import type { Labels } from '../contracts/labels.ts'
import type { NewItem, NewThread, ThreadRow } from '../contracts/store.ts'
import type { NewWait, WaitRow } from '../contracts/wait.ts'
import type { FactsText } from './facts-text.ts'
import { toBodyText, toFactsText } from './facts-text.ts'
import { birthLabels, birthLineage, birthPublication, toBirthDigest } from './thread-birth.ts'

/** A row of `thread`. */
export interface ThreadRecord {
  readonly no: number
  readonly id: ThreadId
  readonly tenant: string
  readonly key: string | null
  readonly root: ThreadId
  readonly tree: ThreadId | null
  readonly path: string
  readonly birth: Digest
  readonly created_at: Ms
  readonly publication: Digest
  readonly head: number
  readonly at: Ms
  readonly activity: number
  readonly attempt: number
  readonly idle: number
  readonly owner: string | null
  readonly timer_at: Ms | null
  readonly moved: number
  readonly labels: string | null
  readonly status: string
  readonly row: string
}

/** The state of an item that a commit has consumed. */
export const CONSUMED = 2

/** A row of `wait`. */
export interface WaitRecord {
  readonly no: number
  readonly tenant: string
  readonly row: WaitRow
}

/** The columns of a commit, in the order of the insert. */
export interface NewCommit extends FactsText {
  readonly thread: number
  readonly sequence: number
  readonly attempt: number
  readonly at: Ms
  readonly tree: ThreadId | null
  readonly worker: string
  /** Absent: the one that this program writes. */
  readonly format?: number
}

/** The statements that several parts of the store share. All run at once, inside whatever transaction is open. */
export interface Tables {
  thread(id: ThreadId): ThreadRecord | undefined
  threadByKey(tenant: string, key: string): ThreadRecord | undefined
  hasFresh(thread: number): boolean
  item(thread: number, id: ItemId): { readonly state: number; readonly digest: Digest } | undefined
  /** The row that lists show. */
  row(thread: number): ThreadRow | null
  wait(id: WaitId): WaitRecord | undefined
  openWaits(thread: ThreadId): readonly WaitRow[]
  insertCommit(commit: NewCommit): void
  /** Makes a thread that is known not to exist: commit 1, attempt 0, its first item. */
  insertThread(thread: NewThread, at: Ms): void
  /** Puts an item into an inbox unless it is there. */
  insertItem(thread: number, item: NewItem, at: Ms): void
  /** Opens a wait unless it is there. */
  insertWait(tenant: string, wait: NewWait, at: Ms): void
  updateWait(no: number, row: WaitRow): void
}

/** Prepares the shared statements. */
export function createTables(db: DatabaseSync): Tables {
  const rows = createRowTables(db)
  const insertThread = createThreadInsert(db)
  return {
    ...rows,
    insertThread(thread, at) {
      const facts = toFactsText(thread.id, [thread.created])
      const no = insertThread(thread, at)
      rows.insertCommit({ ...facts, thread: no, sequence: 1, attempt: 0, at, tree: toTree(thread), worker: '' })
      rows.insertItem(no, thread.first, at)
    }
  }
}

function createRowTables(db: DatabaseSync): Omit<Tables, 'insertThread'> {
  const thread = db.prepare('SELECT * FROM thread WHERE id = ?')
  const byKey = db.prepare('SELECT * FROM thread WHERE tenant = ? AND key = ?')
  const fresh = db.prepare('SELECT 1 FROM item WHERE thread = ? AND state < 2 AND state = 0 LIMIT 1')
  const item = db.prepare('SELECT state, digest FROM item WHERE thread = ? AND id = ?')
  const wait = db.prepare('SELECT no, tenant, row FROM wait WHERE id = ?')
  const openWaits = db.prepare(`SELECT row FROM wait WHERE thread = ? AND state <> 'closed' AND state = 'open'`)
  const row = db.prepare('SELECT row FROM thread WHERE no = ?')
  const commit = db.prepare(
    'INSERT INTO log (thread, sequence, attempt, at, tree, worker, format, digest, facts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'
  )
  const newItem = db.prepare(
    `INSERT INTO item (thread, id, state, at, digest, kind, scope, sender, body) VALUES (?, ?, 0, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
  )
  const newWait = db.prepare(
    `INSERT INTO wait (id, tenant, thread, root, kind, state, row) VALUES (?, ?, ?, ?, ?, 'open', ?) ON CONFLICT DO NOTHING`
  )
  const changedWait = db.prepare('UPDATE wait SET state = ?, row = ? WHERE no = ?')
  return {
    thread: (id) => thread.get(id) as ThreadRecord | undefined,
    threadByKey: (tenant, key) => byKey.get(tenant, key) as ThreadRecord | undefined,
    hasFresh: (no) => fresh.get(no) !== undefined,
    item: (no, id) => item.get(no, id) as ReturnType<Tables['item']>,
    row(no) {
      const text = row.get(no)?.['row']
      return typeof text === 'string' ? JSON.parse(text) : null
    },
    openWaits: (id) => openWaits.all(id).map((found) => JSON.parse(String(found['row']))),
    wait(id) {
      const found = wait.get(id) as { readonly no: number; readonly tenant: string; readonly row: string } | undefined
      return found === undefined ? undefined : { ...found, row: JSON.parse(found.row) }
    },
    insertCommit({ thread: no, sequence, attempt, at, tree, worker, format = FORMAT, digest, text }) {
      commit.run(no, sequence, attempt, at, tree, worker, format, digest, text)
    },
    insertItem(no, given, at) {
      const { id, digest, kind, scope, from } = given
      newItem.run(no, id, at, digest, kind, scope ?? null, JSON.stringify(from), toBodyText(given))
    },
    insertWait(tenant, given, at) {
      const { expiresInMs, ...rest } = given
      const expiry = expiresInMs === undefined ? {} : { expiresAt: at + expiresInMs }
      const row: WaitRow = { ...rest, ...expiry, votes: [], state: 'open' }
      newWait.run(given.id, tenant, given.thread, given.root, given.kind, JSON.stringify(row))
    },
    updateWait(no, row) {
      changedWait.run(row.state, JSON.stringify(row), no)
    }
  }
}

function createThreadInsert(db: DatabaseSync): (thread: NewThread, at: Ms) => number {
  const insert = db.prepare(
    `INSERT INTO thread (id, tenant, key, root, tree, path, parent, depth, birth, created_at, publication, head, at, activity, format,
      attempt, idle, owner, timer_at, moved, labels, status, row)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, 0, 0, NULL, NULL, 0, ?, ?, ?)`
  )
  return (thread, at) => {
    const { parent, depth } = birthLineage(thread)
    const { lastInsertRowid } = insert.run(
      thread.id,
      thread.tenant,
      thread.key ?? null,
      thread.root,
      toTree(thread),
      thread.path,
      parent,
      depth,
      toBirthDigest(thread),
      at,
      birthPublication(thread),
      at,
      toActivity(at),
      FORMAT,
      toLabelsText(birthLabels(thread)),
      thread.row.status,
      JSON.stringify(thread.row)
    )
    return Number(lastInsertRowid)
  }
}

/** Labels as their column holds them. */
export function toLabelsText(labels: Labels | null): string | null {
  return labels === null ? null : JSON.stringify(labels)
}

/** The second of a point in time: what lists are ordered by first. */
export function toActivity(at: Ms): number {
  return Math.floor(at / 1000)
}

function toTree(thread: NewThread): ThreadId | null {
  return thread.root === thread.id ? null : thread.root
}
