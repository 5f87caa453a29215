import { describe, expect, test } from 'vitest'
import type { StartOptions } from '../src/contracts/api.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { faultyStore } from '../src/testing/faulty-store.ts'
import { agentOf, recordingModel, runtimeFor, sqlite, userTexts, within } from './runtime-kit.ts'

const answering = () => recordingModel(({ request }) => ({ text: `answer ${request}` }))
const AGENT = agentOf({ variables: [{ key: 'name', type: 'string', value: 'Ada' }] })
const KEYED: StartOptions = { input: 'go', idempotencyKey: 'order 7' }

describe.each([
  { name: 'memory', open: async () => memoryStore() },
  { name: 'SQLite', open: sqlite }
])('a start with a key over $name', ({ open }) => {
  test('again is the thread and the run that it made, also later and elsewhere', async () => {
    const store = await open()
    const model = answering()
    const runtime = runtimeFor(model, { store })
    const first = await runtime.start(AGENT, KEYED)
    expect(first.created).toBe(true)
    expect(await within(first.settled())).toMatchObject({ run: first.run, text: 'answer 1' })
    await first.message('more')
    expect(await within(first.settled())).toMatchObject({ text: 'answer 2' })
    for (const elsewhere of [runtime, runtimeFor(model, { store })]) {
      const again = await elsewhere.start(AGENT, KEYED)
      expect(again).toMatchObject({ thread: first.thread, id: first.thread, run: first.run, created: false })
      expect(await within(again.settled())).toMatchObject({ text: 'answer 2' })
    }
    expect(model.prompts).toHaveLength(2)
    expect((await runtime.threads()).items).toHaveLength(1)
  })

  test('at the same time makes one thread', async () => {
    const store = await open()
    const model = answering()
    const runtimes = [runtimeFor(model, { store }), runtimeFor(model, { store })]
    const handles = await Promise.all([0, 1, 0, 1, 0].map((index) => runtimes[index]?.start(AGENT, KEYED)))
    expect(new Set(handles.map((handle) => handle?.thread)).size).toBe(1)
    expect(handles.filter((handle) => handle?.created)).toHaveLength(1)
    for (const handle of handles) expect(await within(handle?.settled() ?? Promise.reject())).toMatchObject({ text: 'answer 1' })
    expect(model.prompts).toHaveLength(1)
  })

  test.each<[string, Partial<Parameters<typeof agentOf>[0]>, StartOptions]>([
    ['another input', {}, { ...KEYED, input: 'stop' }],
    ['another variable', {}, { ...KEYED, variables: { name: 'Bob' } }],
    ['another definition', { systemPrompt: 'Be brief.' }, KEYED]
  ])('with %s is a conflict and starts nothing', async (_, over, options) => {
    const model = answering()
    const runtime = runtimeFor(model, { store: await open() })
    await within((await runtime.start(AGENT, KEYED)).settled())
    await expect(runtime.start({ ...AGENT, ...over }, options)).rejects.toMatchObject({ code: 'conflict' })
    expect((await runtime.threads()).items).toHaveLength(1)
    expect(model.prompts).toHaveLength(1)
  })

  test('is another thread for another tenant, and without a key for every start', async () => {
    const store = await open()
    const model = answering()
    const starts = [
      await runtimeFor(model, { store }).start(AGENT, KEYED),
      await runtimeFor(model, { store, tenant: 'other' }).start(AGENT, KEYED),
      await runtimeFor(model, { store }).start(AGENT, { input: 'go' }),
      await runtimeFor(model, { store }).start(AGENT, { input: 'go' })
    ]
    expect(new Set(starts.map((start) => start.thread)).size).toBe(4)
    for (const start of starts) await within(start.settled())
  })

  test.each(['before', 'after'] as const)('whose answer was lost %s the commit can be repeated', async (point) => {
    const store = await open()
    const model = answering()
    const failing = runtimeFor(model, { store: faultyStore(store, { fail: ({ method }) => (method === 'create' ? point : null) }) })
    await expect(failing.start(AGENT, KEYED)).rejects.toMatchObject({ code: 'store_unavailable' })
    const handle = await runtimeFor(model, { store }).start(AGENT, KEYED)
    expect(handle.created).toBe(point === 'before')
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
    expect(userTexts(model.prompts[0])).toEqual(['go'])
  })
})

describe('a start', () => {
  test.each<[string, StartOptions, string]>([
    ['without a message of its own or of the definition', {}, 'invalid_input'],
    ['with an empty message', { input: ' ' }, 'invalid_input'],
    ['with a variable that is not declared', { input: 'go', variables: { nme: 'x' } }, 'invalid_input'],
    ['with a variable of another type', { input: 'go', variables: { name: 1 } }, 'invalid_input'],
    ['with a message that is too large', { input: 'x'.repeat(16_777_216) }, 'value_too_large'],
    ['with a variable that is too large', { input: 'go', variables: { name: 'x'.repeat(50_000_000) } }, 'value_too_large'],
    ['with a variable that just does not fit', { input: 'go', variables: { name: 'x'.repeat(16_777_200) } }, 'value_too_large']
  ])('%s is refused before anything is written', async (_, options, code) => {
    // B052
    const runtime = runtimeFor(answering())
    await expect(runtime.start(AGENT, options)).rejects.toMatchObject({ code })
    expect((await runtime.threads()).items).toEqual([])
  })

  test('with a variable that just fits runs', async () => {
    const runtime = runtimeFor(answering())
    const handle = await runtime.start(AGENT, { input: 'x'.repeat(400_000), variables: { name: 'x'.repeat(16_000_000) } })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
  })
})
