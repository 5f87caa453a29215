// What the disk and SQLite alone ask for a turn: two transactions, each with one event of 2 KiB and the run row. Not tuned to any result.
import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { words } from './model.ts'
import type { Durability } from './store.ts'
import { newFile } from './store.ts'

const BODY_BYTES = 2_048

const SCHEMA = `
  CREATE TABLE run (id TEXT PRIMARY KEY, head INTEGER NOT NULL, at INTEGER NOT NULL, status TEXT NOT NULL);
  CREATE TABLE event (run TEXT NOT NULL, sequence INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, sequence));
`

/** A file with nothing but events and run rows. */
export interface Floor extends Disposable {
  /** Milliseconds for a run of so many turns. */
  run(turns: number): number
}

/** Opens a new file with the pragmas of our store. */
export function openFloor(durability: Durability): Floor {
  const path = newFile('floor')
  const db = new DatabaseSync(path, { timeout: 0 })
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'}`)
  db.exec('PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4000; PRAGMA journal_size_limit = 67108864; PRAGMA wal_autocheckpoint = 4000')
  db.exec(SCHEMA)
  const start = db.prepare(`INSERT INTO run VALUES (?, 0, 0, 'running')`)
  const begin = db.prepare('BEGIN IMMEDIATE')
  const insert = db.prepare('INSERT INTO event VALUES (?, ?, ?, ?)')
  const update = db.prepare('UPDATE run SET head = ?, at = ? WHERE id = ? AND head = ?')
  const commit = db.prepare('COMMIT')
  let runs = 0
  return {
    run(turns) {
      runs += 1
      const id = `run-${runs}`
      start.run(id)
      const since = performance.now()
      for (let sequence = 1; sequence <= 2 * turns; sequence++) {
        const at = Date.now()
        begin.run()
        insert.run(id, sequence, at, words(sequence, BODY_BYTES))
        update.run(sequence, at, id, sequence - 1)
        commit.run()
      }
      return performance.now() - since
    },
    [Symbol.dispose]() {
      db.close()
      rmSync(path)
    }
  }
}
