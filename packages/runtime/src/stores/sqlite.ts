// SQLite is loaded when a file of it is first used: importing the runtime stays quick, and who keeps threads elsewhere loads none of it. AGENTS.md
// lists this file.
import type { Store } from '../contracts/store.ts'
import type { SqliteCheck, SqliteSizes } from './sqlite-maintenance.ts'
import type { SqliteStoreOptions } from './sqlite-store.ts'

/**
 * Opens the embedded store: one SQLite file, made when there is none (mode 0600). Several processes of one machine may use it at once.
 * Throws `store_foreign`, `store_newer`, `store_corrupt`, and then leaves the file as it is; `store_unavailable`, `store_full`.
 */
export async function sqliteStore(path: string, options: SqliteStoreOptions = {}): Promise<Store> {
  return (await import('./sqlite-store.ts')).sqliteStore(path, options)
}

/**
 * Checks a file as SQLite does, and for rows that belong to no thread. What the rows say is checked by `verify` of each thread. Other processes
 * may go on. Throws as `sqliteStore` does, and `store_unavailable` when there is no file.
 */
export async function checkSqliteFile(path: string): Promise<SqliteCheck> {
  return (await import('./sqlite-maintenance.ts')).checkSqliteFile(path)
}

/**
 * Copies a store into one file while others go on with it: what was committed when it began is in it. The copy is checked, gets its name only
 * when it is whole, and is readable by its owner alone. Throws `conflict` when there is a file of that name, and as `sqliteStore` does.
 */
export async function backupSqliteFile(path: string, target: string): Promise<{ readonly bytes: number }> {
  return (await import('./sqlite-maintenance.ts')).backupSqliteFile(path, target)
}

/**
 * Writes a file anew without what is free in it, and empties its write-ahead log. Needs as much space again for as long as it runs; others wait
 * meanwhile. Throws as `sqliteStore` does, and `store_unavailable` when others hold the file for longer than 30 seconds.
 */
export async function vacuumSqliteFile(path: string): Promise<{ readonly before: SqliteSizes; readonly after: SqliteSizes }> {
  return (await import('./sqlite-maintenance.ts')).vacuumSqliteFile(path)
}
