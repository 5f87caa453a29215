import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { APPLICATION_ID, SCHEMA_VERSION } from '../src/stores/sqlite-schema.ts'
import { inspectSqliteFile, openSqliteFile } from '../src/stores/sqlite-file.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { createStoreKit, person } from '../src/testing/store-kit.ts'
import { startStoreChild } from './store-child.ts'

const FIXTURE = fileURLToPath(new URL('./fixtures/store-schema-1.db', import.meta.url))

let folder = ''
let path = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-file-'))
  path = join(folder, 'store.db')
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

const code = (expected: string) => expect.objectContaining({ code: expected })

describe('a new file', () => {
  test.skipIf(process.platform === 'win32')(
    'is readable by its owner alone, like the folder made for it and the files beside it',
    async () => {
      path = join(folder, 'made', 'here', 'store.db')
      const store = await sqliteStore(path)
      await createStoreKit({ store, clock: fakeClock() }).start()
      const modes = [dirname(path), path, `${path}-wal`, `${path}-shm`].map((name) => statSync(name).mode & 0o777)
      expect(modes).toEqual([0o700, 0o600, 0o600, 0o600])
      await store[Symbol.asyncDispose]()
    }
  )

  test('carries our mark and the schema in its main file', async () => {
    const store = await sqliteStore(path)
    const header = readFileSync(path)
    expect([header.readUInt32BE(68), header.readUInt32BE(60)]).toEqual([APPLICATION_ID, SCHEMA_VERSION])
    await store[Symbol.asyncDispose]()
  })

  test('is made once when four processes open it at the same time', async () => {
    const children = Array.from({ length: 4 }, () => startStoreChild('open', path))
    expect(await Promise.all(children.map((child) => child.ended))).toEqual([0, 0, 0, 0])
    const store = await sqliteStore(path)
    expect((await store.threads({ tenant: 'default' })).items).toEqual([])
    await store[Symbol.asyncDispose]()
  })

  test('is looked at once whoever is making it lets it go', async () => {
    using maker = new DatabaseSync(path)
    maker.exec(`BEGIN EXCLUSIVE; PRAGMA application_id = ${APPLICATION_ID}`)
    const made = new Promise<void>((resolve) => setImmediate(() => resolve(maker.exec('COMMIT'))))
    const [looked] = await Promise.all([inspectSqliteFile(path), made])
    expect(looked).toEqual({ schema: 0 })
  })
})

/** How many locks this process holds on a file. */
function locksOn(file: string): number {
  const { ino } = statSync(file)
  const lines = readFileSync('/proc/locks', 'utf8').split('\n')
  return lines.filter((line) => line.includes(`:${ino} `) && line.includes(` ${process.pid} `)).length
}

// POSIX takes all locks on a file from a process that closes it once. Where they are gone another process that closes the store deletes its -wal.
test.skipIf(!existsSync('/proc/locks'))('a store that is opened again in one process keeps its locks', async () => {
  const store = await sqliteStore(path)
  await createStoreKit({ store, clock: fakeClock() }).start()
  const locks = locksOn(path)
  expect(locks).toBeGreaterThan(0)
  const again = await sqliteStore(path)
  expect(await inspectSqliteFile(path)).toEqual({ schema: SCHEMA_VERSION })
  expect(locksOn(path)).toBe(locks)
  await again[Symbol.asyncDispose]()
  expect(locksOn(path)).toBe(locks)
  await store[Symbol.asyncDispose]()
})

test('a store whose checkpoint was cut off behind its first page opens with what its -wal holds', async () => {
  const store = await sqliteStore(path)
  const kit = createStoreKit({ store, clock: fakeClock() })
  const ids = []
  for (let count = 0; count < 30; count += 1) ids.push((await kit.start()).id)
  const wal = readFileSync(`${path}-wal`)
  const before = readFileSync(path)
  await store[Symbol.asyncDispose]()
  // The first page as the checkpoint left it, and no page that it added.
  const after = readFileSync(path)
  expect(after.length).toBeGreaterThan(before.length)
  writeFileSync(path, Buffer.concat([after.subarray(0, 4096), before.subarray(4096)]))
  writeFileSync(`${path}-wal`, wal)
  const opened = await sqliteStore(path)
  expect((await opened.threads({ tenant: 'default', limit: 100 })).items).toHaveLength(30)
  await opened[Symbol.asyncDispose]()
})

