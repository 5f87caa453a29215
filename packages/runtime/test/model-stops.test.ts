import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import type { LanguageModel } from '../src/contracts/model.ts'
import { readResponse } from '../src/effects/read-response.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { agentOf, factsOfType, latch, recordingModel, runThrough, runtimeFor, until, within } from './runtime-kit.ts'
import { finish, streamOf, text } from './stream-parts.ts'

/** A model that does not listen to its signal: its first stream does not come before it is too late, or never ends. */
function deafModel(place: 'before its stream' | 'in its stream') {
  const model = recordingModel(() => ({ text: 'done' }))
  const begun = latch<AbortSignal | undefined>()
  const late = Promise.withResolvers<never>()
  const seen = { isCancelled: false }
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      controller.enqueue(text('t', 'the beginning'))
    },
    cancel() {
      seen.isCancelled = true
    }
  })
  const doStream: LanguageModel['doStream'] = (call) => {
    if (model.calls.length > 0) return model.doStream(call)
    model.calls.push(call)
    begun.open(call.abortSignal)
    return place === 'before its stream' ? late.promise : Promise.resolve({ stream })
  }
  // Nobody waits for it: it must not end as an error that nobody has caught.
  const fail = (): void => late.reject(new Error('too late'))
  return { model: { ...model, doStream }, begun: begun.opened, seen, fail }
}

describe.each(['before its stream', 'in its stream'] as const)('a model that does not listen and is stopped %s', (place) => {
  test('by a cancel is told so, its stream is given up, and what it says late counts for nothing', async () => {
    const { model, begun, seen, fail } = deafModel(place)
    const handle = await runtimeFor(model).start(agentOf(), { input: 'go' })
    const signal = await within(begun)
    await handle.cancel()
    expect(await within(handle.settled())).toMatchObject({ status: 'cancelled' })
    expect(signal?.aborted).toBe(true)
    expect(seen.isCancelled).toBe(place === 'in its stream')
    if (place === 'before its stream') fail()
    await new Promise((resolve) => setImmediate(resolve))
    expect(await factsOfType(handle, 'model.failed')).toMatchObject([{ why: 'aborted' }])
  })

  test('by a runtime that closes is told so, and is asked again elsewhere', async () => {
    const store = memoryStore()
    const { model, begun, seen } = deafModel(place)
    const runtime = runtimeFor(model, { store })
    const handle = await runtime.start(agentOf(), { input: 'go' })
    const signal = await within(begun)
    await within(runtime.close({ graceMs: 0 }))
    expect(signal?.aborted).toBe(true)
    expect(seen.isCancelled).toBe(place === 'in its stream')
    const other = runtimeFor(model, { store, recover: true }).thread(handle.id)
    expect(await within(other.settled())).toMatchObject({ status: 'completed', text: 'done' })
    expect(await factsOfType(other, 'model.failed')).toMatchObject([{ why: 'lost' }])
  })

  test('by a runtime that takes the thread over is told so, and nothing of it is kept', async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const { model, begun, seen } = deafModel(place)
    const handle = await runtimeFor(model, { store, clock }).start(agentOf(), { input: 'go' })
    const signal = await within(begun)
    const other = runtimeFor(model, { store, clock }).thread(handle.id)
    await other.resume({ takeover: true })
    expect(await within(other.settled())).toMatchObject({ status: 'completed', text: 'done' })
    await clock.advance(1_000)
    expect(signal?.aborted).toBe(true)
    expect(seen.isCancelled).toBe(place === 'in its stream')
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'completed' })
    expect(await factsOfType(handle, 'model.failed')).toMatchObject([{ why: 'lost' }])
    expect(await factsOfType(handle, 'model.responded')).toHaveLength(1)
  })

  test('by its timeout is told so, and is asked again', async () => {
    const clock = fakeClock()
    const { model, begun, seen } = deafModel(place)
    const handle = await runtimeFor(model, { clock }).start(agentOf({ limits: { providerTimeoutMs: 3_000 } }), { input: 'go' })
    const signal = await within(begun)
    await clock.advance(2_999)
    expect(signal?.aborted).toBe(false)
    await clock.advance(1)
    expect(signal?.aborted).toBe(true)
    expect(seen.isCancelled).toBe(place === 'in its stream')
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'completed', text: 'done' })
    expect(await factsOfType(handle, 'model.failed')).toMatchObject([{ why: 'transient', error: { code: 'provider_timeout' } }])
  })
})

