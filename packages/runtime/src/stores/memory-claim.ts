// Keeps I18 and the lease rules of protocol §5: a lease belongs to a worker; the store's clock alone judges it.
import type { Ms, ThreadId } from '../contracts/ids.ts'
import type { Beat, Claim, ClaimRequest } from '../contracts/claim.ts'
import type { MemoryDatabase, MemoryThread } from './memory-database.ts'
import { liveUntil, setOwner } from './memory-database.ts'
import { mayTakeOver } from './takeover.ts'

type Ready = { readonly thread: MemoryThread; readonly why: Claim['why']; readonly since: Ms }

/** Hands out ready threads, those that have waited longest first. */
export function claimFrom(db: MemoryDatabase, request: ClaimRequest): readonly Claim[] {
  const now = db.clock.now()
  if (db.leases.get(request.worker)?.ended === true) return []
  const ready = candidates(db, request)
    .map((thread) => judgeReady(db, thread, request, now))
    .filter((found) => found !== null)
    .sort((a, b) => a.since - b.since)
    .slice(0, request.max)
  if (ready.length > 0) db.leases.set(request.worker, { until: now + request.leaseMs, ms: request.leaseMs, ended: false })
  return ready.map(({ thread, why }) => take(db, thread, request.worker, why, now))
}

/** Extends a worker's lease. */
export function beatOf(db: MemoryDatabase, worker: string, leaseMs: Ms, mine: readonly ThreadId[]): Beat {
  const now = db.clock.now()
  const lease = db.leases.get(worker)
  const ended = lease !== undefined && (lease.ended || lease.until <= now)
  db.leases.set(worker, { until: ended ? 0 : now + leaseMs, ms: leaseMs, ended })
  const fresh = [...db.withFresh].filter((id) => db.threads.get(id)?.owner === worker)
  return { now, alive: !ended, fresh, lost: mine.filter((id) => db.threads.get(id)?.owner !== worker) }
}

function candidates(db: MemoryDatabase, request: ClaimRequest): readonly MemoryThread[] {
  const ids = request.only ?? new Set([...db.withOwner, ...db.withTimer, ...db.withFresh])
  const not = new Set(request.not)
  const threads: MemoryThread[] = []
  for (const id of new Set(ids)) {
    const thread = db.threads.get(id)
    if (thread !== undefined && !thread.moved && !not.has(id) && canDrive(thread, request.can)) threads.push(thread)
  }
  return threads
}

function canDrive(thread: MemoryThread, can: ClaimRequest['can']): boolean {
  return thread.format <= can.format && thread.row.needs.every((need) => can.needs.includes(need))
}

function judgeReady(db: MemoryDatabase, thread: MemoryThread, request: ClaimRequest, now: Ms): Ready | null {
  if (thread.owner !== null) return judgeOwned(db, thread, request, now)
  const [first] = thread.fresh > 0 ? [...thread.pending.values()].filter((item) => item.state === 'fresh') : []
  if (first !== undefined) return { thread, why: 'items', since: first.at }
  if (thread.timerAt !== null && thread.timerAt <= now) return { thread, why: 'timer', since: thread.timerAt }
  return null
}

function judgeOwned(db: MemoryDatabase, thread: MemoryThread, request: ClaimRequest, now: Ms): Ready | null {
  const until = liveUntil(db, thread, now)
  // An own thread that the worker does not drive was claimed by a call whose answer was lost, or given up: it comes first.
  if (thread.owner === request.worker) return { thread, why: 'expired', since: 0 }
  if (until === null) return { thread, why: 'expired', since: thread.at }
  return mayTakeOver(request, thread.owner) && request.only !== undefined ? { thread, why: 'takeover', since: thread.at } : null
}

function take(db: MemoryDatabase, thread: MemoryThread, worker: string, why: Claim['why'], now: Ms): Claim {
  if (why === 'expired' && thread.owner !== null && thread.owner !== worker) endLease(db, thread.owner)
  const idle = thread.idle
  setOwner(db, thread, worker)
  thread.attempt += 1
  thread.idle += 1
  return { tenant: thread.tenant, thread: thread.id, attempt: thread.attempt, sequence: thread.commits.length, now, why, idle }
}

/** Whoever lost a thread must not get its lease back by a claim or a commit for another one: it would go on to start what it lost. */
function endLease(db: MemoryDatabase, worker: string): void {
  const lease = db.leases.get(worker)
  if (lease !== undefined) db.leases.set(worker, { ...lease, until: 0, ended: true })
}
