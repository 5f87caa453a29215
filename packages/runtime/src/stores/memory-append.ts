// Keeps I3 (fence and sequence), I10 (an item is consumed once): everything is checked before anything is changed.
import type { ItemId, Ms, ThreadId, WaitId } from '../contracts/ids.ts'
import type { AppendRequest, NewItem, NewThread, Receipt } from '../contracts/store.ts'
import type { NewWait } from '../contracts/wait.ts'
import type { FactsText } from './facts-text.ts'
import { toFactsText } from './facts-text.ts'
import type { MemoryDatabase, MemoryThread } from './memory-database.ts'
import { addCommit, addItem, addThread, addWait, repinned, setFresh, setOwner, setTimer, tenantKey, toCopy } from './memory-database.ts'
import { assertAppendable, toTimer } from './append-rules.ts'
import { toRunRows, touchesRuns } from './run-rows.ts'
import { toBirthDigest } from './thread-birth.ts'
import { decisionItemId, isReservedItemId } from './wait-decision.ts'
import { closesCycle } from './wait-cycle.ts'

type Refusal = { readonly why: Extract<Receipt, { ok: false }>['why']; readonly waits?: readonly WaitId[] }

/** Appends one commit, or says why not. */
export function appendTo(db: MemoryDatabase, request: AppendRequest): Receipt {
  assertAppendable(request)
  const facts = toFactsText(request.thread, request.facts)
  const now = db.clock.now()
  const thread = db.threads.get(request.thread)
  if (thread === undefined || thread.tenant !== request.tenant) return { now, ok: false, why: 'fenced', head: 0, attempt: 0 }
  const repeated = toRepeated(thread, request, facts, now)
  if (repeated !== null) return repeated
  const refusal = findRefusal(db, thread, request)
  if (refusal !== null) return { now, ok: false, ...refusal, head: thread.commits.length, attempt: thread.attempt }
  const at = Math.max(now, thread.at)
  commit(db, thread, request, facts, at)
  extendLease(db, thread, now)
  if (request.then === 'release' && thread.fresh === 0) release(db, thread)
  db.hints.tell([request.thread, ...request.send.map((item) => item.thread), ...request.spawn.map((child) => child.id)])
  return { now, ok: true, sequence: thread.commits.length, at, repeated: false, owned: thread.owner !== null, fresh: thread.fresh > 0 }
}

function toRepeated(thread: MemoryThread, request: AppendRequest, facts: FactsText, now: Ms): Receipt | null {
  const existing = thread.commits[request.expectedSequence]
  if (existing === undefined || existing.attempt !== request.attempt || existing.digest !== facts.digest) return null
  const owned = thread.attempt === request.attempt && thread.owner !== null
  return { now, ok: true, sequence: existing.sequence, at: existing.at, repeated: true, owned, fresh: thread.fresh > 0 }
}

function findRefusal(db: MemoryDatabase, thread: MemoryThread, request: AppendRequest): Refusal | null {
  if (thread.moved) return { why: 'moved' }
  if (thread.attempt !== request.attempt || thread.owner === null) return { why: 'fenced' }
  if (thread.commits.length !== request.expectedSequence) return { why: 'sequence' }
  const decided = request.close.filter((id) => isUnreadDecision(db, thread, request, id))
  if (decided.length > 0) return { why: 'decided', waits: decided }
  const cycles = request.open.filter((wait) => closesCycle(thread.id, wait, (target) => targetsOf(db, target))).map((wait) => wait.id)
  if (cycles.length > 0) return { why: 'wait_cycle', waits: cycles }
  return isConsistent(db, thread, request) ? null : { why: 'conflict' }
}

function isUnreadDecision(db: MemoryDatabase, thread: MemoryThread, request: AppendRequest, id: WaitId): boolean {
  const item = decisionItemId(id)
  return db.waits.get(id)?.row.state === 'decided' && thread.pending.has(item) && !request.consumed.includes(item)
}

function targetsOf(db: MemoryDatabase, thread: ThreadId): readonly ThreadId[] {
  return [...db.unclosed.values()].flatMap(({ row }) => (row.thread === thread && row.state === 'open' ? (row.targets ?? []) : []))
}

