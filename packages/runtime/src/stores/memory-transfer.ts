// Everything is checked before anything is changed.
import type { ImportedThread, Imported, Removed } from '../contracts/store.ts'
import { hasMoved, isSameCommit, toImportedBirth, toImportedFormat, toImportedTexts, toStampedCommits } from './imported-thread.ts'
import type { MemoryDatabase, MemoryThread } from './memory-database.ts'
import {
  addCommit,
  keepThread,
  keepWait,
  liveUntil,
  newThread,
  setFresh,
  setOwner,
  setTimer,
  tenantKey,
  toCopy
} from './memory-database.ts'
import { isRestingStatus } from './resting-status.ts'

/** Makes a thread that comes from another store. */
export function importInto(db: MemoryDatabase, given: ImportedThread): Imported {
  const texts = toImportedTexts(given)
  const existing = db.threads.get(given.id)
  if (existing !== undefined) return isSame(existing, given) ? 'repeated' : 'conflict'
  if (given.key !== undefined && db.keys.has(tenantKey(given.tenant, given.key))) return 'conflict'
  if (given.waits.some((wait) => db.waits.has(wait.id))) return 'conflict'
  const { digest } = given.publication
  if (!db.publications.has(digest)) db.publications.set(digest, toCopy(given.publication))
  const thread = newThread(given, { ...toImportedBirth(given), publication: digest })
  keepThread(db, thread)
  for (const [index, commit] of toStampedCommits(given, db.clock.now()).entries()) {
    const { at, attempt, worker, format } = commit
    addCommit(db, thread, { text: texts[index] ?? '', digest: commit.digest }, { at, attempt, worker, format })
  }
  thread.attempt = given.attempt
  thread.format = toImportedFormat(given)
  thread.moved = hasMoved(given)
  addItems(db, thread, given)
  for (const wait of given.waits) keepWait(db, given.tenant, toCopy(wait))
  for (const digest of given.artifacts) thread.artifacts.add(digest)
  for (const run of given.runs) thread.runs.set(run.run, toCopy(run))
  setTimer(db, thread, given.timerAt ?? null)
  db.hints.tell([given.id])
  return 'imported'
}

/** Removes a root thread with its tree. */
export function removeFrom(db: MemoryDatabase, id: string, { unfinished = false }: { readonly unfinished?: boolean } = {}): Removed {
  const root = db.threads.get(id)
  if (root === undefined) return 'unknown'
  if (root.root !== id) return 'child'
  const tree = [...db.threads.values()].filter((thread) => thread.root === id)
  if (!tree.every((thread) => isNobodys(db, thread) && (unfinished || isAtRest(thread)))) return 'busy'
  for (const thread of tree) forget(db, thread)
  db.hints.tell(tree.map((thread) => thread.id))
  return 'removed'
}

function isSame(existing: MemoryThread, given: ImportedThread): boolean {
  return (
    existing.tenant === given.tenant &&
    existing.key === given.key &&
    existing.root === given.root &&
    existing.attempt >= given.attempt &&
    given.commits.every((commit, index) => isSameCommit(existing.commits[index], commit, given.stampFrom)) &&
    given.items.every((item) => existing.known.get(item.id)?.digest === item.digest)
  )
}

function addItems(db: MemoryDatabase, thread: MemoryThread, given: ImportedThread): void {
  for (const item of toCopy(given.items)) {
    if (item.state === 'consumed') {
      const { state: _, ...known } = item
      thread.known.set(item.id, known)
    } else {
      const { state: _, body: __, ...known } = item
      thread.known.set(item.id, known)
      thread.pending.set(item.id, item)
    }
  }
  setFresh(db, thread, given.items.filter((item) => item.state === 'fresh').length)
}

function isNobodys(db: MemoryDatabase, thread: MemoryThread): boolean {
  return liveUntil(db, thread, db.clock.now()) === null
}

function isAtRest(thread: MemoryThread): boolean {
  return thread.fresh === 0 && isRestingStatus(thread.row.status)
}

function forget(db: MemoryDatabase, thread: MemoryThread): void {
  for (const { position } of thread.commits) db.feed[position - 1] = null
  for (const [id, { row }] of db.waits) {
    if (row.thread !== thread.id) continue
    db.waits.delete(id)
    db.unclosed.delete(id)
  }
  setOwner(db, thread, null)
  setTimer(db, thread, null)
  setFresh(db, thread, 0)
  db.threads.delete(thread.id)
  if (thread.key !== undefined) db.keys.delete(tenantKey(thread.tenant, thread.key))
}
