import { expect, test } from 'vitest'
import { agentOf, latch, recordingModel, runtimeFor, toolOf, until, within } from './runtime-kit.ts'

test('a thread at rest is removed with its log, once, and its key begins another', async () => {
  const model = recordingModel(() => ({ text: 'done' }))
  const runtime = runtimeFor(model)
  const kept = await runtime.start(agentOf(), { input: 'stay' })
  const run = await runtime.start(agentOf(), { input: 'go', idempotencyKey: 'key' })
  await within(Promise.all([run.settled(), kept.settled()]))
  expect(await run.remove()).toBe(true)
  expect(await run.remove()).toBe(false)
  await expect(run.info()).rejects.toMatchObject({ code: 'thread_not_found' })
  await expect(run.message('hello')).rejects.toMatchObject({ code: 'thread_not_found' })
  expect((await runtime.threads()).items.map(({ id }) => id)).toEqual([kept.id])
  const again = await runtime.start(agentOf(), { input: 'something else', idempotencyKey: 'key' })
  expect(again).toMatchObject({ created: true, id: run.id })
  expect(await within(again.settled())).toMatchObject({ status: 'completed' })
})

test('a thread that somebody drives, that has a message to read, or whose run was let go is not removed', async () => {
  const held = latch()
  const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'hold' }] } : { text: 'done' }))
  const tools = [toolOf('hold', () => held.opened.then(() => 'ok'), { effect: 'read' })]
  const first = runtimeFor(model, { tools })
  const run = await first.start(agentOf({ tools: ['hold'] }), { input: 'go' })
  await until(() => model.prompts.length === 1)
  await expect(run.remove()).rejects.toMatchObject({ code: 'thread_busy', details: { status: 'running', worker: expect.any(String) } })
  await first.close({ graceMs: 0 })
  await expect(run.remove()).rejects.toMatchObject({ code: 'thread_busy', details: { status: 'running' } })
  held.open()
  const second = runtimeFor(model, { tools, store: first.store })
  const thread = second.thread(run.id)
  await thread.resume()
  await within(thread.settled())
  const looking = runtimeFor(model, { store: first.store, concurrency: 0 }).thread(run.id)
  await looking.message('read me')
  await expect(looking.remove()).rejects.toMatchObject({ code: 'thread_busy', details: { status: 'completed', pending: 1 } })
})

test('a thread whose run was let go is removed as it stands when that is asked for', async () => {
  const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'hold' }] } : { text: 'done' }))
  const tools = [toolOf('hold', (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', reject)))]
  const first = runtimeFor(model, { tools })
  const run = await first.start(agentOf({ tools: ['hold'] }), { input: 'go' })
  await until(() => model.prompts.length === 1)
  await expect(run.remove({ unfinished: true })).rejects.toMatchObject({ code: 'thread_busy' })
  await first.close({ graceMs: 0 })
  // One that could drive it no more than it can look for its tools.
  const without = runtimeFor(model, { store: first.store }).thread(run.id)
  await expect(without.remove()).rejects.toMatchObject({ code: 'thread_busy' })
  expect(await without.remove({ unfinished: true })).toBe(true)
  expect(await without.remove({ unfinished: true })).toBe(false)
})

test('a thread of another tenant is not there', async () => {
  const model = recordingModel(() => ({ text: 'done' }))
  const runtime = runtimeFor(model)
  const run = await runtime.start(agentOf(), { input: 'go' })
  await within(run.settled())
  const stranger = runtimeFor(model, { store: runtime.store, tenant: 'other' }).thread(run.id)
  expect(await stranger.remove()).toBe(false)
  for (const read of [() => stranger.verify(), () => stranger.prompt(1), () => stranger.publication(), () => stranger.retry()]) {
    await expect(read()).rejects.toMatchObject({ code: 'thread_not_found' })
  }
  await expect(stranger.export()[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'thread_not_found' })
  expect((await run.info()).row.status).toBe('completed')
})
