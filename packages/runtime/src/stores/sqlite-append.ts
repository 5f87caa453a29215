// Keeps I3 (fence and sequence), I10 (an item is consumed once) and I13 (work per commit does not depend on the length of the log).
// All checks stand before the first write. A commit that touches no items, waits or births costs three statements: look for fresh
// items, fence, insert; what the owner's process wrote last is remembered, and the fence alone decides whether it is still so.

import type { DatabaseSync } from 'node:sqlite'
import type { Digest, Ms, ThreadId } from '../contracts/ids.ts'
import type { AppendRequest, Receipt } from '../contracts/store.ts'
import { toTimer } from './append-rules.ts'
import type { FactsText } from './facts-text.ts'
import type { HintListeners } from './hint-listeners.ts'
import { createAppendChecks } from './sqlite-append-checks.ts'
import { createAppendEffects } from './sqlite-append-effects.ts'
import { touchesRuns } from './run-rows.ts'
import type { Leases } from './sqlite-leases.ts'
import type { Tables, ThreadRecord } from './sqlite-tables.ts'
import { toActivity } from './sqlite-tables.ts'

/** What an owner's process remembers of a thread between two commits. */
export type Head = Pick<ThreadRecord, 'no' | 'tenant' | 'tree' | 'attempt' | 'at' | 'idle' | 'activity' | 'timer_at' | 'status'> & {
  readonly sequence: number
  readonly worker: string
}

/** What appending needs from the store. */
export interface AppenderContext {
  readonly db: DatabaseSync
  readonly tables: Tables
  readonly leases: Leases
  readonly hints: HintListeners
  readonly now: () => Ms
}

/** Appends one commit inside the open transaction. */
export type Append = (request: AppendRequest, facts: FactsText, after: (effect: () => void) => void) => Receipt

const MAX_HEADS = 10_000

/** Prepares the statements of an append. */
export function createAppend(context: AppenderContext): Append {
  const { tables, leases, hints, now } = context
  const heads = new Map<ThreadId, Head>()
  const checks = createAppendChecks(tables)
  const effects = createAppendEffects(context.db, tables)
  const updateThread = createThreadUpdate(context.db)
  const findCommit = context.db.prepare('SELECT attempt, digest, at FROM log WHERE thread = ? AND sequence = ?')

  function findRepeated(record: ThreadRecord, request: AppendRequest, facts: FactsText): Receipt | null {
    const sequence = request.expectedSequence + 1
    if (record.head < sequence) return null
    const found = findCommit.get(record.no, sequence) as { readonly attempt: number; readonly digest: Digest; readonly at: Ms } | undefined
    if (found?.attempt !== request.attempt || found.digest !== facts.digest) return null
    const owned = record.attempt === request.attempt && record.owner !== null
    return { now: now(), ok: true, sequence, at: found.at, repeated: true, owned, fresh: tables.hasFresh(record.no) }
  }

  function write(head: Head, request: AppendRequest, facts: FactsText, after: (effect: () => void) => void): Receipt | null {
    const time = now()
    const at = Math.max(time, head.at)
    const sequence = head.sequence + 1
    if (!isPlain(request)) effects.inboxes(head, request, sequence, at)
    const fresh = tables.hasFresh(head.no)
    const released = request.then === 'release' && !fresh
    const next = toNext(head, request, at, released)
    const before = touchesRuns(request.facts, request.then) ? tables.row(head.no) : null
    if (!updateThread(head, next, request, released)) return null
    tables.insertCommit({ ...facts, thread: head.no, sequence, attempt: head.attempt, at, tree: head.tree, worker: head.worker })
    effects.records(head, request, sequence, before)
    leases.extend(head.worker, time, after)
    after(() => {
      if (released) heads.delete(request.thread)
      else remember(heads, request.thread, next)
      hints.tell(touchedBy(request))
    })
    return { now: time, ok: true, sequence, at, repeated: false, owned: !released, fresh }
  }

  function appendChecked(request: AppendRequest, facts: FactsText, after: (effect: () => void) => void): Receipt {
    const record = tables.thread(request.thread)
    if (record === undefined || record.tenant !== request.tenant) return { now: now(), ok: false, why: 'fenced', head: 0, attempt: 0 }
    const repeated = findRepeated(record, request, facts)
    if (repeated !== null) return repeated
    const refusal = checks.findRefusal(record, request)
    if (refusal !== null) return { now: now(), ok: false, ...refusal, head: record.head, attempt: record.attempt }
    return (
      write(toHead(record), request, facts, after) ?? { now: now(), ok: false, why: 'fenced', head: record.head, attempt: record.attempt }
    )
  }

  return (request, facts, after) => {
    const head = isPlain(request) ? heads.get(request.thread) : undefined
    const isNext = head?.tenant === request.tenant && head.attempt === request.attempt && head.sequence === request.expectedSequence
    const receipt = isNext ? write(head, request, facts, after) : null
    return receipt ?? appendChecked(request, facts, after)
  }
}

