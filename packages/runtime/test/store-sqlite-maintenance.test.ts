import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Store } from '../src/contracts/store.ts'
import { backupSqliteFile, checkSqliteFile, vacuumSqliteFile } from '../src/stores/sqlite-maintenance.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { createStoreKit, note } from '../src/testing/store-kit.ts'
import { folder } from './runtime-kit.ts'
import { startStoreChild } from './store-child.ts'

/** A store whose threads have logs of so many notes of 3,000 characters each. */
async function withLogs(
  ...notes: readonly number[]
): Promise<{ readonly path: string; readonly store: Store; readonly ids: readonly string[] }> {
  const path = join(await folder(), 'store.db')
  const clock = fakeClock()
  const store = await sqliteStore(path, { clock, durability: 'process' })
  onTestFinished(() => store[Symbol.asyncDispose]())
  const kit = createStoreKit({ store, clock })
  const ids: string[] = []
  for (const count of notes) {
    const owner = await kit.own(await kit.start())
    ids.push(owner.claim.thread)
    for (let made = 0; made < count; made += 1) await owner.append({ facts: [note(`${made}`.padEnd(3000, 'x'))] })
    await owner.release({ row: kit.row({ status: 'completed' }) })
  }
  return { path, store, ids }
}

describe('a check of a file', () => {
  test('finds nothing in one that is used and from which a thread was removed, and tells its sizes', async () => {
    const { path, store, ids } = await withLogs(3, 50)
    await store.remove(ids[1] ?? '')
    const { problems, sizes } = await checkSqliteFile(path)
    expect(problems).toEqual([])
    expect(sizes.file).toBe(statSync(path).size)
    expect(sizes.wal).toBe(statSync(`${path}-wal`).size)
    expect(sizes.free).toBeGreaterThan(50 * 3000)
  })

  test.each(['log', 'item', 'run', 'artifact_use', 'wait'])('finds rows of %s that belong to no thread', async (table) => {
    const { path } = await withLogs(1)
    const db = new DatabaseSync(path)
    const names = db
      .prepare(`SELECT name, type FROM pragma_table_info('${table}') WHERE name <> 'thread' AND name <> 'no' AND name <> 'position'`)
      .all()
    db.prepare(
      `INSERT INTO ${table} (thread, ${names.map((each) => each['name']).join(', ')}) VALUES (77, ${names.map(() => '7').join(', ')})`
    ).run()
    db.close()
    expect((await checkSqliteFile(path)).problems).toEqual([expect.stringContaining(table)])
  })

  test('finds an index that is not that of its table', async () => {
    const { path, store } = await withLogs(3)
    await store[Symbol.asyncDispose]()
    const db = new DatabaseSync(path)
    db.enableDefensive(false)
    db.exec(
      `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'tenant, activity', 'activity, tenant') WHERE name = 'thread_activity'`
    )
    db.close()
    expect((await checkSqliteFile(path)).problems.length).toBeGreaterThan(0)
  })

  test('of no file makes none', async () => {
    const path = join(await folder(), 'none.db')
    for (const work of [checkSqliteFile(path), backupSqliteFile(path, `${path}.copy`), vacuumSqliteFile(path)]) {
      await expect(work).rejects.toMatchObject({ code: 'store_unavailable' })
    }
    expect(existsSync(path)).toBe(false)
  })
})

