import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { HoldfastError } from '../contracts/errors.ts'
import type { Ms } from '../contracts/ids.ts'
import { retryBusy } from './busy-retry.ts'
import { corruptFile, isCorrupt, isNoDatabase, newerStore, toStoreError } from './sqlite-errors.ts'
import { migrate } from './sqlite-migration.ts'
import { APPLICATION_ID, SCHEMA_VERSION } from './sqlite-schema.ts'

/** After how many pages (16 MiB) the -wal goes into the file: as many as one block of its index holds. Pages that are written again and again go once. */
const CHECKPOINT_PAGES = 4_000
const LOOK_TIMEOUT_MS = 30_000

/** What a connection is opened with. */
export interface SqliteFileOptions {
  readonly durability: 'power' | 'process'
  readonly busyTimeoutMs: Ms
}

/**
 * Opens a store's file, makes it when there is none, and brings it to the newest schema. Throws `store_foreign`, `store_newer`,
 * `store_corrupt`, `store_unavailable`, `store_full`; a file that is refused is left as it is.
 */
export async function openSqliteFile(path: string, options: SqliteFileOptions): Promise<DatabaseSync> {
  createFile(path)
  return retryBusy(() => open(path, options), path, options.busyTimeoutMs)
}

/**
 * Looks whether a file is a store, and of which schema; 0 for an empty one. Changes nothing. Throws `store_foreign`, `store_newer`, `store_corrupt` and
 * `store_unavailable`.
 */
export async function inspectSqliteFile(path: string): Promise<{ readonly schema: number }> {
  // Whoever is just making it holds it for a moment.
  return retryBusy(() => look(path), path, LOOK_TIMEOUT_MS)
}

function look(path: string): { readonly schema: number } {
  inspect(path)
  using db = new DatabaseSync(path, { readOnly: true })
  const { id, tables } = readIdentity(db)
  if (id !== APPLICATION_ID && (id !== 0 || tables > 0)) throw foreignFile(path, id)
  const schema = Number(readPragma(db, 'user_version'))
  if (schema > SCHEMA_VERSION) throw newerStore(path, schema, SCHEMA_VERSION)
  return { schema }
}

function createFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // -wal and -shm get the mode of the main file from SQLite.
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return
    throw toStoreError(error, path)
  }
}

function open(path: string, options: SqliteFileOptions): DatabaseSync {
  inspect(path)
  const db = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: false })
  try {
    identify(db, path)
    useWal(db, path)
    db.exec(`PRAGMA synchronous = ${options.durability === 'power' ? 'FULL' : 'NORMAL'}`)
    db.exec('PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4000; PRAGMA journal_size_limit = 67108864')
    db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    migrate(db, path)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Looks at the file as it lies there first, so that what is not ours is not opened as a database that SQLite may mend. */
function inspect(path: string): void {
  // In this order: a file that is being made by another process gets its -wal after its first page.
  const walSize = sizeOf(`${path}-wal`)
  const stats = statSync(path)
  if (!stats.isFile()) throw noFile(path)
  const { size } = stats
  if (size === 0) {
    // SQLite would take this for a new database and delete the log with everything in it.
    if (walSize > 0) throw corruptFile(path, 'it is empty, and its -wal file is not')
    return
  }
  const header = readHeader(path)
  // A transaction was cut off before the file used a -wal: SQLite takes it back when it opens, and then the file can be judged.
  if (header === null || sizeOf(`${path}-journal`) > 0) return
  // With a -wal file the last page may just be on its way; without one it was cut off, and SQLite would read zeros in its place.
  if (walSize === 0 && size % header.pageSize !== 0) throw corruptFile(path, 'it ends in the middle of a page')
  if (header.id !== APPLICATION_ID) throw foreignFile(path, header.id)
}

/** Marks a new file as ours before anything else is written; refuses one that is not ours. */
function identify(db: DatabaseSync, path: string): void {
  const { id, tables } = readIdentity(db)
  if (id === APPLICATION_ID) return
  if (id !== 0 || tables > 0) throw foreignFile(path, id)
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
}

function readIdentity(db: DatabaseSync): { readonly id: number; readonly tables: number } {
  // In this order: another process may be making the file, and gives it its mark before its tables.
  const tables = Number(db.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.['count'])
  return { id: Number(readPragma(db, 'application_id')), tables }
}

function useWal(db: DatabaseSync, path: string): void {
  const mode = db.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode']
  if (mode === 'wal') return
  throw new HoldfastError(
    'store_unavailable',
    `${path} lies on a file system without shared memory, which the store needs. Keep it on a local disk.`,
    {
      details: { path }
    }
  )
}

function noFile(path: string): HoldfastError {
  return new HoldfastError('store_foreign', `${path} is a folder, a pipe or a device, and a store is a file.`, { details: { path } })
}

function foreignFile(path: string, id: number): HoldfastError {
  return new HoldfastError(
    'store_foreign',
    `${path} is a SQLite database of another program (application id ${id}), and a store has a file of its own.`,
    {
      details: { path, applicationId: id }
    }
  )
}

/**
 * Reads what the main file says of itself, without its -wal, and changes nothing. Null where it lacks pages, which its -wal may hold: a checkpoint was cut
 * off, or is under way. Through SQLite, since whoever opens and closes a file in another way takes from the connections of this process their locks on it
 * (POSIX has it so), and then other processes believe that nobody uses it.
 */
function readHeader(path: string): { readonly id: number; readonly pageSize: number } | null {
  const url = pathToFileURL(path)
  url.search = '?immutable=1'
  using db = new DatabaseSync(url, { readOnly: true })
  try {
    // In this order: the size of a page is known when one was read.
    return { id: Number(readPragma(db, 'application_id')), pageSize: Number(readPragma(db, 'page_size')) }
  } catch (error) {
    if (isNoDatabase(error)) throw corruptFile(path, 'it does not begin like a SQLite database', error)
    if (isCorrupt(error)) return null
    throw error
  }
}

function readPragma(db: DatabaseSync, name: string): unknown {
  return db.prepare(`PRAGMA ${name}`).get()?.[name]
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
