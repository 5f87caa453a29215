import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import type { ResponseDelta } from '../src/effects/read-parts.ts'
import { type ModelResponse, readResponse } from '../src/effects/read-response.ts'

type FinishReason = Extract<LanguageModelV4StreamPart, { type: 'finish' }>['finishReason']['unified']

const usage = (input?: number, output?: number): Extract<LanguageModelV4StreamPart, { type: 'finish' }>['usage'] => ({
  inputTokens: { total: input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: output, text: undefined, reasoning: undefined }
})
const finish = (unified: FinishReason, input?: number, output?: number): LanguageModelV4StreamPart => ({
  type: 'finish',
  finishReason: { unified, raw: undefined },
  usage: usage(input, output)
})
const call = (id: string, toolName: string, input: string): LanguageModelV4StreamPart => ({ type: 'tool-call', toolCallId: id, toolName, input })
const text = (id: string, delta: string): LanguageModelV4StreamPart => ({ type: 'text-delta', id, delta })

function streamOf(parts: readonly LanguageModelV4StreamPart[], end: 'close' | 'stay' | Error = 'close'): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      if (end === 'close') controller.close()
    },
    pull(controller) {
      if (end instanceof Error) controller.error(end)
    }
  })
}

function read(parts: readonly LanguageModelV4StreamPart[], end: 'close' | 'stay' | Error = 'close', signal = new AbortController().signal): Promise<ModelResponse> {
  return readResponse(streamOf(parts, end), { signal, maxBytes: 1_000_000 })
}

