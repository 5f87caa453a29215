import type { DatabaseSync } from 'node:sqlite'
import type { Json } from '../contracts/json.ts'
import type { Ms, Principal, ThreadId, WaitId } from '../contracts/ids.ts'
import type { Publication } from '../contracts/publication.ts'
import type { AcceptedItem, InboxItem, NewItem, NewThread } from '../contracts/store.ts'
import type { Decided } from '../contracts/wait.ts'
import type { Tables } from './sqlite-tables.ts'
import { CONSUMED } from './sqlite-tables.ts'
import { birthConflict, toBirthDigest } from './thread-birth.ts'
import { isReservedItemId, judgeDecision } from './wait-decision.ts'

/** What other parties write: births, items, decisions, publications. All run inside the open transaction. */
export interface Inbox {
  publish(publication: Publication, now: Ms): void
  create(thread: NewThread, now: Ms): { readonly created: boolean; readonly thread: ThreadId }
  deliver(item: NewItem, now: Ms): 'queued' | 'repeated' | 'conflict' | 'refused'
  /** Gives the thread that got an item, too. */
  decide(wait: WaitId, decision: Json, by: Principal, now: Ms): { readonly answer: Decided; readonly woken: readonly ThreadId[] }
  pending(thread: ThreadId): readonly InboxItem[]
  items(thread: ThreadId): readonly AcceptedItem[]
}

interface ItemRecord {
  readonly id: string
  readonly state: number
  readonly at: Ms
  readonly digest: string
  readonly kind: InboxItem['kind']
  readonly scope: string | null
  readonly sender: string
  readonly body: string
  readonly taken_in: number | null
}

/** Prepares the statements of the inbox. */
export function createInbox(db: DatabaseSync, tables: Tables): Inbox {
  const publish = db.prepare('INSERT INTO publication (digest, definition, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const ofThread = `SELECT i.id, i.state, i.at, i.digest, i.kind, i.scope, i.sender, i.body, i.taken_in
    FROM thread AS t JOIN item AS i ON i.thread = t.no WHERE t.id = ?`
  const pending = db.prepare(`${ofThread} AND i.state < 2 ORDER BY i.no`)
  const items = db.prepare(`${ofThread} ORDER BY i.no`)
  return {
    publish(publication, now) {
      publish.run(publication.digest, JSON.stringify(publication.definition), now)
    },
    create(thread, now) {
      const keyed = thread.key === undefined ? undefined : tables.threadByKey(thread.tenant, thread.key)
      const existing = keyed ?? tables.thread(thread.id)
      if (existing === undefined) {
        tables.insertThread(thread, now)
        return { created: true, thread: thread.id }
      }
      const isSame = existing.tenant === thread.tenant && existing.key === (thread.key ?? null) && existing.birth === toBirthDigest(thread)
      if (!isSame) throw birthConflict(thread, existing.id)
      return { created: false, thread: existing.id }
    },
    deliver(item, now) {
      const thread = tables.thread(item.thread)
      if (thread === undefined) return 'refused'
      const known = tables.item(thread.no, item.id)
      if (known !== undefined) return known.digest === item.digest ? 'repeated' : 'conflict'
      if (thread.moved !== 0 || isReservedItemId(item.id)) return 'refused'
      tables.insertItem(thread.no, item, now)
      return 'queued'
    },
    decide(id, decision, by, now) {
      const found = tables.wait(id)
      if (found === undefined) return { answer: { state: 'unknown' }, woken: [] }
      const { answer, wait, item } = judgeDecision(found.row, decision, by, now)
      if (wait !== undefined) tables.updateWait(found.no, wait)
      const thread = item === undefined ? undefined : tables.thread(item.thread)
      if (item === undefined || thread === undefined) return { answer, woken: [] }
      tables.insertItem(thread.no, item, now)
      return { answer, woken: [thread.id] }
    },
    pending: (thread) => (pending.all(thread) as unknown as readonly ItemRecord[]).map((record) => toItem(thread, record)),
    items: (thread) => (items.all(thread) as unknown as readonly ItemRecord[]).map((record) => toAccepted(thread, record))
  }
}

function toItem(thread: ThreadId, record: ItemRecord): InboxItem {
  return { ...toKnown(thread, record), body: JSON.parse(record.body), state: record.state === 0 ? 'fresh' : 'deferred' }
}

function toAccepted(thread: ThreadId, record: ItemRecord): AcceptedItem {
  if (record.state !== CONSUMED) return { ...toItem(thread, record) }
  return { ...toKnown(thread, record), state: 'consumed', takenIn: record.taken_in ?? 0 }
}

function toKnown(thread: ThreadId, { id, kind, sender, at, scope, digest }: ItemRecord): Omit<InboxItem, 'body' | 'state'> {
  return { id, thread, kind, from: JSON.parse(sender), at, ...(scope === null ? {} : { scope }), digest }
}
