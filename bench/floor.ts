// What the disk and SQLite alone ask for a turn: two transactions, each with one event of 2 KiB and the run row. Not tuned to any result.
import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Durability } from './store.ts'
import { newFile } from './store.ts'
import { words } from './model.ts'

const BODY_BYTES = 2_048

const SCHEMA = `
  CREATE TABLE run (id TEXT PRIMARY KEY, head INTEGER NOT NULL, at INTEGER NOT NULL, status TEXT NOT NULL);
  CREATE TABLE event (run TEXT NOT NULL, sequence INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, sequence));
`

/** Milliseconds for `turns` turns of bare transactions on a new file, with the pragmas of our store. */
export function measureFloor(turns: number, durability: Durability): number {
  const path = newFile('floor')
  const db = new DatabaseSync(path, { timeout: 0 })
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'}`)
  db.exec('PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4000; PRAGMA journal_size_limit = 67108864')
  db.exec(SCHEMA)
  db.prepare(`INSERT INTO run VALUES ('run', 0, 0, 'running')`).run()
  const begin = db.prepare('BEGIN IMMEDIATE')
  const insert = db.prepare('INSERT INTO event VALUES (?, ?, ?, ?)')
  const update = db.prepare('UPDATE run SET head = ?, at = ? WHERE id = ? AND head = ?')
  const commit = db.prepare('COMMIT')
  const since = performance.now()
  for (let sequence = 1; sequence <= 2 * turns; sequence++) {
    const at = Date.now()
    begin.run()
    insert.run('run', sequence, at, words(sequence, BODY_BYTES))
    update.run(sequence, at, 'run', sequence - 1)
    commit.run()
  }
  const durationMs = performance.now() - since
  db.close()
  rmSync(path)
  return durationMs
}
