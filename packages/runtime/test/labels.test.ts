import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Store } from '../src/contracts/store.ts'
import { createSecretRegistry } from '../src/secrets.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { checkSqliteFile } from '../src/stores/sqlite-maintenance.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import { agentOf, folder, recordingModel, runtimeFor, within } from './runtime-kit.ts'

const AGENT = agentOf({})
const model = () => recordingModel(() => ({ text: 'done' }))

async function sqlite(path: string): Promise<Store> {
  const store = await sqliteStore(path, { durability: 'process' })
  onTestFinished(() => store[Symbol.asyncDispose]())
  return store
}

async function textsOf(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const texts: string[] = []
  for await (const line of lines) texts.push(line)
  return texts
}

describe('labels of a thread', () => {
  test('come with its birth, are listed and filtered by, and go with its export', async () => {
    const store = await sqlite(join(await folder(), 'holdfast.db'))
    const runtime = runtimeFor(model(), { store })
    const labels = { team: 'blue', 'app/env': 'test' }
    const run = await runtime.start(AGENT, { input: 'go', labels })
    await runtime.start(AGENT, { input: 'go', labels: { team: 'red' } })
    await within(run.settled())
    expect((await run.info()).labels).toEqual(labels)
    expect((await runtime.threads({ labels: { team: 'blue' } })).items.map(({ id }) => id)).toEqual([run.thread])
    const [birth] = await run.log()
    expect(birth?.facts[0]).toMatchObject({ type: 'thread.created', labels })
    expect((await run.verify()).problems).toEqual([])
    const lines = await textsOf(run.export())
    for (const other of [memoryStore(), await sqlite(join(await folder(), 'holdfast.db'))]) {
      const elsewhere = runtimeFor(model(), { store: other })
      await elsewhere.import(lines)
      expect((await elsewhere.threads({ labels })).items.map((each) => [each.id, each.labels])).toEqual([[run.thread, labels]])
      expect(await textsOf(elsewhere.thread(run.thread).export())).toEqual(lines)
    }
  })

  test('are part of what a key stands for', async () => {
    const runtime = runtimeFor(model(), { store: memoryStore() })
    const first = await runtime.start(AGENT, { input: 'go', idempotencyKey: 'k', labels: { a: '1', b: '2' } })
    expect(await runtime.start(AGENT, { input: 'go', idempotencyKey: 'k', labels: { b: '2', a: '1' } })).toMatchObject({
      thread: first.thread,
      created: false
    })
    await expect(runtime.start(AGENT, { input: 'go', idempotencyKey: 'k', labels: { a: '2' } })).rejects.toMatchObject({ code: 'conflict' })
  })

  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, '']))
  test.each([
    ['more than 16', many(17)],
    ['a key of 64 characters', { ['k'.repeat(64)]: '' }],
    ['a key without characters', { '': 'x' }],
    ['a key with a space', { 'a b': 'x' }],
    ['a key that begins with a dash', { '-a': 'x' }],
    ['a key that is the name of a prototype', JSON.parse('{"__proto__": "x"}')],
    ['a value of 257 characters', { a: 'x'.repeat(257) }],
    ['a value with an escape sequence', { a: '\u001b[31m' }],
    ['a value of two lines', { a: 'x\ny' }],
    ['a value that is not well-formed', { a: '\ud800' }],
    ['a value that is no text', { a: 1 }],
    ['a list', ['a']]
  ])('are refused: %s', async (_, labels) => {
    const runtime = runtimeFor(model(), { store: memoryStore() })
    await expect(runtime.start(AGENT, { input: 'go', labels: labels as { [key: string]: string } })).rejects.toMatchObject({
      code: 'invalid_input'
    })
    expect((await runtime.threads()).items).toEqual([])
  })

  test('may be 16, with keys of 63 and values of 256 characters', async () => {
    const runtime = runtimeFor(model(), { store: memoryStore() })
    const labels = { ...many(15), ['k'.repeat(63)]: '漢'.repeat(256) }
    expect((await (await runtime.start(AGENT, { input: 'go', labels })).info()).labels).toEqual(labels)
  })

  // B114
  test('hold no secret', async () => {
    const secrets = createSecretRegistry()
    secrets.add('KEY', 'correct-horse-battery')
    const runtime = runtimeFor(model(), { store: memoryStore(), secrets })
    const refused = runtime.start(AGENT, { input: 'go', labels: { a: 'x correct-horse-battery' } })
    await expect(refused).rejects.toMatchObject({ code: 'invalid_input', details: { secrets: ['KEY'] } })
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining('correct-horse') })
  })

  test('of an import are held to the bounds of a start', async () => {
    const runtime = runtimeFor(model(), { store: memoryStore() })
    const run = await runtime.start(AGENT, { input: 'go', labels: { team: 'blue' } })
    await within(run.settled())
    const lines = (await textsOf(run.export())).map((line) => line.replace('"blue"', '"bl\\nue"'))
    const elsewhere = runtimeFor(model(), { store: memoryStore() })
    await expect(elsewhere.import(lines)).rejects.toMatchObject({ code: 'invalid_input', details: { line: 3 } })
  })

  test('that were changed beside the log, or belong to no thread, are found', async () => {
    const path = join(await folder(), 'holdfast.db')
    const runtime = runtimeFor(model(), { store: await sqlite(path) })
    const run = await runtime.start(AGENT, { input: 'go', labels: { team: 'blue' } })
    await within(run.settled())
    expect((await checkSqliteFile(path)).problems).toEqual([])
    using db = new DatabaseSync(path)
    db.exec(`UPDATE thread SET labels = '{"team":"red"}'; INSERT INTO label VALUES ('default', 'a', 'b', 1, 4711)`)
    expect((await run.verify()).problems).toMatchObject([{ what: 'row' }])
    expect((await checkSqliteFile(path)).problems).toHaveLength(1)
  })
})
