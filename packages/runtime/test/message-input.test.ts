import { describe, expect, test } from 'vitest'
import { memoryStore } from '../src/stores/memory-store.ts'
import { agentOf, factsOfType, recordingModel, runtimeFor, userTexts, within } from './runtime-kit.ts'

describe('a message', () => {
  test.for<[string, unknown]>([
    ['a file at what is no URL', [{ type: 'file', mediaType: 'image/png', source: { url: 'not a url' } }]],
    ['a file without a source', [{ type: 'file', mediaType: 'image/png' }]],
    ['a file of no media type', [{ type: 'file', source: { text: 'x' } }]],
    ['a file whose name is no text', [{ type: 'file', mediaType: 'text/plain', filename: 7, source: { text: 'x' } }]],
    ['a file with a reference of numbers', [{ type: 'file', mediaType: 'text/plain', source: { reference: { openai: 1 } } }]],
    ['a text without text', [{ type: 'text' }]],
    ['metadata that is no object', [{ type: 'text', text: 'x', metadata: { openai: 1 } }]],
    ['a part of another type', [{ type: 'reasoning', text: 'x' }]],
    ['nothing in the place of a part', [null]],
    ['a number', 5],
    ['an object', {}],
    ['nothing', null]
  ])('that holds %s is refused before it is accepted', async ([, parts]) => {
    const handle = await runtimeFor(recordingModel(() => ({ text: 'done' }))).start(agentOf(), { input: 'go' })
    await expect(handle.message(parts as never)).rejects.toMatchObject({ code: 'invalid_input' })
    expect((await within(handle.settled())).status).toBe('completed')
  })

  test.for(['', '\ud800', 'x'.repeat(600)])('under the id %j is refused', async (id) => {
    const handle = await runtimeFor(recordingModel(() => ({ text: 'done' }))).start(agentOf(), { input: 'go' })
    await expect(handle.message('more', { id })).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('one of very many is taken like one of few', async () => {
    const store = memoryStore()
    const model = recordingModel(() => ({ text: 'done' }))
    const handle = await runtimeFor(model, { store, concurrency: 0 }).start(agentOf(), { input: 'go' })
    for (let number = 1; number <= 1_200; number++) await handle.message(`message ${number}`)
    const driven = runtimeFor(model, { store }).thread(handle.id)
    await driven.resume()
    expect((await within(driven.settled())).status).toBe('completed')
    expect((await driven.info()).pending).toBe(0)
    expect(userTexts(model.prompts.at(-1))).toHaveLength(1_201)
  })

  test('one of very many is returned by a cancel', async () => {
    const store = memoryStore()
    const model = recordingModel(() => ({ text: 'done' }))
    const handle = await runtimeFor(model, { store, concurrency: 0 }).start(agentOf(), { input: 'go' })
    for (let number = 1; number <= 1_200; number++) await handle.message(`message ${number}`)
    await handle.cancel()
    const driven = runtimeFor(model, { store }).thread(handle.id)
    await driven.resume()
    expect((await within(driven.settled())).status).toBe('cancelled')
    expect(await factsOfType(driven, 'message.returned')).toHaveLength(1_200)
    expect(model.prompts).toHaveLength(0)
  })
})

test.for(['', '\ud800'])('an idempotency key %j is refused', async (idempotencyKey) => {
  const runtime = runtimeFor(recordingModel(() => ({ text: 'done' })))
  await expect(runtime.start(agentOf(), { input: 'go', idempotencyKey })).rejects.toMatchObject({ code: 'invalid_input' })
})
