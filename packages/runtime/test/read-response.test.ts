import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import { readResponse } from '../src/effects/read-response.ts'
import { call, finish, read, streamOf, text, usage } from './stream-parts.ts'

describe('finish', () => {
  // B006
  test.each(['stop', 'other', 'content-filter', 'tool-calls'] as const)('lets calls count when the finish says %s', async (reason) => {
    expect(await read([call('c', 'get', '{}'), finish(reason, 1, 1)])).toMatchObject({
      kind: 'responded',
      finish: reason,
      parts: [{ type: 'tool-call' }]
    })
  })

  // B007
  test('responds with no parts when tool calls are announced and none comes', async () => {
    expect(await read([finish('tool-calls', 5, 0)])).toEqual({
      kind: 'responded',
      parts: [],
      finish: 'tool-calls',
      usage: { inputTokens: 5, outputTokens: 0 }
    })
  })

  // B008
  test.each([
    ['no finish', [call('c', 'get', '{}')]],
    ['finish interrupted', [call('c', 'get', '{}'), finish('interrupted')]]
  ] as const)('does not count a complete call of a stream with %s', async (_name, parts) => {
    expect(await read(parts)).toMatchObject({
      kind: 'failed',
      why: 'transient',
      error: { code: 'stream_interrupted' },
      usage: { estimated: true }
    })
  })

  test('fails as transient when the finish says error', async () => {
    expect(await read([call('c', 'get', '{}'), finish('error', 7, 2)])).toMatchObject({
      kind: 'failed',
      why: 'transient',
      usage: { inputTokens: 7, outputTokens: 2 }
    })
  })

  test('fails for good when the output limit cuts a response with calls, complete or begun', async () => {
    expect(await read([call('c', 'get', '{}'), finish('length', 1, 1)])).toMatchObject({
      kind: 'failed',
      why: 'permanent',
      error: { code: 'output_truncated' }
    })
    expect(await read([{ type: 'tool-input-start', id: 'c', toolName: 'get' }, finish('length', 1, 1)])).toMatchObject({
      error: { code: 'output_truncated' }
    })
  })

  test('gives text that the output limit cut', async () => {
    expect(await read([text('0', 'half'), finish('length', 1, 1)])).toMatchObject({
      kind: 'responded',
      finish: 'length',
      parts: [{ text: 'half' }]
    })
  })

  test('does not wait for a stream that stays open behind its finish', async () => {
    expect(await read([text('0', 'a'), finish('stop', 1, 1)], 'stay')).toMatchObject({ kind: 'responded' })
  })

  test('believes a finish although the connection breaks behind it', async () => {
    expect(await read([text('0', 'a'), finish('stop', 1, 1)], new Error('terminated'))).toMatchObject({ kind: 'responded' })
  })

  test('does not believe a finish that more content follows', async () => {
    expect(await read([text('0', 'a'), finish('stop', 1, 1), text('1', 'b')])).toMatchObject({
      kind: 'failed',
      error: { code: 'stream_interrupted' }
    })
  })
})

describe('failures', () => {
  // B015
  test('classifies an error part after partial output', async () => {
    const response = await read([
      text('0', 'half'),
      { type: 'error', error: { message: 'Overloaded', type: 'overloaded_error', statusCode: 529, isRetryable: true } },
      finish('stop', 1, 1)
    ])
    expect(response).toMatchObject({
      kind: 'failed',
      why: 'transient',
      error: { code: 'provider_overloaded' },
      usage: { outputTokens: 1, estimated: true }
    })
  })

  test('names the connection when it breaks', async () => {
    expect(await read([text('0', 'a')], new TypeError('terminated'))).toMatchObject({
      kind: 'failed',
      why: 'transient',
      error: { code: 'stream_interrupted' }
    })
  })

  test('ends at once when the signal aborts, whatever the stream does', async () => {
    const controller = new AbortController()
    const reading = read([text('0', 'a')], 'stay', controller.signal)
    controller.abort()
    expect(await reading).toMatchObject({ kind: 'failed', why: 'aborted' })
    expect(await read([finish('stop')], 'close', AbortSignal.abort())).toMatchObject({ kind: 'failed', why: 'aborted' })
  })

  test('recognises an abort by the signal before the error that it causes', async () => {
    const controller = new AbortController()
    const stream = new ReadableStream<LanguageModelV4StreamPart>({
      pull(reader) {
        controller.abort()
        reader.error(new Error('Failed to process successful response'))
      }
    })
    expect(await readResponse(stream, { signal: controller.signal, maxBytes: 10 })).toMatchObject({ kind: 'failed', why: 'aborted' })
  })

  // B019
  test('cancels a stream that is larger than the limit', async () => {
    let cancelled = false
    const stream = new ReadableStream<LanguageModelV4StreamPart>({
      pull(controller) {
        controller.enqueue({ type: 'tool-input-start', id: 'c', toolName: 'w' })
        controller.enqueue({ type: 'tool-input-delta', id: 'c', delta: 'é'.repeat(1000) })
      },
      cancel() {
        cancelled = true
      }
    })
    const response = await readResponse(stream, { signal: new AbortController().signal, maxBytes: 50_000 })
    expect(response).toMatchObject({ kind: 'failed', why: 'permanent', error: { code: 'response_too_large' } })
    expect(cancelled).toBe(true)
  })
})

describe('usage', () => {
  // B015
  test('of a response that breaks is what was counted at its start and what arrived', async () => {
    const started = { input_tokens: 40, cache_read_input_tokens: 2 }
    const parts: LanguageModelV4StreamPart[] = [
      { type: 'custom', kind: 'anthropic.message_start', providerMetadata: { anthropic: { usage: started } } },
      text('0', 'half')
    ]
    expect(await read(parts)).toMatchObject({ usage: { inputTokens: 42, outputTokens: 1, cachedInputTokens: 2, estimated: true } })
    expect(await read([...parts, finish('stop', 50, 9)])).toMatchObject({
      parts: [{ type: 'text' }],
      usage: { inputTokens: 50, outputTokens: 9 }
    })
  })

  // B017
  test.each([
    ['absent', usage()],
    ['all zero', usage(0, 0)]
  ])('estimates usage that is %s although there was text', async (_name, reported) => {
    const parts: LanguageModelV4StreamPart[] = [
      text('0', 'x'.repeat(4000)),
      { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: reported }
    ]
    const response = await readResponse(streamOf(parts), { signal: new AbortController().signal, maxBytes: 10_000, promptCharacters: 400 })
    expect(response).toMatchObject({ usage: { inputTokens: 100, outputTokens: 1000, estimated: true } })
  })

  test('gives cached, written and reasoning tokens', async () => {
    const reported = {
      inputTokens: { total: 10, noCache: 3, cacheRead: 5, cacheWrite: 2 },
      outputTokens: { total: 8, text: 1, reasoning: 7 }
    }
    const response = await read([text('0', 'a'), { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: reported }])
    expect(response).toMatchObject({
      usage: { inputTokens: 10, outputTokens: 8, cachedInputTokens: 5, cacheWriteTokens: 2, reasoningTokens: 7 }
    })
  })

  test('gives the model that answered', async () => {
    expect(await read([{ type: 'response-metadata', modelId: 'm-2026' }, text('0', 'a'), finish('stop', 1, 1)])).toMatchObject({
      model: 'm-2026'
    })
  })
})