function touchedBy(request: AppendRequest): readonly ThreadId[] {
  if (request.send.length === 0 && request.spawn.length === 0) return [request.thread]
  return [request.thread, ...request.send.map((item) => item.thread), ...request.spawn.map((child) => child.id)]
}

/** Whether a commit touches nothing but its own thread's row and log. */
function isPlain(request: AppendRequest): boolean {
  return (
    request.consumed.length === 0 &&
    request.deferred.length === 0 &&
    request.send.length === 0 &&
    request.spawn.length === 0 &&
    request.open.length === 0 &&
    request.close.length === 0
  )
}

function toHead(record: ThreadRecord): Head {
  return { ...record, sequence: record.head, worker: record.owner ?? '' }
}

function toNext(head: Head, request: AppendRequest, at: Ms, released: boolean): Head {
  const idle = request.progress ? 0 : head.idle
  return {
    no: head.no,
    tenant: head.tenant,
    tree: head.tree,
    attempt: head.attempt,
    worker: head.worker,
    sequence: head.sequence + 1,
    at,
    idle: released ? Math.max(0, idle - 1) : idle,
    activity: toActivity(at),
    timer_at: toTimer(request.timer, at),
    status: request.row.status
  }
}

function remember(heads: Map<ThreadId, Head>, thread: ThreadId, head: Head): void {
  if (heads.size >= MAX_HEADS) heads.clear()
  heads.set(thread, head)
}

/** The fence. The id is part of it, because the number of a removed thread is given again. Columns with an index are named only when they change, because SQLite writes the index whenever they are named. */
function createThreadUpdate(db: DatabaseSync): (head: Head, next: Head, request: AppendRequest, released: boolean) => boolean {
  const fence = 'WHERE no = ? AND id = ? AND attempt = ? AND head = ? AND owner IS NOT NULL AND moved = 0'
  const few = db.prepare(`UPDATE thread SET head = ?, at = ?, idle = ?, row = ? ${fence}`)
  const all = db.prepare(
    `UPDATE thread SET head = ?, at = ?, idle = ?, row = ?, activity = ?, timer_at = ?, status = ?, owner = iif(?, NULL, owner) ${fence}`
  )
  return (head, next, request, released) => {
    const row = JSON.stringify(request.row)
    const same = !released && head.activity === next.activity && head.timer_at === next.timer_at && head.status === next.status
    const { changes } = same
      ? few.run(next.sequence, next.at, next.idle, row, head.no, request.thread, head.attempt, head.sequence)
      : all.run(
          next.sequence,
          next.at,
          next.idle,
          row,
          next.activity,
          next.timer_at,
          next.status,
          released ? 1 : 0,
          head.no,
          request.thread,
          head.attempt,
          head.sequence
        )
    return changes === 1
  }
}
