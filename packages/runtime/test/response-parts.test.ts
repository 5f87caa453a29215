import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import type { ResponseDelta } from '../src/effects/read-parts.ts'
import { readResponse } from '../src/effects/read-response.ts'
import { call, finish, read, streamOf, text } from './stream-parts.ts'

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
      {
        type: 'tool-call',
        toolCallId: 'c',
        toolName: 'get',
        input: '{}',
        providerMetadata: { openai: { namespace: 'n', gone: undefined } }
      },
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
  test.each([
    ['""', ''],
    ['blank', '  \n'],
    ['null', null],
    ['absent', undefined]
  ])('keeps %s arguments as text', async (_name, input) => {
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
