import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AppendRequest, Store } from '../src/contracts/store.ts'
import { answeringModel } from '../src/models/scripted-model.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import { agentOf, factsOfType, folder, runtimeFor, toolOf, within } from './runtime-kit.ts'

/** A model that calls a tool in every turn up to one; it counts what it is asked. */
function walker(turns: number) {
  let requests = 0
  const model = answeringModel((prompt) => {
    requests += 1
    // One answer and one result for each turn, behind the first message.
    const turn = (prompt.length - 1) / 2
    const usage = { inputTokens: 10, outputTokens: 10 }
    return turn < turns ? { toolCalls: [{ name: 'step', arguments: { turn } }], usage } : { text: 'done', usage }
  })
  return Object.assign(model, { requests: () => requests })
}

const step = (bytes: number) => toolOf('step', (args) => `${(args as { turn: number }).turn} ${'x'.repeat(bytes)}`, { effect: 'read' })

describe('a long thread', () => {
  test('writes as much for a late step as for an early one', async () => {
    // B052
    const turns = 300
    const inner = memoryStore()
    const written: number[] = []
    const append = (request: AppendRequest) => {
      written.push(Buffer.byteLength(JSON.stringify(request)))
      return inner.append(request)
    }
    const runtime = runtimeFor(walker(turns), { store: { ...inner, append } })
    const handle = await runtime.start(agentOf({ tools: [step(20_000)], limits: { maxTurns: 1_000 } }), { input: 'go' })
    expect(await within(handle.settled(), 150_000)).toMatchObject({ status: 'completed' })
    const sum = (list: readonly number[]) => list.reduce((total, bytes) => total + bytes, 0)
    const perTurn = written.length / (turns + 1)
    expect(perTurn).toBeLessThan(2.1)
    const early = sum(written.slice(20, 120))
    const late = sum(written.slice(-120, -20))
    expect(late).toBeLessThan(1.01 * early)
    expect(late / 50).toBeLessThan(22_500)
  })

  test('of a thousand turns is read in few pages and goes on with the next message', async () => {
    // B052
    const turns = 1_000
    const path = join(await folder(), 'holdfast.db')
    const open = async () => {
      const store = await sqliteStore(path, { durability: 'process' })
      onTestFinished(() => store[Symbol.asyncDispose]())
      return store
    }
    const tools = [step(2_000)]
    const first = runtimeFor(walker(turns), { store: await open() })
    const { id } = await first.start(agentOf({ tools, limits: { maxTurns: 2_000 } }), { input: 'go' })
    expect(await within(first.thread(id).settled(), 150_000)).toMatchObject({ status: 'completed' })
    await first.close()
    const { store, reads } = countingReads(await open())
    const model = walker(0)
    const handle = runtimeFor(model, { store, tools }).thread(id)
    await handle.message('and now?')
    expect(await within(handle.settled(), 150_000)).toMatchObject({ status: 'completed', text: 'done' })
    expect(model.requests()).toBe(1)
    expect(reads()).toBeLessThan(10)
    expect(await factsOfType(handle, 'model.responded')).toHaveLength(turns + 2)
  })

  test('killed after a thousand turns goes on where it was', async () => {
    // B052
    const turns = 1_000
    const store = memoryStore()
    const tools = [step(100)]
    const last = toolOf('last', () => new Promise(() => {}), { effect: 'read' })
    const model = answeringModel((prompt) => {
      const turn = (prompt.length - 1) / 2
      return { toolCalls: [{ name: turn < turns ? 'step' : 'last', arguments: { turn } }], usage: { inputTokens: 1, outputTokens: 1 } }
    })
    const first = runtimeFor(model, { store })
    const { id } = await first.start(agentOf({ tools: [...tools, last], limits: { maxTurns: 2_000 } }), { input: 'go' })
    for await (const event of first.thread(id).events())
      if (event.type === 'call.started' && String(event.data['call']).endsWith('/1001.0')) break
    const later = answeringModel((prompt) => ({ text: `${prompt.length}` }))
    const done = toolOf('last', () => 'over', { effect: 'read' })
    const handle = runtimeFor(later, { store, tools: [...tools, done] }).thread(id)
    await handle.resume({ takeover: true })
    expect(await within(handle.settled(), 150_000)).toMatchObject({ status: 'completed', text: `${2 * turns + 3}` })
    expect(await factsOfType(handle, 'call.settled')).toHaveLength(turns + 1)
  })
})

describe('lists', () => {
  test('of many threads come in pages', async () => {
    // B052
    const runtime = runtimeFor(walker(0))
    for (let index = 0; index < 120; index++) await runtime.start(agentOf(), { input: 'go', idempotencyKey: `${index}` })
    const seen = new Set<string>()
    let pages = 0
    for (let after: string | undefined; ; pages++) {
      const page = await runtime.threads({ limit: 25, ...(after === undefined ? {} : { after }) })
      expect(page.items.length).toBeLessThanOrEqual(25)
      for (const thread of page.items) seen.add(thread.id)
      after = page.next
      if (after === undefined) break
    }
    expect(seen.size).toBe(120)
    expect(pages).toBeGreaterThanOrEqual(4)
    expect((await runtime.threads()).items.length).toBeLessThanOrEqual(120)
  })
})

function countingReads(store: Store) {
  let count = 0
  const read: Store['read'] = (...given) => {
    count += 1
    return store.read(...given)
  }
  return { store: { ...store, read }, reads: () => count }
}
