import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { FORMAT } from '../src/contracts/fact.ts'
import { createRuntime } from '../src/runtime.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import { agentOf, folder, recordingModel, within } from './runtime-kit.ts'

/** What a newer program leaves: a commit of a format that this one does not know. */
function raiseFormat(path: string, thread: string): void {
  const db = new DatabaseSync(path)
  const { no } = db.prepare('SELECT no FROM thread WHERE id = ?').get(thread) ?? {}
  db.prepare('UPDATE log SET format = ? WHERE thread = ?').run(FORMAT + 1, Number(no))
  db.prepare('UPDATE thread SET format = ? WHERE no = ?').run(FORMAT + 1, Number(no))
  db.close()
}

// I15, I20
test('a thread that a newer program has written to is refused, left as it is, and keeps no other from being driven', async () => {
  const path = join(await folder(), 'holdfast.db')
  await using store = await sqliteStore(path, { durability: 'process' })
  const main = recordingModel(() => ({ text: 'done' }))
  await using client = createRuntime({ store, models: { main }, concurrency: 0 })
  const newer = await client.start(agentOf(), { input: 'one' })
  const other = await client.start(agentOf(), { input: 'two' })
  raiseFormat(path, newer.id)
  const before = await newer.info()

  await using runtime = createRuntime({ store, models: { main }, recover: true })
  expect(await within(runtime.thread(other.id).settled())).toMatchObject({ status: 'completed' })
  await expect(within(runtime.thread(newer.id).resume())).rejects.toMatchObject({ code: 'format_unknown' })
  await expect(within(runtime.thread(newer.id).resume({ takeover: true }))).rejects.toMatchObject({ code: 'format_unknown' })
  await expect(runtime.thread(newer.id).log()).rejects.toMatchObject({ code: 'format_unknown' })
  expect(await newer.info()).toEqual(before)
})
