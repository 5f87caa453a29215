import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createGroupCommit } from '../src/stores/group-commit.ts'
import { folder } from './runtime-kit.ts'

const FULL = 2
const NORMAL = 1

/** A write queue over a new file, and what tells how SQLite syncs the transaction in progress. */
async function queue(syncs: boolean) {
  const path = join(await folder(), 'queue.db')
  const db = new DatabaseSync(path, { timeout: 0 })
  onTestFinished(() => db.close())
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${syncs ? 'FULL' : 'NORMAL'}`)
  const commits = createGroupCommit(db, { path, busyTimeoutMs: 1_000, schemaVersion: 1, syncs })
  const level = db.prepare('PRAGMA synchronous')
  return { commits, levelNow: () => level.get()?.['synchronous'] }
}

test('syncs a transaction unless every job of it may lag', async () => {
  const { commits, levelNow } = await queue(true)
  expect(await commits.run(levelNow)).toBe(FULL)
  expect(await commits.run(levelNow, { mayLag: true })).toBe(NORMAL)
  expect(await commits.run(levelNow, { mayLag: true })).toBe(NORMAL)
  expect(await Promise.all([commits.run(levelNow, { mayLag: true }), commits.run(levelNow)])).toEqual([FULL, FULL])
  expect(await commits.run(levelNow, { mayLag: true })).toBe(NORMAL)
  expect(await commits.run(levelNow)).toBe(FULL)
})

test('never syncs a transaction of a store that leaves it to the system', async () => {
  const { commits, levelNow } = await queue(false)
  expect(await commits.run(levelNow)).toBe(NORMAL)
  expect(await commits.run(levelNow, { mayLag: true })).toBe(NORMAL)
  expect(await commits.run(levelNow)).toBe(NORMAL)
})