describe('a model that is never found', () => {
  function seeking() {
    const begun = latch()
    const model = recordingModel(() => ({ text: 'done' }))
    const models = () => {
      begun.open()
      return new Promise<never>(() => {})
    }
    return { begun, model, models }
  }

  test('does not hold up a cancel', async () => {
    const { begun, model, models } = seeking()
    const handle = await runtimeFor(model, { models }).start(agentOf(), { input: 'go' })
    await within(begun.opened)
    await handle.cancel()
    expect(await within(handle.settled())).toMatchObject({ status: 'cancelled' })
    expect(await factsOfType(handle, 'model.failed')).toMatchObject([{ why: 'aborted' }])
  })

  test('does not hold up a runtime that closes, and is looked for again elsewhere', async () => {
    const store = memoryStore()
    const { begun, model, models } = seeking()
    const runtime = runtimeFor(model, { models, store })
    const handle = await runtime.start(agentOf(), { input: 'go' })
    await within(begun.opened)
    await within(runtime.close({ graceMs: 0 }))
    const other = runtimeFor(model, { store, recover: true }).thread(handle.id)
    expect(await within(other.settled())).toMatchObject({ status: 'completed', text: 'done' })
    expect(await factsOfType(other, 'model.failed')).toMatchObject([{ why: 'lost' }])
  })

  test('is given up after the time that a provider has', async () => {
    const clock = fakeClock()
    const { model, models } = seeking()
    const limits = { providerTimeoutMs: 3_000, maxRetries: 1 }
    const handle = await runtimeFor(model, { models, clock }).start(agentOf({ limits }), { input: 'go' })
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'failed', error: { code: 'provider_timeout' } })
  })
})

test('a model that answers its signal with an error of its own is stopped, and has not failed', async () => {
  const model = recordingModel(() => ({ text: 'done' }))
  const begun = latch()
  const listening: LanguageModel = {
    ...model,
    doStream: ({ abortSignal }) =>
      new Promise((_, reject) => {
        abortSignal?.addEventListener('abort', () => reject(new Error('429 overloaded')))
        begun.open()
      })
  }
  const handle = await runtimeFor(listening).start(agentOf(), { input: 'go' })
  await within(begun.opened)
  await handle.cancel()
  expect(await within(handle.settled())).toMatchObject({ status: 'cancelled' })
  expect(await factsOfType(handle, 'model.failed')).toMatchObject([{ why: 'aborted' }])
})

test.each([
  [
    'throws',
    (error: unknown): never => {
      throw error
    }
  ],
  [
    'rejects',
    async (error: unknown): Promise<never> => {
      throw error
    }
  ],
  ['sends', async (error: unknown) => ({ stream: streamOf([{ type: 'error', error }]) })]
])('a model that %s what throws when it is looked at has failed', async (_, fail) => {
  const clock = fakeClock()
  const model = recordingModel(() => ({ text: 'done' }))
  const unreadable = new Proxy(
    {},
    {
      get() {
        throw new Error('not for you')
      }
    }
  )
  const failing: LanguageModel = {
    ...model,
    doStream: (call) => {
      if (model.calls.length > 0) return model.doStream(call)
      model.calls.push(call)
      return fail(unreadable)
    }
  }
  const handle = await runtimeFor(failing, { clock }).start(agentOf(), { input: 'go' })
  expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'completed', text: 'done' })
  expect(await factsOfType(handle, 'model.failed')).toMatchObject([{ why: 'transient', error: { code: 'provider_unavailable' } }])
})

describe('behind its finish a stream', () => {
  const parts = [text('t', 'done'), finish('stop', 1, 1)]

  test('that stays open is waited for a second and no longer', async () => {
    const clock = fakeClock()
    const reading = readResponse(streamOf(parts, 'stay'), { signal: new AbortController().signal, clock, maxBytes: 1_000 })
    await until(() => clock.sleepers === 1)
    await clock.advance(999)
    expect(clock.sleepers).toBe(1)
    await clock.advance(1)
    expect(await within(reading)).toMatchObject({ kind: 'responded', parts: [{ text: 'done' }] })
  })

  test.each([
    ['ends', 'close'],
    ['breaks', new Error('terminated')]
  ] as const)('that %s is not waited for any more', async (_, end) => {
    const clock = fakeClock()
    const response = await readResponse(streamOf(parts, end), { signal: new AbortController().signal, clock, maxBytes: 1_000 })
    expect(response).toMatchObject({ kind: 'responded' })
    expect(clock.sleepers).toBe(0)
  })

  test('that says an error has failed', async () => {
    const error: LanguageModelV4StreamPart = { type: 'error', error: { message: 'Overloaded', type: 'overloaded_error' } }
    const response = await readResponse(streamOf([...parts, error]), { signal: new AbortController().signal, maxBytes: 1_000 })
    expect(response).toMatchObject({ kind: 'failed', error: { code: 'provider_overloaded' } })
  })

  test('that is stopped while it stays open is no answer', async () => {
    const clock = fakeClock()
    const stop = new AbortController()
    const reading = readResponse(streamOf(parts, 'stay'), { signal: stop.signal, clock, maxBytes: 1_000 })
    await until(() => clock.sleepers === 1)
    stop.abort()
    expect(await within(reading)).toMatchObject({ kind: 'failed', why: 'aborted' })
    expect(clock.sleepers).toBe(0)
  })
})
