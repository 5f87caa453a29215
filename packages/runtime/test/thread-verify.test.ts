import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { RunHandle } from '../src/contracts/thread-handle.ts'
import type { Runtime } from '../src/contracts/api.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import { agentOf, folder, recordingModel, runtimeFor, toolOf, until, within } from './runtime-kit.ts'

/** A thread with two runs, one with a call, in a file that the test may change. */
async function ended(): Promise<{ readonly db: DatabaseSync; readonly run: RunHandle; readonly runtime: Runtime }> {
  const path = join(await folder(), 'store.db')
  const store = await sqliteStore(path, { durability: 'process' })
  const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'look' }] } : { text: 'done' }))
  const runtime = runtimeFor(model, { store, tools: [toolOf('look', () => 'seen', { effect: 'read' })] })
  const run = await runtime.start(agentOf({ tools: ['look'] }), { input: 'go' })
  await within(run.settled())
  await run.message('more', { id: 'm1' })
  await within(run.settled())
  const db = new DatabaseSync(path)
  onTestFinished(async () => {
    db.close()
    await runtime.close()
    await store[Symbol.asyncDispose]()
  })
  return { db, run, runtime }
}

describe('a check of a thread', () => {
  test('finds nothing where nothing was changed', async () => {
    const { run } = await ended()
    const { head } = await run.info()
    expect(await run.verify()).toEqual({ thread: run.id, head, problems: [] })
  })

  test('finds nothing in the runs of a thread whose next run began in the commit that ended the one before it', async () => {
    const model = recordingModel(async ({ request }) => {
      if (request === 1) await handle.message('in time for the next run', { id: 'm1' })
      return request === 1 ? { text: 'cut', finish: 'length', usage: { inputTokens: 3, outputTokens: 2 } } : { text: 'done' }
    })
    const runtime = runtimeFor(model)
    const handle = await runtime.start(agentOf(), { input: 'go' })
    await until(async () => (await handle.runs()).length === 2)
    await within(handle.settled())
    expect((await handle.runs()).map((run) => run.status)).toEqual(['failed', 'completed'])
    expect((await handle.verify()).problems).toEqual([])
  })

  test('finds nothing while the thread is driven, and calls it busy when it never stands still', async () => {
    const model = recordingModel(() => ({ text: 'slow', delayMs: 60_000 }))
    const runtime = runtimeFor(model)
    const run = await runtime.start(agentOf(), { input: 'go' })
    await until(() => model.prompts.length === 1)
    expect((await run.verify()).problems).toEqual([])
    const { store } = runtime
    let head = 1
    const restless = { ...store, thread: async (id: string) => ({ ...(await store.thread(id)), head: head++ }) as never }
    const other = runtimeFor(model, { store: restless, concurrency: 0 })
    await expect(other.thread(run.id).verify()).rejects.toMatchObject({ code: 'thread_busy' })
  })

  test.for([
    ['the row', `UPDATE thread SET row = json_set(row, '$.turns', 77, '$.usage.inputTokens', 1)`, [{ what: 'row' }]],
    ['a field of the row that no log gives', `UPDATE thread SET row = json_set(row, '$.extra', 1)`, [{ what: 'row' }]],
    ['the time', 'UPDATE thread SET at = at + 1', [{ what: 'row' }]],
    ['the attempt', 'UPDATE thread SET attempt = 1', [{ what: 'row' }]],
    ['a run', `UPDATE run SET row = json_set(row, '$.status', 'failed') WHERE started_in = 2`, [{ what: 'runs' }]],
    ['the list of runs', 'DELETE FROM run WHERE started_in > 2', [{ what: 'runs' }]],
    ['an item that was taken', `UPDATE item SET state = 1, body = 'null' WHERE id = 'm1'`, [{ what: 'items' }]],
    ['the commit of an item', `UPDATE item SET taken_in = 2 WHERE id = 'm1'`, [{ what: 'items' }]],
    ['an item that is gone', `DELETE FROM item WHERE id = 'm1'`, [{ what: 'items' }]],
    ['a wait', `INSERT INTO wait SELECT 1, 'w', tenant, id, root, 'approval', 'open', '{"id":"w"}' FROM thread`, [{ what: 'waits' }]],
    ['the end of the log', 'DELETE FROM log WHERE sequence = (SELECT max(sequence) FROM log)', [{ what: 'log' }, { what: 'row' }]],
    ['the publication', `UPDATE publication SET definition = json_set(definition, '$.name', 'other')`, [{ what: 'publication' }]],
    ['a publication that is gone', 'DELETE FROM publication', [{ what: 'publication' }]]
  ] as const)('finds a change of %s', async ([, sql, problems]) => {
    const { db, run } = await ended()
    db.exec(sql)
    const found = (await run.verify()).problems
    expect(found.map(({ what }) => ({ what }))).toEqual(expect.arrayContaining([...problems]))
    expect(found.every(({ what }) => problems.some((problem) => problem.what === what) || what === 'runs')).toBe(true)
  })

  test('names every commit that was damaged or written by a newer program', async () => {
    const { db, run } = await ended()
    db.exec(`UPDATE log SET facts = substr(facts, 2) WHERE sequence = 4`)
    db.exec('UPDATE log SET format = 99 WHERE sequence = 6')
    const { problems } = await run.verify()
    expect(problems.map(({ what, sequence }) => [what, sequence])).toEqual([
      ['log', 4],
      ['log', 6]
    ])
  })
})
