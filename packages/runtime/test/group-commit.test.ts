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

test('writes at once for whoever was alone in the last transaction, and for nobody else', async () => {
  const { commits } = await queue(false)
  const written: string[] = []
  const write = (name: string, writer?: string) => commits.run(() => void written.push(name), writer === undefined ? {} : { writer })
  await write('first', 'a')
  const second = write('second', 'a')
  expect(written).toEqual(['first', 'second'])
  const others = [write('third', 'b'), write('fourth', 'a'), write('fifth')]
  expect(written).toEqual(['first', 'second'])
  await Promise.all([second, ...others])
  expect(written).toEqual(['first', 'second', 'third', 'fourth', 'fifth'])
  // Three shared the last one.
  const sixth = write('sixth', 'a')
  expect(written).toHaveLength(5)
  await sixth
})

test('leaves what an effect of a transaction asks for to the next one', async () => {
  const { commits } = await queue(false)
  await commits.run(() => {}, { writer: 'a' })
  const seen: string[] = []
  let inner: Promise<void> | undefined
  const outer = commits.run(
    (after) => {
      after(() => {
        inner = commits.run(() => void seen.push('inner'), { writer: 'a' })
        seen.push('asked')
      })
    },
    { writer: 'a' }
  )
  expect(seen).toEqual(['asked'])
  await outer
  await inner
  expect(seen).toEqual(['asked', 'inner'])
})

test('lets the event loop turn between the transactions of a writer who is alone', async () => {
  const { commits } = await queue(false)
  let turns = 0
  const count = (): void => {
    turns += 1
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  for (let job = 0; job < 40; job++) await commits.run(() => {}, { writer: 'a' })
  clearImmediate(timer)
  expect(turns).toBeGreaterThanOrEqual(4)
})
