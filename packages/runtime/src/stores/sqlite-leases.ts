// A lease belongs to a worker (protocol §5) and is judged by the store's clock alone. A beat that comes too late ends it for good.

import type { DatabaseSync } from 'node:sqlite'
import type { Ms, ThreadId } from '../contracts/ids.ts'
import type { Beat } from '../contracts/claim.ts'

/** A row of `worker`. */
export interface LeaseRecord {
  readonly until: Ms
  readonly lease_ms: Ms
  readonly ended: number
}

/** The leases of workers; all run inside the open transaction. */
export interface Leases {
  find(worker: string): LeaseRecord | undefined
  /** What a commit does to its owner's lease: at most about once a second, so that few commits pay for it. */
  extend(worker: string, now: Ms, after: (effect: () => void) => void): void
  /** What a claim does. */
  renew(worker: string, leaseMs: Ms, now: Ms, after: (effect: () => void) => void): void
  /** Ends the lease that ran out under a thread which another worker takes. */
  end(thread: number, now: Ms): void
  beat(worker: string, leaseMs: Ms, mine: readonly ThreadId[], now: Ms, after: (effect: () => void) => void): Beat
}

const EXTENSION_MS = 1000
/** How long a lease that ran out is kept when its worker owns nothing: a beat that comes later finds all threads lost anyway. */
const KEPT_MS = 600_000

/** Prepares the statements of leases. */
export function createLeases(db: DatabaseSync): Leases {
  const select = db.prepare('SELECT until, lease_ms, ended FROM worker WHERE id = ?')
  const upsert = db.prepare(
    `INSERT INTO worker (id, until, lease_ms, ended) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET until = excluded.until, lease_ms = excluded.lease_ms, ended = excluded.ended`
  )
  const prolong = db.prepare('UPDATE worker SET until = max(until, ?) WHERE id = ? AND ended = 0')
  const purge = db.prepare(
    'DELETE FROM worker WHERE until < ? AND NOT EXISTS (SELECT 1 FROM thread WHERE owner = worker.id AND owner IS NOT NULL)'
  )
  const freshOf = db.prepare(
    `SELECT id FROM thread WHERE owner = ? AND owner IS NOT NULL
       AND EXISTS (SELECT 1 FROM item WHERE item.thread = thread.no AND state < 2 AND state = 0)`
  )
  const lostOf = db.prepare(
    'SELECT value AS id FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM thread WHERE thread.id = value AND owner = ?)'
  )
  const end = db.prepare(
    'UPDATE worker SET ended = 1, until = 0 WHERE until <= ? AND id = (SELECT owner FROM thread WHERE no = ? AND owner IS NOT NULL)'
  )
  const known = new Map<string, LeaseRecord>()

  const find: Leases['find'] = (worker) => select.get(worker) as LeaseRecord | undefined

  function write(worker: string, lease: LeaseRecord, after: (effect: () => void) => void): void {
    upsert.run(worker, lease.until, lease.lease_ms, lease.ended)
    after(() => known.set(worker, lease))
  }

  return {
    find,
    extend(worker, now, after) {
      const lease = known.get(worker) ?? find(worker)
      if (lease === undefined || lease.ended !== 0) return
      const until = now + lease.lease_ms
      if (until - lease.until < Math.min(EXTENSION_MS, lease.lease_ms / 3)) return
      prolong.run(until, worker)
      after(() => known.set(worker, { ...lease, until }))
    },
    renew(worker, leaseMs, now, after) {
      if (find(worker) === undefined) purge.run(now - KEPT_MS)
      write(worker, { until: now + leaseMs, lease_ms: leaseMs, ended: 0 }, after)
    },
    end(thread, now) {
      end.run(now, thread)
    },
    beat(worker, leaseMs, mine, now, after) {
      const lease = find(worker)
      const ended = lease !== undefined && (lease.ended !== 0 || lease.until <= now)
      write(worker, { until: ended ? 0 : now + leaseMs, lease_ms: leaseMs, ended: ended ? 1 : 0 }, after)
      return { now, alive: !ended, fresh: toIds(freshOf.all(worker)), lost: toIds(lostOf.all(JSON.stringify(mine), worker)) }
    }
  }
}

function toIds(rows: readonly { readonly [column: string]: unknown }[]): readonly ThreadId[] {
  return rows.map((row) => String(row['id']))
}