describe('parts', () => {
  test('keeps blocks in the order in which they began and drops the empty ones', async () => {
    const response = await read([
      { type: 'text-start', id: '0' },
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'think' },
      text('0', 'a'),
      text('0', 'b'),
      { type: 'text-end', id: '0' },
      { type: 'reasoning-end', id: '0' },
      { type: 'text-start', id: '0' },
      { type: 'text-end', id: '0' },
      { type: 'reasoning-start', id: '1' },
      { type: 'reasoning-end', id: '1' },
      finish('stop', 3, 4)
    ])
    expect(response).toEqual({
      kind: 'responded',
      parts: [
        { type: 'text', text: 'ab' },
        { type: 'reasoning', text: 'think' }
      ],
      finish: 'stop',
      usage: { inputTokens: 3, outputTokens: 4 }
    })
  })

  test('merges the metadata of start, delta and end, the last one winning, and keeps reasoning that is only a signature', async () => {
    const response = await read([
      { type: 'reasoning-start', id: 'r', providerMetadata: { anthropic: { redactedData: 'x' } } },
      { type: 'reasoning-delta', id: 'r', delta: '', providerMetadata: { anthropic: { signature: 'one' } } },
      { type: 'reasoning-end', id: 'r', providerMetadata: { anthropic: { signature: 'two' }, other: { a: 1 } } },
      { type: 'tool-input-start', id: 'c', toolName: 'get', providerMetadata: { openai: { itemId: 'fc_1' } } },
      { type: 'tool-input-end', id: 'c' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'get', input: '{}', providerMetadata: { openai: { namespace: 'n', gone: undefined } } },
      finish('tool-calls', 1, 1)
    ])
    expect(response).toMatchObject({
      parts: [
        { type: 'reasoning', text: '', metadata: { anthropic: { redactedData: 'x', signature: 'two' }, other: { a: 1 } } },
        { type: 'tool-call', id: 'c', tool: 'get', input: '{}', metadata: { openai: { itemId: 'fc_1', namespace: 'n' } } }
      ]
    })
    expect(JSON.stringify(response)).not.toContain('gone')
  })

  // B001
  test.each([['""', ''], ['blank', '  \n'], ['null', null], ['absent', undefined]])('keeps %s arguments as text', async (_name, input) => {
    const response = await read([{ type: 'tool-call', toolCallId: 'c', toolName: 'now', input: input as string }, finish('tool-calls')])
    expect(response).toMatchObject({ kind: 'responded', parts: [{ type: 'tool-call', input: input ?? '' }] })
  })

  // B006
  test('keeps calls that share one id apart, in the order in which they began', async () => {
    const response = await read([
      { type: 'tool-input-start', id: '', toolName: 'get' },
      { type: 'tool-input-delta', id: '', delta: '{"k":1}' },
      { type: 'tool-input-start', id: '', toolName: 'get' },
      { type: 'tool-input-delta', id: '', delta: '{"k":2}' },
      call('', 'get', '{"k":1}'),
      call('', 'get', '{"k":2}'),
      finish('stop', 1, 1)
    ])
    expect(response).toMatchObject({ kind: 'responded', finish: 'stop', parts: [{ input: '{"k":1}' }, { input: '{"k":2}' }] })
  })

  // B013
  test('makes text and arguments well-formed, also where a pair is split over deltas', async () => {
    const deltas: ResponseDelta[] = []
    const response = await readResponse(
      streamOf([text('0', 'a\ud83d'), text('0', '\ude00b\ud800'), call('c', 'get', '{"q":"\udc00"}'), finish('stop', 1, 1)]),
      { signal: new AbortController().signal, maxBytes: 1000, onDelta: (delta) => deltas.push(delta) }
    )
    expect(response).toMatchObject({ parts: [{ text: 'a\u{1F600}b\ufffd' }, { input: '{"q":"\ufffd"}' }] })
    expect(deltas).toEqual([
      { type: 'text.delta', text: 'a' },
      { type: 'text.delta', text: '\u{1F600}b' }
    ])
  })

  test('keeps files, sources, provider results and custom parts', async () => {
    const response = await read([
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([1, 2]) } },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://a.example', providerMetadata: { x: { y: 1 } } },
      { type: 'tool-call', toolCallId: 'p', toolName: 'web_search', input: '{}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 'p', toolName: 'web_search', result: 'half', preliminary: true },
      { type: 'tool-result', toolCallId: 'p', toolName: 'web_search', result: { a: [1] } },
      { type: 'custom', kind: 'openai.compaction', providerMetadata: { openai: { id: 'c' } } },
      finish('stop', 1, 1)
    ])
    expect(response).toMatchObject({
      parts: [
        { type: 'file', mediaType: 'image/png', source: { data: 'AQI=' } },
        { type: 'source', source: { sourceType: 'url', id: 's', url: 'https://a.example' }, metadata: { x: { y: 1 } } },
        { type: 'tool-call', id: 'p', providerExecuted: true },
        { type: 'tool-result', id: 'p', tool: 'web_search', result: { a: [1] } },
        { type: 'custom', kind: 'openai.compaction', metadata: { openai: { id: 'c' } } }
      ]
    })
  })

  // B019
  test('passes deltas on in pieces and works in linear time', async () => {
    const count = 120_000
    let shown = 0
    let sent = 0
    const stream = new ReadableStream<LanguageModelV4StreamPart>({
      pull(controller) {
        if (sent === 0) controller.enqueue({ type: 'tool-input-start', id: 'c', toolName: 'write' })
        if (sent++ < count) return controller.enqueue({ type: 'tool-input-delta', id: 'c', delta: 'x' })
        controller.enqueue(call('c', 'write', 'x'.repeat(count)))
        controller.enqueue(finish('tool-calls', 1, 1))
        controller.close()
      }
    })
    const response = await readResponse(stream, { signal: new AbortController().signal, maxBytes: 1_000_000, onDelta: () => shown++ })
    expect(shown).toBe(count)
    expect(response).toMatchObject({ parts: [{ input: 'x'.repeat(count) }] })
  })
})

