import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { artifactsOf } from '../src/contracts/fact-bodies.ts'
import type { Store } from '../src/contracts/store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { faultyStore } from '../src/testing/faulty-store.ts'
import { DAY_MS, converse, everyDigest, get, readAll, sqlite, talkative } from './large-bodies-kit.ts'
import { agentOf, factsOf, folder, latch, recordingModel, runtimeFor, toolOf, until, within } from './runtime-kit.ts'

describe('a process that dies at any of its writes', () => {
  const short = 'm'.repeat(70_000)

  test('leaves a run that another ends the same, and no artifact that its commits do not name', async () => {
    const clock = fakeClock()
    const path = join(await folder(), 'store.db')
    const run = async (store: Store, key: string) => {
      const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'get' }] } : { text: `${key} ${short}` }))
      const tool = toolOf('get', () => `${key} ${short}`, { effect: 'read' })
      const runtime = runtimeFor(model, { store, clock, tools: [tool] })
      const end = (async () => {
        const handle = await runtime.start(agentOf({ tools: ['get'] }), { input: `${key} ${short}`, idempotencyKey: key })
        await handle.resume({ takeover: true })
        return { handle, result: await handle.settled() }
      })()
      return { runtime, model, end }
    }
    const counted = faultyStore(await sqlite(path, clock))
    const undisturbed = await run(counted, 'u')
    await within(undisturbed.end)
    const { writes } = counted
    process.stdout.write(`crash matrix: ${writes} writes of a run with large bodies, two faults each\n`)
    // Another number is a change of what is committed when: look at it, then write it here.
    expect(writes).toBe(12)
    expect(await everyDigest(counted)).toHaveLength(3)
    for (let write = 1; write <= writes; write++) {
      for (const point of ['before', 'after'] as const) {
        const key = `${write} ${point}`
        const dead = latch()
        const store = faultyStore(await sqlite(path, clock), {
          fail({ index }) {
            if (index !== write) return null
            store.die()
            dead.open()
            return point
          }
        })
        const first = await run(store, key)
        first.end.catch(() => {})
        await within(Promise.race([dead.opened, first.end]))
        const next = await run(await sqlite(path, clock), key)
        const { handle, result } = await within(next.end)
        expect(result, key).toMatchObject({ status: 'completed', text: `${key} ${short}` })
        expect((await handle.verify()).problems, key).toEqual([])
        const unnamed = (await next.runtime.artifacts.list({ limit: 1000 })).items.filter((entry) => entry.threads === 0)
        expect(unnamed, key).toEqual([])
        // The dead process gets its time, too.
        await clock.advance(60_000)
        await first.runtime.close()
        await next.runtime.close()
      }
    }
  })

  test('between a put and its commit leaves bytes that are collected after a day, and nothing else', async () => {
    const clock = fakeClock()
    const path = join(await folder(), 'store.db')
    const dead = latch()
    const store = faultyStore(await sqlite(path, clock), {
      fail({ method }) {
        if (method !== 'artifacts.put') return null
        store.die()
        dead.open()
        return 'after'
      }
    })
    const first = runtimeFor(
      recordingModel(() => ({ text: 'ok' })),
      { store, clock }
    )
    const handle = await first.start(agentOf(), { input: short, idempotencyKey: 'k' })
    await within(dead.opened)
    const other = runtimeFor(
      recordingModel(() => ({ text: 'ok' })),
      { store: await sqlite(path, clock), clock, concurrency: 0 }
    )
    const list = async () => (await other.artifacts.list()).items.map(({ threads, at }) => ({ threads, at }))
    await until(async () => (await list()).length > 0)
    expect(await list()).toEqual([{ threads: 0, at: clock.now() }])
    expect((await other.thread(handle.id).log()).map((commit) => commit.sequence)).toEqual([1])
    await clock.advance(DAY_MS - 1)
    expect(await other.artifacts.collect()).toEqual({ artifacts: 0, bytes: 0 })
    await clock.advance(1)
    expect(await other.artifacts.collect()).toMatchObject({ artifacts: 1 })
    expect(await list()).toEqual([])
    await expect(other.artifacts.collect({ olderThanMs: DAY_MS - 1 })).rejects.toMatchObject({ code: 'invalid_input' })
  })
})

describe('a body whose artifact is damaged', () => {
  test('is refused, the thread says what is wrong and loses nothing, and goes on when the bytes are right again', async () => {
    const path = join(await folder(), 'store.db')
    const store = await sqlite(path, undefined)
    const runtime = runtimeFor(talkative(), { store, tools: [get] })
    const { id } = await converse(runtime)
    await runtime.close()
    const [digest = ''] = artifactsOf((await factsOf(runtime.thread(id))).filter((fact) => fact.type === 'call.settled'))
    const bytes = await store.artifacts.get('default', digest)
    using db = new DatabaseSync(path)
    db.prepare('UPDATE artifact_bytes SET bytes = ? WHERE artifact = (SELECT no FROM artifact WHERE digest = ?)').run(
      bytes.slice(1),
      digest
    )
    const other = runtimeFor(talkative(), { store, tools: [get] })
    const thread = other.thread(id)
    const wrong = { code: 'artifact_corrupt', details: { digest, thread: id, sequence: expect.any(Number) } }
    await expect(thread.log(1, 80_000_000, { bodies: 'whole' })).rejects.toMatchObject(wrong)
    await expect(readAll(thread.export())).rejects.toMatchObject({ code: 'artifact_corrupt' })
    await thread.message('go on', { id: 'm' })
    await expect(within(thread.settled())).rejects.toMatchObject(wrong)
    expect((await thread.verify()).problems).toEqual([{ what: 'artifacts', message: expect.any(String), sequence: expect.any(Number) }])
    expect((await thread.info()).pending).toBe(1)
    expect(await factsOf(thread)).not.toEqual([])
    db.prepare('DELETE FROM artifact WHERE digest = ?').run(digest)
    await expect(thread.log(1, 80_000_000, { bodies: 'whole' })).rejects.toMatchObject({ ...wrong, code: 'artifact_missing' })
    await store.artifacts.put('default', bytes)
    await thread.message('now it is right')
    expect(await within(thread.settled())).toMatchObject({ status: 'completed', text: 'short' })
    const said = (await factsOf(thread)).filter((fact) => fact.type === 'message.received')
    expect(said.slice(1).map((fact) => 'inline' in fact.parts && fact.parts.inline)).toMatchObject([
      [{ text: 'go on' }],
      [{ text: 'now it is right' }]
    ])
  })

  test('that no commit is counted for is found by a check', async () => {
    const path = join(await folder(), 'store.db')
    const runtime = runtimeFor(talkative(), { store: await sqlite(path, undefined), tools: [get] })
    const handle = await converse(runtime)
    using db = new DatabaseSync(path)
    db.exec('DELETE FROM artifact_use')
    expect((await handle.verify()).problems).toMatchObject([{ what: 'artifacts' }])
  })
})