function isConsistent(db: MemoryDatabase, thread: MemoryThread, request: AppendRequest): boolean {
  return (
    new Set(request.consumed).size === request.consumed.length &&
    request.consumed.every((id) => thread.pending.has(id)) &&
    request.spawn.every((child) => canSpawn(db, thread, child)) &&
    request.send.every((item) => canSend(db, thread, request.spawn, item)) &&
    request.open.every((wait) => canOpen(db, thread, wait))
  )
}

function canSpawn(db: MemoryDatabase, thread: MemoryThread, child: NewThread): boolean {
  if (child.tenant !== thread.tenant || child.root !== thread.root) return false
  const keyed = child.key === undefined ? undefined : db.keys.get(tenantKey(child.tenant, child.key))
  const existing = db.threads.get(keyed ?? child.id)
  return existing === undefined || (existing.id === child.id && existing.birth === toBirthDigest(child) && existing.key === child.key)
}

function canSend(db: MemoryDatabase, thread: MemoryThread, spawn: readonly NewThread[], item: NewItem): boolean {
  if (isReservedItemId(item.id)) return false
  const target = db.threads.get(item.thread)
  if (target === undefined) return spawn.some((child) => child.id === item.thread)
  if (target.tenant !== thread.tenant || target.root !== thread.root || target.moved) return false
  return (target.known.get(item.id)?.digest ?? item.digest) === item.digest
}

function canOpen(db: MemoryDatabase, thread: MemoryThread, wait: NewWait): boolean {
  const existing = db.waits.get(wait.id)
  return wait.thread === thread.id && (existing === undefined || (existing.row.thread === thread.id && existing.row.digest === wait.digest))
}

function commit(db: MemoryDatabase, thread: MemoryThread, request: AppendRequest, facts: FactsText, at: Ms): void {
  addCommit(db, thread, facts, { at })
  for (const child of request.spawn) if (!db.threads.has(child.id)) addThread(db, child, at)
  for (const id of request.consumed) consume(db, thread, id)
  for (const id of request.deferred) defer(db, thread, id)
  for (const item of request.send) addItem(db, db.threads.get(item.thread) ?? thread, item, at)
  for (const id of request.close) closeWait(db, thread, id)
  for (const wait of request.open) addWait(db, thread.tenant, wait, at)
  if (touchesRuns(request.facts, request.then)) {
    for (const run of toRunRows(thread.id, thread.commits.length, request.facts, request.row, thread.row))
      thread.runs.set(run.run, toCopy(run))
  }
  for (const digest of request.artifacts) thread.artifacts.add(digest)
  thread.row = toCopy(request.row)
  thread.publication = repinned(request.facts) ?? thread.publication
  thread.moved = request.facts.some((fact) => fact.type === 'thread.moved')
  if (request.progress) thread.idle = 0
  setTimer(db, thread, toTimer(request.timer, at))
}

function consume(db: MemoryDatabase, thread: MemoryThread, id: ItemId): void {
  const item = thread.pending.get(id)
  thread.pending.delete(id)
  const known = thread.known.get(id)
  if (known !== undefined) known.takenIn = thread.commits.length
  if (item?.state === 'fresh') setFresh(db, thread, thread.fresh - 1)
}

function defer(db: MemoryDatabase, thread: MemoryThread, id: ItemId): void {
  const item = thread.pending.get(id)
  if (item?.state !== 'fresh') return
  thread.pending.set(id, { ...item, state: 'deferred' })
  setFresh(db, thread, thread.fresh - 1)
}

function closeWait(db: MemoryDatabase, thread: MemoryThread, id: WaitId): void {
  const wait = db.waits.get(id)
  if (wait === undefined || wait.row.thread !== thread.id) return
  wait.row = { ...wait.row, state: 'closed' }
  db.unclosed.delete(id)
}

function release(db: MemoryDatabase, thread: MemoryThread): void {
  setOwner(db, thread, null)
  thread.idle = Math.max(0, thread.idle - 1)
}

function extendLease(db: MemoryDatabase, thread: MemoryThread, now: Ms): void {
  const lease = thread.owner === null ? undefined : db.leases.get(thread.owner)
  if (lease !== undefined && !lease.ended) lease.until = Math.max(lease.until, now + lease.ms)
}