describe('finish', () => {
  // B006
  test.each(['stop', 'other', 'content-filter', 'tool-calls'] as const)('lets calls count when the finish says %s', async (reason) => {
    expect(await read([call('c', 'get', '{}'), finish(reason, 1, 1)])).toMatchObject({ kind: 'responded', finish: reason, parts: [{ type: 'tool-call' }] })
  })

  // B007
  test('responds with no parts when tool calls are announced and none comes', async () => {
    expect(await read([finish('tool-calls', 5, 0)])).toEqual({ kind: 'responded', parts: [], finish: 'tool-calls', usage: { inputTokens: 5, outputTokens: 0 } })
  })

  // B008
  test.each([
    ['no finish', [call('c', 'get', '{}')]],
    ['finish interrupted', [call('c', 'get', '{}'), finish('interrupted')]]
  ] as const)('does not count a complete call of a stream with %s', async (_name, parts) => {
    expect(await read(parts)).toMatchObject({ kind: 'failed', why: 'transient', error: { code: 'stream_interrupted' }, usage: { estimated: true } })
  })

  test('fails as transient when the finish says error', async () => {
    expect(await read([call('c', 'get', '{}'), finish('error', 7, 2)])).toMatchObject({ kind: 'failed', why: 'transient', usage: { inputTokens: 7, outputTokens: 2 } })
  })

  test('fails for good when the output limit cuts a response with calls, complete or begun', async () => {
    expect(await read([call('c', 'get', '{}'), finish('length', 1, 1)])).toMatchObject({ kind: 'failed', why: 'permanent', error: { code: 'output_truncated' } })
    expect(await read([{ type: 'tool-input-start', id: 'c', toolName: 'get' }, finish('length', 1, 1)])).toMatchObject({ error: { code: 'output_truncated' } })
  })

  test('gives text that the output limit cut', async () => {
    expect(await read([text('0', 'half'), finish('length', 1, 1)])).toMatchObject({ kind: 'responded', finish: 'length', parts: [{ text: 'half' }] })
  })

  test('does not wait for a stream that stays open behind its finish', async () => {
    expect(await read([text('0', 'a'), finish('stop', 1, 1)], 'stay')).toMatchObject({ kind: 'responded' })
  })

  test('believes a finish although the connection breaks behind it', async () => {
    expect(await read([text('0', 'a'), finish('stop', 1, 1)], new Error('terminated'))).toMatchObject({ kind: 'responded' })
  })

  test('does not believe a finish that more content follows', async () => {
    expect(await read([text('0', 'a'), finish('stop', 1, 1), text('1', 'b')])).toMatchObject({ kind: 'failed', error: { code: 'stream_interrupted' } })
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
    expect(response).toMatchObject({ kind: 'failed', why: 'transient', error: { code: 'provider_overloaded' }, usage: { outputTokens: 1, estimated: true } })
  })

  test('names the connection when it breaks', async () => {
    expect(await read([text('0', 'a')], new TypeError('terminated'))).toMatchObject({ kind: 'failed', why: 'transient', error: { code: 'stream_interrupted' } })
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
  // B017
  test.each([
    ['absent', usage()],
    ['all zero', usage(0, 0)]
  ])('estimates usage that is %s although there was text', async (_name, reported) => {
    const parts: LanguageModelV4StreamPart[] = [text('0', 'x'.repeat(4000)), { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: reported }]
    const response = await readResponse(streamOf(parts), { signal: new AbortController().signal, maxBytes: 10_000, promptCharacters: 400 })
    expect(response).toMatchObject({ usage: { inputTokens: 100, outputTokens: 1000, estimated: true } })
  })

  test('gives cached, written and reasoning tokens', async () => {
    const reported = { inputTokens: { total: 10, noCache: 3, cacheRead: 5, cacheWrite: 2 }, outputTokens: { total: 8, text: 1, reasoning: 7 } }
    const response = await read([text('0', 'a'), { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: reported }])
    expect(response).toMatchObject({ usage: { inputTokens: 10, outputTokens: 8, cachedInputTokens: 5, cacheWriteTokens: 2, reasoningTokens: 7 } })
  })

  test('gives the model that answered', async () => {
    expect(await read([{ type: 'response-metadata', modelId: 'm-2026' }, text('0', 'a'), finish('stop', 1, 1)])).toMatchObject({ model: 'm-2026' })
  })
})
