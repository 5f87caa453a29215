// Ready is a level, judged by queries over partial indexes; nobody writes a thread's wake-up but its owner (protocol §4).

import type { DatabaseSync } from 'node:sqlite'
import type { Ms } from '../contracts/ids.ts'
import type { Claim, ClaimRequest } from '../contracts/claim.ts'
import type { Leases } from './sqlite-leases.ts'
import { mayTakeOver } from './takeover.ts'

/** A thread that may be claimed. */
export interface Ready {
  readonly no: number
  readonly why: Claim['why']
  readonly since: Ms
}

/** Looks for ready threads, and takes them inside the open transaction. */
export interface Claims {
  find(request: ClaimRequest, now: Ms): readonly Ready[]
  take(request: ClaimRequest, now: Ms, after: (effect: () => void) => void): readonly Claim[]
}

interface Judged {
  readonly owner: string | null
  readonly until: Ms | null
  readonly timer_at: Ms | null
  readonly at: Ms
  readonly fresh_at: Ms | null
}

const DRIVABLE = `t.moved = 0 AND t.format <= :format AND t.id NOT IN (SELECT value FROM json_each(:not))
  AND NOT EXISTS (SELECT 1 FROM json_each(t.row, '$.needs') AS need WHERE need.value NOT IN (SELECT value FROM json_each(:needs)))`

const NAMED = `SELECT t.no FROM json_each(:only) AS asked JOIN thread AS t ON t.id = asked.value WHERE ${DRIVABLE}`

// CROSS JOIN keeps the order of arrival, so that the scan ends at the limit. The first fresh item speaks for its thread.
const WITH_ITEMS = `SELECT t.no FROM item AS i CROSS JOIN thread AS t ON t.no = i.thread
  WHERE i.state = 0 AND t.owner IS NULL AND ${DRIVABLE}
    AND NOT EXISTS (SELECT 1 FROM item AS e WHERE e.thread = i.thread AND e.state < 2 AND e.state = 0 AND e.no < i.no)
  ORDER BY i.no LIMIT :max`

const WITH_TIMER = `SELECT t.no FROM thread AS t
  WHERE t.timer_at IS NOT NULL AND t.owner IS NULL AND t.timer_at <= :now AND ${DRIVABLE} ORDER BY t.timer_at LIMIT :max`

const WITHOUT_LIFE = `SELECT t.no FROM worker AS w CROSS JOIN thread AS t ON t.owner = w.id
  WHERE (w.until <= :now OR w.id = :worker) AND t.owner IS NOT NULL AND ${DRIVABLE} LIMIT :max`

const JUDGE = `SELECT t.owner, w.until, t.timer_at, t.at,
    (SELECT min(i.at) FROM item AS i WHERE i.thread = t.no AND i.state < 2 AND i.state = 0) AS fresh_at
  FROM thread AS t LEFT JOIN worker AS w ON w.id = t.owner WHERE t.no = ?`

const MAX_CLAIMS = 10_000

/** Prepares the statements of claims. */
export function createClaims(db: DatabaseSync, leases: Leases): Claims {
  const named = db.prepare(NAMED)
  const anys = [WITH_ITEMS, WITH_TIMER, WITHOUT_LIFE].map((text) => {
    const statement = db.prepare(text)
    statement.setAllowUnknownNamedParameters(true)
    return statement
  })
  const judge = db.prepare(JUDGE)
  const own = db.prepare(
    'UPDATE thread SET owner = ?, attempt = attempt + 1, idle = idle + 1 WHERE no = ? RETURNING tenant, id, attempt, head, idle - 1 AS idle'
  )

  function candidates(request: ClaimRequest, now: Ms): ReadonlySet<number> {
    const can = { format: request.can.format, needs: JSON.stringify(request.can.needs), not: JSON.stringify(request.not) }
    const rows =
      request.only === undefined
        ? anys.flatMap((statement) => statement.all({ ...can, now, worker: request.worker, max: Math.min(request.max, MAX_CLAIMS) }))
        : named.all({ ...can, only: JSON.stringify(request.only) })
    return new Set(rows.map((row) => Number(row['no'])))
  }

  const find: Claims['find'] = (request, now) => {
    if (leases.find(request.worker)?.ended === 1) return []
    const ready: Ready[] = []
    for (const no of candidates(request, now)) {
      const why = judgeReady(judge.get(no) as Judged | undefined, request, now)
      if (why !== null) ready.push({ no, ...why })
    }
    return ready.sort((a, b) => a.since - b.since).slice(0, request.max)
  }

  return {
    find,
    take(request, now, after) {
      const ready = find(request, now)
      if (ready.length > 0) leases.renew(request.worker, request.leaseMs, now, after)
      return ready.map(({ no, why }) => {
        // Its own lease has just been renewed: only that of another worker has run out.
        if (why === 'expired') leases.end(no, now)
        const row = own.get(request.worker, no) as { tenant: string; id: string; attempt: number; head: number; idle: number }
        return { tenant: row.tenant, thread: row.id, attempt: row.attempt, sequence: row.head, now, why, idle: row.idle }
      })
    }
  }
}

function judgeReady(thread: Judged | undefined, request: ClaimRequest, now: Ms): Omit<Ready, 'no'> | null {
  if (thread === undefined) return null
  if (thread.owner !== null) return judgeOwned(thread, request, now)
  if (thread.fresh_at !== null) return { why: 'items', since: thread.fresh_at }
  if (thread.timer_at !== null && thread.timer_at <= now) return { why: 'timer', since: thread.timer_at }
  return null
}

function judgeOwned(thread: Judged, request: ClaimRequest, now: Ms): Omit<Ready, 'no'> | null {
  // An own thread that the worker does not drive was claimed by a call whose answer was lost, or given up: it comes first.
  if (thread.owner === request.worker) return { why: 'expired', since: 0 }
  if (thread.until === null || thread.until <= now) return { why: 'expired', since: thread.at }
  // Without `only` a thread of a live owner is never looked at.
  return mayTakeOver(request, thread.owner) ? { why: 'takeover', since: thread.at } : null
}