/** Does something before the n-th statement, once. False when there are not so many. */
async function beforeStatement(nth: number, act: () => void, work: () => Promise<void>): Promise<boolean> {
  const { exec, prepare } = DatabaseSync.prototype
  let statement = 0
  const count = () => {
    statement += 1
    if (statement === nth) act()
  }
  DatabaseSync.prototype.exec = function (sql) {
    count()
    return exec.call(this, sql)
  }
  DatabaseSync.prototype.prepare = function (...given) {
    count()
    return prepare.apply(this, given)
  }
  try {
    await work()
  } finally {
    Object.assign(DatabaseSync.prototype, { exec, prepare })
  }
  return statement >= nth
}

test('a file that another process makes while it is opened is ours at every moment', async () => {
  let isReached = true
  let nth = 0
  for (; isReached; nth += 1) {
    const file = join(folder, `${nth}.db`)
    const open = () => openSqliteFile(file, { durability: 'process', busyTimeoutMs: 30_000 })
    const others: Promise<DatabaseSync>[] = []
    // Opened, and made where nothing is locked, before the call returns.
    const other = () => void others.push(open())
    isReached = await beforeStatement(nth + 1, other, async () => {
      const opened = [await open(), ...(await Promise.all(others))]
      for (const db of opened) db.close()
    })
    const store = await sqliteStore(file)
    expect((await store.threads({ tenant: 'default' })).items).toEqual([])
    await store[Symbol.asyncDispose]()
  }
  // The marks, the pragmas, begin, every statement of the schema, the version and commit.
  expect(nth).toBeGreaterThan(25)
})

test('a store that only read is closed while another process writes', async () => {
  await using made = await sqliteStore(path)
  const store = await sqliteStore(path, { busyTimeoutMs: 3_600_000 })
  expect((await store.threads({ tenant: 'default' })).items).toEqual([])
  using writer = new DatabaseSync(path)
  writer.exec('BEGIN IMMEDIATE')
  await store[Symbol.asyncDispose]()
  expect(writer.isTransaction).toBe(true)
  writer.exec('ROLLBACK')
  expect((await made.threads({ tenant: 'default' })).items).toEqual([])
})

describe('the fixture of schema 1', () => {
  // B050
  test('opens, and its waiting run takes the decision and goes on', async () => {
    copyFileSync(FIXTURE, path)
    const clock = fakeClock()
    const store = await sqliteStore(path, { clock })
    const kit = createStoreKit({ store, clock })
    const threads = (await store.threads({ tenant: 'default' })).items
    expect(threads.map((thread) => [thread.id, thread.row.status, thread.pending]).toSorted()).toEqual([
      ['thr_completed0', 'completed', 1],
      ['thr_midloop000', 'running', 0],
      ['thr_waiting000', 'waiting', 0]
    ])
    const labelled = await store.threads({ tenant: 'default', labels: { made: 'fixture', id: 'thr_waiting000' } })
    expect(labelled.items.map((thread) => [thread.id, thread.labels])).toEqual([
      ['thr_waiting000', { made: 'fixture', id: 'thr_waiting000' }]
    ])
    const [wait, ...others] = (await store.waits({ tenant: 'default' })).items
    expect(others).toEqual([])
    expect(await store.decide(wait?.id ?? '', { approve: true }, person('ada'))).toEqual({ state: 'accepted', recorded: { approve: true } })
    const owner = await kit.seize(kit.thread({ id: 'thr_waiting000' }))
    const item = `decide:${wait?.id}`
    const resolved = { v: 1, type: 'wait.resolved', wait: wait?.id ?? '', as: 'decided', cause: item } as const
    expect(await owner.append({ facts: [resolved], consumed: [item], close: [wait?.id ?? ''] })).toMatchObject({ ok: true, sequence: 4 })
    await store[Symbol.asyncDispose]()
  })

  test('opens, and the run that lost its owner in the middle of its loop is handed out with its whole log', async () => {
    copyFileSync(FIXTURE, path)
    const clock = fakeClock()
    await clock.advance(60_000)
    const store = await sqliteStore(path, { clock })
    const claims = await createStoreKit({ store, clock }).claim('worker-2')
    expect(claims.map((claim) => [claim.thread, claim.why, claim.sequence]).toSorted()).toEqual([
      ['thr_completed0', 'items', 3],
      ['thr_midloop000', 'expired', 2]
    ])
    const facts = (await store.read('thr_midloop000', 1, 100_000)).flatMap((commit) => commit.facts.map((fact) => fact.type))
    expect(facts).toEqual(['thread.created', 'run.started', 'turn.started'])
    expect((await store.runs('thr_completed0')).map((run) => [run.status, run.startedIn, run.endedIn])).toEqual([['completed', 2, 3]])
    const [artifact] = (await store.artifacts.list({ tenant: 'default' })).items
    expect(new TextDecoder().decode(await store.artifacts.get('default', artifact?.digest ?? ''))).toBe('"the output"')
    expect(await store.artifactUses('default', [artifact?.digest ?? ''])).toMatchObject([{ threads: 1, thread: 'thr_completed0' }])
    expect(await store.publication('sha256:fixture')).toMatchObject({ definition: { name: 'fixture' } })
    await store[Symbol.asyncDispose]()
  })
})

