import type { ThreadId, WaitId } from '../contracts/ids.ts'
import type { AppendRequest, NewItem, NewThread, Receipt } from '../contracts/store.ts'
import type { NewWait } from '../contracts/wait.ts'
import type { Tables, ThreadRecord } from './sqlite-tables.ts'
import { CONSUMED } from './sqlite-tables.ts'
import { toBirthDigest } from './thread-birth.ts'
import { decisionItemId, isReservedItemId } from './wait-decision.ts'
import { closesCycle } from './wait-cycle.ts'

/** Why an append is refused. */
export type Refusal = { readonly why: Extract<Receipt, { ok: false }>['why']; readonly waits?: readonly WaitId[] }

/** The checks of an append, in their order; they only read. */
export interface AppendChecks {
  findRefusal(record: ThreadRecord, request: AppendRequest): Refusal | null
}

/** Makes the checks over the shared statements. */
export function createAppendChecks(tables: Tables): AppendChecks {
  return {
    findRefusal(record, request) {
      if (record.moved !== 0) return { why: 'moved' }
      if (record.attempt !== request.attempt || record.owner === null) return { why: 'fenced' }
      if (record.head !== request.expectedSequence) return { why: 'sequence' }
      const decided = request.close.filter((id) => isUnreadDecision(tables, record, request, id))
      if (decided.length > 0) return { why: 'decided', waits: decided }
      const cycles = request.open
        .filter((wait) => closesCycle(record.id, wait, (target) => targetsOf(tables, target)))
        .map((wait) => wait.id)
      if (cycles.length > 0) return { why: 'wait_cycle', waits: cycles }
      return isConsistent(tables, record, request) ? null : { why: 'conflict' }
    }
  }
}

function isUnreadDecision(tables: Tables, record: ThreadRecord, request: AppendRequest, id: WaitId): boolean {
  const item = decisionItemId(id)
  return tables.wait(id)?.row.state === 'decided' && isPending(tables, record, item) && !request.consumed.includes(item)
}

function isPending(tables: Tables, record: ThreadRecord, id: string): boolean {
  const state = tables.item(record.no, id)?.state
  return state !== undefined && state !== CONSUMED
}

function targetsOf(tables: Tables, thread: ThreadId): readonly ThreadId[] {
  return tables.openWaits(thread).flatMap((row) => row.targets ?? [])
}

function isConsistent(tables: Tables, record: ThreadRecord, request: AppendRequest): boolean {
  return (
    new Set(request.consumed).size === request.consumed.length &&
    request.consumed.every((id) => isPending(tables, record, id)) &&
    request.spawn.every((child) => canSpawn(tables, record, child)) &&
    request.send.every((item) => canSend(tables, record, request.spawn, item)) &&
    request.open.every((wait) => canOpen(tables, record, wait))
  )
}

function canSpawn(tables: Tables, record: ThreadRecord, child: NewThread): boolean {
  if (child.tenant !== record.tenant || child.root !== record.root) return false
  const keyed = child.key === undefined ? undefined : tables.threadByKey(child.tenant, child.key)
  const existing = keyed ?? tables.thread(child.id)
  if (existing === undefined) return true
  return existing.id === child.id && existing.key === (child.key ?? null) && existing.birth === toBirthDigest(child)
}

function canSend(tables: Tables, record: ThreadRecord, spawn: readonly NewThread[], item: NewItem): boolean {
  if (isReservedItemId(item.id)) return false
  const target = tables.thread(item.thread)
  if (target === undefined) return spawn.some((child) => child.id === item.thread)
  if (target.tenant !== record.tenant || target.root !== record.root || target.moved !== 0) return false
  return (tables.item(target.no, item.id)?.digest ?? item.digest) === item.digest
}

function canOpen(tables: Tables, record: ThreadRecord, wait: NewWait): boolean {
  const existing = tables.wait(wait.id)?.row
  return wait.thread === record.id && (existing === undefined || (existing.thread === record.id && existing.digest === wait.digest))
}
