import type { DatabaseSync } from 'node:sqlite'
import type { Digest, Ms } from '../contracts/ids.ts'
import type { AcceptedItem, ImportedThread, Imported } from '../contracts/store.ts'
import { hasMoved, isSameCommit, toImportedBirth, toImportedFormat, toStampedCommits } from './imported-thread.ts'
import type { Tables, ThreadRecord } from './sqlite-tables.ts'
import { CONSUMED, toActivity, toLabelsText } from './sqlite-tables.ts'
import { birthLineage } from './thread-birth.ts'

/** Bringing in threads of other stores; inside the open transaction. */
export interface Imports {
  /** `texts` are those of the commits, checked against their digests. */
  import(thread: ImportedThread, texts: readonly string[], now: Ms): Imported
}

interface KeptCommit {
  readonly sequence: number
  readonly attempt: number
  readonly at: Ms
  readonly worker: string
  readonly digest: Digest
}

/** Prepares the statements of imports. */
export function createImports(db: DatabaseSync, tables: Tables): Imports {
  const commits = db.prepare('SELECT sequence, attempt, at, worker, digest FROM log WHERE thread = ? AND sequence <= ? ORDER BY sequence')
  const publish = db.prepare('INSERT INTO publication (digest, definition, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const run = db.prepare('INSERT INTO run (thread, id, started_in, row) VALUES (?, ?, ?, ?)')
  const useArtifact = db.prepare('INSERT INTO artifact_use (tenant, digest, thread) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const insertThread = createImportedThreadInsert(db)
  const insertItem = createImportedItemInsert(db)
  const insertWait = db.prepare('INSERT INTO wait (id, tenant, thread, root, kind, state, row) VALUES (?, ?, ?, ?, ?, ?, ?)')

  function isSame(existing: ThreadRecord, given: ImportedThread): boolean {
    const { tenant, key, root, attempt } = given
    if (existing.tenant !== tenant || existing.key !== (key ?? null) || existing.root !== root || existing.attempt < attempt) return false
    const kept = commits.all(existing.no, given.commits.length) as unknown as readonly KeptCommit[]
    return (
      kept.length === given.commits.length &&
      given.commits.every((commit, index) => isSameCommit(kept[index], commit, given.stampFrom)) &&
      given.items.every((item) => tables.item(existing.no, item.id)?.digest === item.digest)
    )
  }

  function isTaken(given: ImportedThread): boolean {
    return (
      (given.key !== undefined && tables.threadByKey(given.tenant, given.key) !== undefined) ||
      given.waits.some((wait) => tables.wait(wait.id) !== undefined)
    )
  }

  function insert(given: ImportedThread, texts: readonly string[]): void {
    const no = insertThread(given)
    const tree = given.root === given.id ? null : given.root
    for (const [index, { facts: _, ...commit }] of given.commits.entries()) {
      tables.insertCommit({ ...commit, text: texts[index] ?? '', thread: no, tree })
    }
    for (const item of given.items) insertItem(no, item)
    for (const wait of given.waits) {
      insertWait.run(wait.id, given.tenant, wait.thread, wait.root, wait.kind, wait.state, JSON.stringify(wait))
    }
    for (const digest of given.artifacts) useArtifact.run(given.tenant, digest, no)
    for (const each of given.runs) run.run(no, each.run, each.startedIn, JSON.stringify(each))
  }

  return {
    import(given, texts, now) {
      const existing = tables.thread(given.id)
      if (existing !== undefined) return isSame(existing, given) ? 'repeated' : 'conflict'
      if (isTaken(given)) return 'conflict'
      publish.run(given.publication.digest, JSON.stringify(given.publication.definition), now)
      insert({ ...given, commits: toStampedCommits(given, now) }, texts)
      return 'imported'
    }
  }
}

function createImportedThreadInsert(db: DatabaseSync): (given: ImportedThread) => number {
  const insert = db.prepare(
    `INSERT INTO thread (id, tenant, key, root, tree, path, parent, depth, birth, created_at, publication, head, at, activity, format,
      attempt, idle, owner, timer_at, moved, labels, status, row)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, NULL, ?, ?, ?, ?, ?)`
  )
  return (given) => {
    const { birth, labels, at: createdAt } = toImportedBirth(given)
    const [first] = given.commits[0]?.facts ?? []
    const { parent, depth } = first === undefined ? { parent: null, depth: 0 } : birthLineage({ id: given.id, created: first })
    const at = given.commits.at(-1)?.at ?? createdAt
    const { lastInsertRowid } = insert.run(
      given.id,
      given.tenant,
      given.key ?? null,
      given.root,
      given.root === given.id ? null : given.root,
      given.path,
      parent,
      depth,
      birth,
      createdAt,
      given.publication.digest,
      given.commits.length,
      at,
      toActivity(at),
      toImportedFormat(given),
      given.attempt,
      given.timerAt ?? null,
      hasMoved(given) ? 1 : 0,
      toLabelsText(labels),
      given.row.status,
      JSON.stringify(given.row)
    )
    return Number(lastInsertRowid)
  }
}

const STATES: { readonly [state in AcceptedItem['state']]: number } = { fresh: 0, deferred: 1, consumed: CONSUMED }

function createImportedItemInsert(db: DatabaseSync): (no: number, item: AcceptedItem) => void {
  const insert = db.prepare(
    'INSERT INTO item (thread, id, state, at, digest, taken_in, kind, scope, sender, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'
  )
  return (no, item) => {
    const { id, state, at, digest, kind, scope, from } = item
    const [takenIn, body] = item.state === 'consumed' ? [item.takenIn, null] : [null, JSON.stringify(item.body)]
    insert.run(no, id, STATES[state], at, digest, takenIn, kind, scope ?? null, JSON.stringify(from), body)
  }
}
