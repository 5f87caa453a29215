import type { DatabaseSync } from 'node:sqlite'
import type { Fact } from '../contracts/fact.ts'
import type { ItemId, Ms, WaitId } from '../contracts/ids.ts'
import type { AppendRequest, ThreadRow } from '../contracts/store.ts'
import { toRunRows } from './run-rows.ts'
import type { Tables, ThreadRecord } from './sqlite-tables.ts'

/** The thread whose commit it is. */
type Owner = Pick<ThreadRecord, 'no' | 'tenant'>

/** What a commit writes beside its thread's row and its log. */
export interface AppendEffects {
  /** Births, items and waits. */
  inboxes(thread: Owner, request: AppendRequest, sequence: number, at: Ms): void
  /** Runs, artifacts and the rare facts that change the thread itself. `before` is the thread's row before the commit, when runs are touched. */
  records(thread: Owner, request: AppendRequest, sequence: number, before: ThreadRow | null): void
}

/** Prepares the statements of the effects. */
export function createAppendEffects(db: DatabaseSync, tables: Tables): AppendEffects {
  const consume = db.prepare('UPDATE item SET state = 2, body = NULL, taken_in = ? WHERE thread = ? AND id = ?')
  const defer = db.prepare('UPDATE item SET state = 1 WHERE thread = ? AND id = ? AND state = 0')
  const useArtifact = db.prepare('INSERT INTO artifact_use (tenant, digest, thread) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const repin = db.prepare('UPDATE thread SET publication = ? WHERE no = ?')
  const move = db.prepare('UPDATE thread SET moved = 1 WHERE no = ?')
  const writeRuns = createRunWriter(db)

  function takeItems(no: number, consumed: readonly ItemId[], deferred: readonly ItemId[], sequence: number): void {
    for (const id of consumed) consume.run(sequence, no, id)
    for (const id of deferred) defer.run(no, id)
  }

  function closeWaits(request: AppendRequest, ids: readonly WaitId[]): void {
    for (const id of ids) {
      const wait = tables.wait(id)
      if (wait !== undefined && wait.row.thread === request.thread) tables.updateWait(wait.no, { ...wait.row, state: 'closed' })
    }
  }

  function noteFacts(thread: Owner, facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.type === 'thread.repinned') repin.run(fact.publication, thread.no)
      else if (fact.type === 'thread.moved') move.run(thread.no)
    }
  }

  return {
    inboxes(thread, request, sequence, at) {
      for (const child of request.spawn) if (tables.thread(child.id) === undefined) tables.insertThread(child, at)
      takeItems(thread.no, request.consumed, request.deferred, sequence)
      for (const item of request.send) {
        const target = item.thread === request.thread ? thread : tables.thread(item.thread)
        if (target !== undefined) tables.insertItem(target.no, item, at)
      }
      closeWaits(request, request.close)
      for (const wait of request.open) tables.insertWait(thread.tenant, wait, at)
    },
    records(thread, request, sequence, before) {
      for (const digest of request.artifacts) useArtifact.run(thread.tenant, digest, thread.no)
      if (before !== null) writeRuns(thread, request, sequence, before)
      noteFacts(thread, request.facts)
    }
  }
}

function createRunWriter(db: DatabaseSync): (thread: Owner, request: AppendRequest, sequence: number, before: ThreadRow) => void {
  const write = db.prepare(
    'INSERT INTO run (thread, id, started_in, row) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET started_in = excluded.started_in, row = excluded.row'
  )
  return (thread, request, sequence, before) => {
    for (const run of toRunRows(request.thread, sequence, request.facts, request.row, before)) {
      write.run(thread.no, run.run, run.startedIn, JSON.stringify(run))
    }
  }
}
