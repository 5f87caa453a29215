// Positions are never given twice, so that a reader of the feed who goes on from one misses nothing: when the newest commit of all is removed,
// an empty row without a thread keeps its place. There is at most one; it goes when a removal finds a later commit.

import type { DatabaseSync } from 'node:sqlite'
import type { Ms, ThreadId } from '../contracts/ids.ts'
import type { Removed } from '../contracts/store.ts'
import { isRestingStatus } from './resting-status.ts'
import type { Tables } from './sqlite-tables.ts'

/** Removing threads; inside the open transaction. */
export interface Removals {
  /** Gives the threads that went, too. */
  remove(
    thread: ThreadId,
    now: Ms,
    options?: { readonly unfinished?: boolean }
  ): { readonly answer: Removed; readonly removed: readonly ThreadId[] }
}

interface Member {
  readonly no: number
  readonly id: ThreadId
  readonly status: string
  readonly is_live: number
}

/** The number of the thread that the kept place belongs to: that of none. */
export const NO_THREAD = 0

/** Prepares the statements of removals. */
export function createRemovals(db: DatabaseSync, tables: Tables): Removals {
  const members = db.prepare(
    `SELECT t.no, t.id, t.status, w.id IS NOT NULL AS is_live
     FROM thread AS t LEFT JOIN worker AS w ON w.id = t.owner AND w.ended = 0 AND w.until > ? WHERE t.root = ?`
  )
  const clearPlace = db.prepare(`DELETE FROM log WHERE thread = ${NO_THREAD} AND position < (SELECT max(position) FROM log)`)
  const keepPlace = db.prepare(
    `UPDATE log SET thread = ${NO_THREAD}, sequence = position, attempt = 0, tree = NULL, worker = '', digest = '', facts = ''
     WHERE position = (SELECT max(position) FROM log) AND thread = ?`
  )
  const deletions = ['log', 'item', 'run', 'artifact_use'].map((table) => db.prepare(`DELETE FROM ${table} WHERE thread = ?`))
  const deleteWaits = db.prepare('DELETE FROM wait WHERE thread = ?')
  const deleteThread = db.prepare('DELETE FROM thread WHERE no = ?')

  function removeMember({ no, id }: Member): void {
    keepPlace.run(no)
    for (const deletion of deletions) deletion.run(no)
    deleteWaits.run(id)
    deleteThread.run(no)
  }

  return {
    remove(id, now, { unfinished = false } = {}) {
      const root = tables.thread(id)
      if (root === undefined) return { answer: 'unknown', removed: [] }
      if (root.root !== id) return { answer: 'child', removed: [] }
      const tree = members.all(now, id) as unknown as readonly Member[]
      if (!tree.every((member) => member.is_live === 0 && (unfinished || isAtRest(tables, member)))) return { answer: 'busy', removed: [] }
      for (const member of tree) removeMember(member)
      clearPlace.run()
      return { answer: 'removed', removed: tree.map((member) => member.id) }
    }
  }
}

function isAtRest(tables: Tables, { no, status }: Member): boolean {
  return isRestingStatus(status) && !tables.hasFresh(no)
}
