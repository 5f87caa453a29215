import type { DatabaseSync } from 'node:sqlite'
import { newerStore } from './sqlite-errors.ts'
import { MIGRATIONS } from './sqlite-schema.ts'

/**
 * Brings a file to the newest schema. Each step is one transaction with its version, so a crash leaves the step before or after it; of
 * two processes one does it and the other finds it done. Throws `store_newer`.
 */
export function migrate(db: DatabaseSync, path: string, migrations: readonly (readonly string[])[] = MIGRATIONS): void {
  for (let version = readVersion(db); version !== migrations.length; version = readVersion(db)) {
    if (version > migrations.length) throw newerStore(path, version, migrations.length)
    db.exec('BEGIN IMMEDIATE')
    try {
      if (readVersion(db) === version) step(db, migrations[version] ?? [], version + 1)
      db.exec('COMMIT')
      // So that the main file alone tells what it is. When others read just now it happens later.
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      throw error
    }
  }
}

function step(db: DatabaseSync, statements: readonly string[], version: number): void {
  for (const statement of statements) db.exec(statement)
  db.exec(`PRAGMA user_version = ${version}`)
}

function readVersion(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
}
