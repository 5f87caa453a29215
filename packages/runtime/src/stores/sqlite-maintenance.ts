import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { HoldfastError } from '../contracts/errors.ts'
import type { Ms } from '../contracts/ids.ts'
import { retryBusy } from './busy-retry.ts'
import { corruptFile, toStoreError } from './sqlite-errors.ts'
import { openSqliteFile } from './sqlite-file.ts'
import { NO_THREAD } from './sqlite-removal.ts'

/** How much a store's file takes, in bytes. */
export interface SqliteSizes {
  readonly file: number
  /** What was written and is not in the file itself yet. */
  readonly wal: number
  /** Of the file, what is free: it is used again, and `vacuumSqliteFile` gives it back. */
  readonly free: number
}

/** What a check of a store's file found. */
export interface SqliteCheck {
  /** Empty: all is well. */
  readonly problems: readonly string[]
  readonly sizes: SqliteSizes
}

const BUSY_TIMEOUT_MS: Ms = 30_000
const MAX_PROBLEMS = 100
/** All pages in one step, so that writers do not make it begin again. */
const ALL_PAGES = 0x7fffffff

/** Checks a file, and for rows that belong to no thread. */
export async function checkSqliteFile(path: string): Promise<SqliteCheck> {
  using db = await openExistingFile(path)
  return await retryBusy(() => ({ problems: [...findDamage(db), ...findOrphans(db)], sizes: sizesOf(db, path) }), path, BUSY_TIMEOUT_MS)
}

/** Copies a store into one file while others go on with it. */
export async function backupSqliteFile(path: string, target: string): Promise<{ readonly bytes: number }> {
  assertFree(target)
  using db = await openExistingFile(path)
  const draft = `${target}.${process.pid}.tmp`
  try {
    closeSync(openSync(draft, 'wx', 0o600))
    await backup(db, draft, { rate: ALL_PAGES })
    assertWhole(draft)
    sync(draft)
    assertFree(target)
    renameSync(draft, target)
  } catch (error) {
    throw toStoreError(error, target)
  } finally {
    for (const leftover of ['', '-wal', '-shm', '-journal']) rmSync(`${draft}${leftover}`, { force: true })
  }
  return { bytes: statSync(target).size }
}

/** Writes a file anew without what is free in it. */
export async function vacuumSqliteFile(path: string): Promise<{ readonly before: SqliteSizes; readonly after: SqliteSizes }> {
  using db = await openExistingFile(path)
  const before = sizesOf(db, path)
  await retryBusy(
    () => {
      // A copy of everything has its place on the disk, not in memory.
      db.exec('PRAGMA temp_store = FILE')
      db.exec('VACUUM')
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    },
    path,
    BUSY_TIMEOUT_MS
  )
  return { before, after: sizesOf(db, path) }
}

async function openExistingFile(path: string): Promise<DatabaseSync & Disposable> {
  if (!existsSync(path)) throw new HoldfastError('store_unavailable', `There is no store at ${path}.`, { details: { path } })
  return openSqliteFile(path, { durability: 'power', busyTimeoutMs: BUSY_TIMEOUT_MS })
}

function findDamage(db: DatabaseSync): readonly string[] {
  const found = db.prepare(`PRAGMA integrity_check(${MAX_PROBLEMS})`).all()
  return found.flatMap((row) => (row['integrity_check'] === 'ok' ? [] : [String(row['integrity_check'])]))
}

function findOrphans(db: DatabaseSync): readonly string[] {
  const numbered = ['log', 'item', 'run', 'artifact_use', 'label'].map((table) => [table, 'SELECT no FROM thread'] as const)
  return [...numbered, ['wait', 'SELECT id FROM thread'] as const].flatMap(([table, threads]) => {
    const found = db.prepare(`SELECT count(*) AS count FROM ${table} WHERE thread <> ${NO_THREAD} AND thread NOT IN (${threads})`).get()
    const count = Number(found?.['count'])
    return count === 0 ? [] : [`${count} rows of ${table} belong to no thread`]
  })
}

function sizesOf(db: DatabaseSync, path: string): SqliteSizes {
  const read = (pragma: string): number => Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0])
  return {
    file: statSync(path).size,
    wal: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    free: read('freelist_count') * read('page_size')
  }
}

function assertFree(path: string): void {
  if (existsSync(path)) throw new HoldfastError('conflict', `${path} exists: a backup replaces no file`, { details: { path } })
}

function assertWhole(path: string): void {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    const [row] = db.prepare('PRAGMA quick_check(1)').all()
    if (row?.['quick_check'] !== 'ok') throw corruptFile(path, String(row?.['quick_check']))
  } finally {
    db.close()
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