describe('a migration', () => {
  // B050
  test('that is killed before any of its statements is done by the next process that opens the file', async () => {
    let killed = 0
    for (let statement = 1; ; statement += 1) {
      const file = join(folder, `killed-${statement}.db`)
      const ended = await startStoreChild('open-killed', file, String(statement)).ended
      const store = await sqliteStore(file)
      await createStoreKit({ store, clock: fakeClock() }).start()
      await store[Symbol.asyncDispose]()
      if (ended === 0) break
      killed += 1
    }
    // The mark, the pragmas, begin, every statement of the schema, the version, commit and the checkpoint.
    expect(killed).toBeGreaterThan(25)
  })

  test('of an old file keeps every run, wherever it is killed', async () => {
    for (let statement = 1; ; statement += 1) {
      const file = join(folder, `upgraded-${statement}.db`)
      copyFileSync(FIXTURE, file)
      const ended = await startStoreChild('upgrade-killed', file, String(statement)).ended
      if (ended !== 0) expect(await startStoreChild('upgrade', file).ended).toBe(0)
      const db = new DatabaseSync(file)
      expect(db.prepare('SELECT id, later FROM thread ORDER BY id').all()).toEqual(
        ['thr_completed0', 'thr_midloop000', 'thr_waiting000'].map((id) => ({ id, later: 'yes' }))
      )
      expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: SCHEMA_VERSION + 1 })
      db.close()
      if (ended === 0) break
    }
  })

  test('by two processes at once is done by one of them', async () => {
    copyFileSync(FIXTURE, path)
    const children = [startStoreChild('upgrade', path), startStoreChild('upgrade', path)]
    expect(await Promise.all(children.map((child) => child.ended))).toEqual([0, 0])
    const db = new DatabaseSync(path)
    expect(db.prepare(`SELECT count(*) AS count FROM pragma_table_info('thread') WHERE name = 'later'`).get()).toEqual({ count: 1 })
    db.close()
  })

  test('by a newer program makes this one refuse the file and name both versions', async () => {
    copyFileSync(FIXTURE, path)
    const before = await sqliteStore(path)
    const kit = createStoreKit({ store: before, clock: fakeClock() })
    expect(await startStoreChild('upgrade', path).ended).toBe(0)
    // Also when it was open all the time: it writes nothing into a schema that it does not know.
    await expect(kit.start()).rejects.toMatchObject({ code: 'store_newer', details: { found: SCHEMA_VERSION + 1, known: SCHEMA_VERSION } })
    await before[Symbol.asyncDispose]()
    const bytes = readFileSync(path)
    await expect(sqliteStore(path)).rejects.toMatchObject({
      code: 'store_newer',
      details: { path, found: SCHEMA_VERSION + 1, known: SCHEMA_VERSION }
    })
    expect(readFileSync(path).equals(bytes)).toBe(true)
  })
})

describe('a file that is not a store', () => {
  test.each([
    ['of another program', 'PRAGMA application_id = 42; CREATE TABLE t (x)'],
    ['of another program without a mark', 'CREATE TABLE t (x)'],
    ['of another program with a log of its own', 'PRAGMA journal_mode = WAL; CREATE TABLE t (x)']
  ])('%s is refused and left as it is', async (_, sql) => {
    const other = new DatabaseSync(path)
    other.exec(sql)
    other.close()
    const bytes = readFileSync(path)
    await expect(sqliteStore(path)).rejects.toEqual(code('store_foreign'))
    expect(readFileSync(path).equals(bytes)).toBe(true)
    expect([existsSync(`${path}-wal`), existsSync(`${path}-shm`)]).toEqual([false, false])
  })

  test.each([
    ['text', Buffer.from('{"not":"a database"}\n')],
    ['a beginning only', Buffer.from('SQLite format 3\0')],
    ['noise', Buffer.alloc(8192, 0xa5)]
  ])('because it is %s is refused as corrupt, with its path, and left as it is', async (_, bytes) => {
    writeFileSync(path, bytes)
    await expect(sqliteStore(path)).rejects.toMatchObject({ code: 'store_corrupt', details: { path } })
    expect(readFileSync(path).equals(bytes)).toBe(true)
  })

  test('because it is a folder is refused as it is', async () => {
    mkdirSync(path)
    await expect(sqliteStore(path)).rejects.toEqual(code('store_foreign'))
  })
})
