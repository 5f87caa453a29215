import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Store } from '../src/contracts/store.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { createStoreKit, note } from '../src/testing/store-kit.ts'

let folder = ''
let path = ''
let stores: Store[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-removal-'))
  path = join(folder, 'store.db')
})

afterEach(async () => {
  for (const store of stores) await store[Symbol.asyncDispose]()
  stores = []
  rmSync(folder, { recursive: true, force: true })
})

// I3
test('an owner that has slept through a removal writes nothing into the thread that got its number', async () => {
  const clock = fakeClock()
  const open = async (): Promise<Store> => {
    const store = await sqliteStore(path, { clock })
    stores.push(store)
    return store
  }
  const [asleep, awake] = [await open(), await open()]
  const kit = createStoreKit({ store: asleep, clock })
  const lost = await kit.own(await kit.start())
  await clock.advance(kit.lease * 2)
  const thread = kit.thread({ id: lost.claim.thread })
  const next = await kit.seize(thread, 'worker-2', {}, awake)
  await next.release({ row: kit.row({ status: 'completed' }) })
  expect(await awake.remove(thread.id)).toBe('removed')
  const other = kit.thread()
  await awake.create(other)
  const owner = await kit.own(other, 'worker-3', awake)
  // The numbers are the same, and attempt and sequence are those that the sleeper knows.
  const db = new DatabaseSync(path)
  expect(db.prepare('SELECT no FROM thread').all()).toEqual([{ no: 1 }])
  db.close()
  expect([owner.claim.attempt, owner.sequence]).toEqual([lost.claim.attempt, lost.sequence])
  expect(await lost.append({ facts: [note('late')] })).toMatchObject({ ok: false, why: 'fenced' })
  expect((await awake.read(other.id, 1, 100_000)).map((commit) => commit.sequence)).toEqual([1, 2])
})

test('a file from which everything was removed keeps one empty row', async () => {
  const clock = fakeClock()
  const store = await sqliteStore(path, { clock })
  stores.push(store)
  const kit = createStoreKit({ store, clock })
  for (let made = 0; made < 3; made += 1) {
    const thread = await kit.start()
    await (await kit.own(thread)).release({ row: kit.row({ status: 'completed' }) })
    await store.remove(thread.id)
  }
  const db = new DatabaseSync(path)
  const count = (table: string): unknown => db.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.['count']
  expect(['log', 'thread', 'item', 'wait', 'run', 'artifact_use'].map(count)).toEqual([1, 0, 0, 0, 0, 0])
  db.close()
})