describe('a backup', () => {
  test('taken while another process writes is a store with every commit that was acknowledged before', async () => {
    const { path, store } = await withLogs()
    const writer = startStoreChild('acknowledge', path)
    await writer.said(20)
    const known = Number(writer.lines.at(-1))
    const target = join(await folder(), 'copy.db')
    const { bytes } = await backupSqliteFile(path, target)
    const goesOn = writer.lines.length
    await writer.said(goesOn + 5)
    writer.kill()
    await writer.ended
    expect(statSync(target).size).toBe(bytes)
    if (process.platform !== 'win32') expect(statSync(target).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(target, '..'))).toEqual(['copy.db'])
    const copy = await sqliteStore(target)
    onTestFinished(() => copy[Symbol.asyncDispose]())
    const [{ items: threads }, { items: all }] = [await copy.threads({ tenant: 'default' }), await store.threads({ tenant: 'default' })]
    expect(threads.map(({ id }) => id).toSorted()).toEqual(all.map(({ id }) => id).toSorted())
    for (const { id, head } of threads) {
      const log = await copy.read(id, 1, 100_000_000)
      expect(log).toHaveLength(head)
      expect(log).toEqual((await store.read(id, 1, 100_000_000)).slice(0, head))
    }
    expect(Math.max(...threads.map(({ head }) => head))).toBeGreaterThanOrEqual(known)
    expect((await checkSqliteFile(target)).problems).toEqual([])
  })

  test('replaces no file, and leaves none behind where it cannot write', async () => {
    const { path } = await withLogs(1)
    const place = await folder()
    const target = join(place, 'copy.db')
    writeFileSync(target, 'mine')
    await expect(backupSqliteFile(path, target)).rejects.toMatchObject({ code: 'conflict', details: { path: target } })
    expect(readFileSync(target, 'utf8')).toBe('mine')
    await expect(backupSqliteFile(path, join(place, 'no', 'copy.db'))).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(backupSqliteFile(path, path)).rejects.toMatchObject({ code: 'conflict' })
    expect(readdirSync(place)).toEqual(['copy.db'])
  })

  test('of a damaged file is refused, and leaves none behind', async () => {
    const { path, store } = await withLogs(40)
    await store[Symbol.asyncDispose]()
    const bytes = readFileSync(path)
    bytes.fill(0xa5, bytes.length - 40_000)
    writeFileSync(path, bytes)
    const place = await folder()
    await expect(backupSqliteFile(path, join(place, 'copy.db'))).rejects.toMatchObject({ code: 'store_corrupt' })
    expect(readdirSync(place)).toEqual([])
  })
})

describe('a vacuum', () => {
  test('gives free space back while the store is open, and keeps positions and everything else', async () => {
    const { path, store, ids } = await withLogs(10, 200, 5)
    const cursor = (await store.follow({ tenant: 'default' }, '', 1000)).next
    await store.remove(ids[1] ?? '')
    await store.remove(ids[2] ?? '')
    const log = await store.read(ids[0] ?? '', 1, 10_000_000)
    const { before, after } = await vacuumSqliteFile(path)
    expect(before.free).toBeGreaterThan(200 * 3000)
    expect(after).toMatchObject({ free: 0, wal: 0 })
    expect(after.file).toBeLessThan((before.file + before.wal) / 2)
    expect(await store.read(ids[0] ?? '', 1, 10_000_000)).toEqual(log)
    const thread = await createStoreKit({ store, clock: fakeClock() }).start({ id: 'thr_new' })
    expect((await store.follow({ tenant: 'default' }, cursor, 1000)).commits.map((commit) => commit.thread)).toEqual([thread.id])
    expect((await checkSqliteFile(path)).problems).toEqual([])
  })

  test('waits for a process that holds the file', async () => {
    const { path } = await withLogs(1)
    const free = join(await folder(), 'free')
    const holder = startStoreChild('hold', path, free)
    await holder.said(1)
    let isOver = false
    const vacuumed = vacuumSqliteFile(path).finally(() => {
      isOver = true
    })
    await sleep(300)
    expect(isOver).toBe(false)
    writeFileSync(free, '')
    await vacuumed
    await holder.ended
  })
})

test('what a check reads of a file does not change it', async () => {
  const { path, store } = await withLogs(2)
  await store[Symbol.asyncDispose]()
  const bytes = readFileSync(path)
  await checkSqliteFile(path)
  expect(readFileSync(path).equals(bytes)).toBe(true)
})
