import type { DatabaseSync } from 'node:sqlite'
import type { ArtifactStore } from '../contracts/artifact.ts'
import type { Clock } from '../contracts/clock.ts'
import { HoldfastError } from '../contracts/errors.ts'
import type { Ms } from '../contracts/ids.ts'
import type { OptionNames } from '../contracts/known-options.ts'
import { assertKnownOptions } from '../contracts/known-options.ts'
import type { Store } from '../contracts/store.ts'
import { digestBytes } from '../util/canonical.ts'
import { assertAppendable } from './append-rules.ts'
import { retryBusy } from './busy-retry.ts'
import { toBodyText, toFactsText } from './facts-text.ts'
import type { GroupCommit, GroupCommitOptions, Job, JobOptions } from './group-commit.ts'
import { createGroupCommit } from './group-commit.ts'
import { toImportedTexts } from './imported-thread.ts'
import { createAppend } from './sqlite-append.ts'
import { createArtifactTable } from './sqlite-artifacts.ts'
import { createClaims } from './sqlite-claim.ts'
import { openSqliteFile } from './sqlite-file.ts'
import { createSqliteHints } from './sqlite-hints.ts'
import { createInbox } from './sqlite-inbox.ts'
import { createLeases } from './sqlite-leases.ts'
import { createSqliteLog } from './sqlite-log.ts'
import { createImports } from './sqlite-import.ts'
import { createSqliteQueries } from './sqlite-queries.ts'
import { createRemovals } from './sqlite-removal.ts'
import { SCHEMA_VERSION } from './sqlite-schema.ts'
import { createTables } from './sqlite-tables.ts'

/** How a SQLite store is opened. */
export interface SqliteStoreOptions {
  /** `power` (default): every commit from which something outside may follow is synced before it does, and what is answered is. `process`: a power cut may lose the last commits, the end of a process none. */
  readonly durability?: 'power' | 'process'
  readonly clock?: Pick<Clock, 'now'>
  /** How long a call waits for other processes that hold the file locked, before `store_unavailable`. Default 30,000. */
  readonly busyTimeoutMs?: Ms
}

const NAMES: OptionNames<SqliteStoreOptions> = { durability: true, clock: true, busyTimeoutMs: true }

/**
 * Opens the embedded store on a file, which it makes when there is none. It is closed by `await using`, or by `store[Symbol.asyncDispose]()` when every
 * runtime over it is closed. Throws `invalid_input` for what is no path, and for options that it does not have.
 */
export async function sqliteStore(path: string, options: SqliteStoreOptions = {}): Promise<Store> {
  assertKnownOptions('sqliteStore', options, NAMES)
  const { durability = 'power', busyTimeoutMs = 30_000 } = options
  assertDurability(durability)
  assertPath(path)
  const db = await openSqliteFile(path, { durability, busyTimeoutMs })
  const clock = options.clock ?? { now: () => Date.now() }
  const access = createAccess(db, { path, busyTimeoutMs, syncs: durability === 'power', schemaVersion: SCHEMA_VERSION })
  const parts = createParts(db, () => Math.round(clock.now()))
  return {
    durability,
    ...createWrites(access, parts),
    ...createReads(access, parts),
    artifacts: createArtifacts(access, parts),
    hint: (listener) => parts.hints.listeners.add(listener),
    async [Symbol.asyncDispose]() {
      await access.close()
      parts.hints.close()
      if (db.isOpen) db.close()
    }
  }
}

/** What means something else than a file to SQLite, which would be looked for in another place than where it was made. */
function assertPath(path: unknown): void {
  if (typeof path === 'string' && path !== '' && path !== ':memory:' && !path.startsWith('file:')) return
  const found = typeof path === 'string' ? JSON.stringify(path.slice(0, 100)) : typeof path
  throw new HoldfastError('invalid_input', `sqliteStore takes the path of a file, but got ${found}; memoryStore() keeps threads in memory`)
}

/** What is no level would be the lower one. */
function assertDurability(durability: unknown): void {
  if (durability === 'power' || durability === 'process') return
  throw new HoldfastError('invalid_input', `sqliteStore: \`durability\` must be power or process, but is ${JSON.stringify(durability)}`, {
    details: { option: 'durability' }
  })
}

type Parts = ReturnType<typeof createParts>

type Reads = Pick<
  Store,
  'publication' | 'pending' | 'items' | 'read' | 'follow' | 'thread' | 'threads' | 'runs' | 'waits' | 'wait' | 'artifactUses'
>

/** The two ways to the file: a step of the next write transaction, and a step that only reads. */
interface Access {
  write<Result>(job: Job<Result>, options?: JobOptions): Promise<Result>
  read<Result>(step: () => Result): Promise<Result>
  /** Lets what was asked finish and refuses what comes later. */
  close(): Promise<void>
}

