import type { Clock } from '../contracts/clock.ts'
import { HoldfastError } from '../contracts/errors.ts'
import { assertKnownOptions } from '../contracts/known-options.ts'
import type { Json } from '../contracts/json.ts'
import type { Principal, WaitId } from '../contracts/ids.ts'
import type { NewItem, NewThread, Store } from '../contracts/store.ts'
import type { Decided } from '../contracts/wait.ts'
import { toBodyText } from './facts-text.ts'
import { createHintListeners } from './hint-listeners.ts'
import { appendTo } from './memory-append.ts'
import { beatOf, claimFrom } from './memory-claim.ts'
import type { Once } from './memory-artifacts.ts'
import { listArtifactUses, memoryArtifacts } from './memory-artifacts.ts'
import type { MemoryDatabase } from './memory-database.ts'
import { addItem, addThread, tenantKey, toCopy } from './memory-database.ts'
import { listItems, listThreads, listWaits, readFeed, readLog, toThreadInfo } from './memory-queries.ts'
import { importInto, removeFrom } from './memory-transfer.ts'
import { birthConflict, toBirthDigest } from './thread-birth.ts'
import { isReservedItemId, judgeDecision } from './wait-decision.ts'

/** A store that lives and dies with this process: for tests, demos and runs that need not survive. */
export function memoryStore(options: { readonly clock?: Pick<Clock, 'now'> } = {}): Store {
  assertKnownOptions('memoryStore', options, { clock: true })
  const db = createDatabase(options.clock ?? { now: () => Date.now() })
  let isClosed = false
  // Every method is one synchronous step, so it is atomic; what it throws reaches the caller as a rejection.
  const once: Once = <Arguments extends readonly unknown[], Result>(step: (...given: Arguments) => Result) => {
    return async (...given: Arguments): Promise<Result> => {
      if (isClosed) throw new HoldfastError('store_closed', 'The memory store has been closed. Make a new one.')
      return step(...given)
    }
  }
  return {
    durability: 'none',
    artifacts: memoryArtifacts(db.clock, once),
    artifactUses: once((tenant, digests, options = {}) => listArtifactUses(db, tenant, digests, options.thread)),
    publish: once((publication) => {
      if (!db.publications.has(publication.digest)) db.publications.set(publication.digest, toCopy(publication))
    }),
    publication: once((digest) => db.publications.get(digest) ?? null),
    create: once((thread) => createIn(db, thread)),
    append: once((request) => appendTo(db, request)),
    deliver: once((items) => deliverTo(db, items)),
    decide: once((wait, decision, by) => decideIn(db, wait, decision, by)),
    beat: once((worker, leaseMs, mine) => beatOf(db, worker, leaseMs, mine)),
    claim: once((request) => claimFrom(db, request)),
    import: once((thread) => importInto(db, thread)),
    remove: once((thread, options) => removeFrom(db, thread, options)),
    pending: once((thread) => [...(db.threads.get(thread)?.pending.values() ?? [])]),
    items: once((thread) => listItems(db, thread)),
    read: once((thread, from, limitBytes) => readLog(db, thread, from, limitBytes)),
    follow: once((filter, after, limit) => readFeed(db, filter, after, limit)),
    hint: (listener) => db.hints.add(listener),
    thread: once((id) => {
      const thread = db.threads.get(id)
      return thread === undefined ? null : toThreadInfo(db, thread)
    }),
    threads: once((query) => listThreads(db, query)),
    runs: once((thread) => [...(db.threads.get(thread)?.runs.values() ?? [])]),
    waits: once((query) => listWaits(db, query)),
    wait: once((id) => db.waits.get(id)?.row ?? null),
    async [Symbol.asyncDispose]() {
      isClosed = true
    }
  }
}

function createDatabase(clock: Pick<Clock, 'now'>): MemoryDatabase {
  return {
    clock,
    hints: createHintListeners(),
    threads: new Map(),
    keys: new Map(),
    feed: [],
    waits: new Map(),
    unclosed: new Map(),
    publications: new Map(),
    leases: new Map(),
    withFresh: new Set(),
    withTimer: new Set(),
    withOwner: new Set(),
    waitsOpened: 0
  }
}

function createIn(db: MemoryDatabase, thread: NewThread): { readonly created: boolean; readonly thread: string } {
  const keyed = thread.key === undefined ? undefined : db.keys.get(tenantKey(thread.tenant, thread.key))
  const existing = db.threads.get(keyed ?? thread.id)
  if (existing === undefined && !db.threads.has(thread.id)) {
    addThread(db, thread, db.clock.now())
    db.hints.tell([thread.id])
    return { created: true, thread: thread.id }
  }
  if (
    existing === undefined ||
    existing.tenant !== thread.tenant ||
    existing.key !== thread.key ||
    existing.birth !== toBirthDigest(thread)
  ) {
    throw birthConflict(thread, existing?.id ?? thread.id)
  }
  return { created: false, thread: existing.id }
}

function deliverTo(db: MemoryDatabase, items: readonly NewItem[]): readonly ('queued' | 'repeated' | 'conflict' | 'refused')[] {
  for (const item of items) toBodyText(item)
  const now = db.clock.now()
  const results = items.map((item) => {
    const thread = db.threads.get(item.thread)
    const known = thread?.known.get(item.id)
    if (thread !== undefined && known !== undefined) return known.digest === item.digest ? 'repeated' : 'conflict'
    if (thread === undefined || thread.moved || isReservedItemId(item.id)) return 'refused'
    addItem(db, thread, item, now)
    return 'queued'
  })
  db.hints.tell(items.filter((_, index) => results[index] === 'queued').map((item) => item.thread))
  return results
}

function decideIn(db: MemoryDatabase, id: WaitId, decision: Json, by: Principal): Decided {
  const wait = db.waits.get(id)
  if (wait === undefined) return { state: 'unknown' }
  const now = db.clock.now()
  const judgement = judgeDecision(wait.row, decision, by, now)
  if (judgement.wait !== undefined) wait.row = toCopy(judgement.wait)
  const thread = db.threads.get(wait.row.thread)
  if (judgement.item !== undefined && thread !== undefined) {
    addItem(db, thread, judgement.item, now)
    db.hints.tell([thread.id])
  }
  return judgement.answer
}