function createAccess(db: DatabaseSync, options: GroupCommitOptions): Access {
  const { path, busyTimeoutMs } = options
  const commits: GroupCommit = createGroupCommit(db, options)
  let closing: Promise<void> | null = null
  const closed = () => new HoldfastError('store_closed', `The store ${path} has been closed. Open it again.`, { details: { path } })
  return {
    write: (job, jobOptions) => (closing === null ? commits.run(job, jobOptions) : Promise.reject(closed())),
    read: (step) =>
      retryBusy(
        () => {
          if (closing !== null) throw closed()
          return step()
        },
        path,
        busyTimeoutMs
      ),
    close() {
      closing ??= commits.drain()
      return closing
    }
  }
}

function createParts(db: DatabaseSync, now: () => Ms) {
  const tables = createTables(db)
  const leases = createLeases(db)
  const hints = createSqliteHints(db)
  return {
    now,
    hints,
    leases,
    claims: createClaims(db, leases),
    inbox: createInbox(db, tables),
    log: createSqliteLog(db),
    queries: createSqliteQueries(db, tables),
    artifacts: createArtifactTable(db),
    imports: createImports(db, tables),
    removals: createRemovals(db, tables),
    append: createAppend({ db, tables, leases, hints: hints.listeners, now })
  }
}

function createWrites(
  access: Access,
  parts: Parts
): Omit<Store, keyof Reads | 'hint' | 'durability' | 'artifacts' | typeof Symbol.asyncDispose> {
  const { now, inbox, hints, leases, claims, imports, removals, append } = parts
  return {
    publish: (publication) => access.write(() => inbox.publish(publication, now())),
    async create(thread) {
      toFactsText(thread.id, [thread.created])
      toBodyText(thread.first)
      return access.write((after) => {
        const made = inbox.create(thread, now())
        if (made.created) after(() => hints.listeners.tell([made.thread]))
        return made
      })
    },
    // Not async: the promise of the write is the answer, and this is what every step of every thread asks for.
    append(request) {
      try {
        assertAppendable(request)
        const facts = toFactsText(request.thread, request.facts)
        return access.write((after) => append(request, facts, after), { writer: request.thread, mayLag: request.sync === 'later' })
      } catch (error) {
        return Promise.reject(error)
      }
    },
    async deliver(items) {
      for (const item of items) toBodyText(item)
      return access.write((after) => {
        const time = now()
        const results = items.map((item) => inbox.deliver(item, time))
        after(() => hints.listeners.tell(items.filter((_, index) => results[index] === 'queued').map((item) => item.thread)))
        return results
      })
    },
    decide: (wait, decision, by) =>
      access.write((after) => {
        const { answer, woken } = inbox.decide(wait, decision, by, now())
        after(() => hints.listeners.tell(woken))
        return answer
      }),
    beat: (worker, leaseMs, mine) => access.write((after) => leases.beat(worker, leaseMs, mine, now(), after)),
    async claim(request) {
      // Most claims find nothing: they must cost no write.
      const ready = await access.read(() => claims.find(request, now()))
      return ready.length === 0 ? [] : access.write((after) => claims.take(request, now(), after))
    },
    async import(thread) {
      const texts = toImportedTexts(thread)
      return access.write((after) => {
        const done = imports.import(thread, texts, now())
        if (done === 'imported') after(() => hints.listeners.tell([thread.id]))
        return done
      })
    },
    remove: (thread, options) =>
      access.write((after) => {
        const { answer, removed } = removals.remove(thread, now(), options)
        after(() => hints.listeners.tell(removed))
        return answer
      })
  }
}

function createReads(access: Access, { now, inbox, log, queries, artifacts }: Parts): Reads {
  return {
    publication: (digest) => access.read(() => queries.publication(digest)),
    pending: (thread) => access.read(() => inbox.pending(thread)),
    items: (thread) => access.read(() => inbox.items(thread)),
    read: (thread, from, limitBytes) => access.read(() => log.read(thread, from, limitBytes)),
    follow: (filter, after, limit) => access.read(() => log.follow(filter, after, limit)),
    thread: (id) => access.read(() => queries.thread(id, now())),
    threads: (query) => access.read(() => queries.threads(query, now())),
    runs: (thread) => access.read(() => queries.runs(thread)),
    waits: (query) => access.read(() => queries.waits(query)),
    wait: (id) => access.read(() => queries.wait(id)),
    artifactUses: (tenant, digests, { thread } = {}) => access.read(() => artifacts.uses(tenant, digests, thread))
  }
}

function createArtifacts(access: Access, { now, artifacts }: Parts): ArtifactStore {
  return {
    async put(tenant, bytes) {
      const digest = digestBytes(bytes)
      return access.write(() => artifacts.put(tenant, { digest, bytes }, now()))
    },
    get: (tenant, digest) => access.read(() => artifacts.get(tenant, digest)),
    info: (tenant, digest) => access.read(() => artifacts.info(tenant, digest)),
    list: (query) => access.read(() => artifacts.list(query, now())),
    remove: (tenant, digest, { olderThanMs }) => access.write(() => artifacts.remove(tenant, digest, now() - olderThanMs))
  }
}
