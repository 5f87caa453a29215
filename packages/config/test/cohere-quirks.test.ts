// Events as https://docs.cohere.com/v2/docs/streaming and https://docs.cohere.com/reference/chat-stream describe them.
import { describe, expect, test } from 'vitest'
import type { ModelResponse } from '../../runtime/src/effects/read-response.ts'
import { askModel, modelOf, SECRET } from './ask-model.ts'
import type { FakeAnswer } from './fake-provider.ts'
import { namedEvents, startFakeProvider } from './fake-provider.ts'

type Event = { readonly type: string; readonly [field: string]: unknown }

const START: Event = {
  type: 'message-start',
  id: 'm',
  delta: { message: { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] } }
}
const USAGE = { billed_units: { input_tokens: 9, output_tokens: 5 }, tokens: { input_tokens: 11, output_tokens: 7 } }
const end = (reason: string, more: object = { usage: USAGE }): Event => ({
  type: 'message-end',
  delta: { finish_reason: reason, ...more }
})
const text = (...pieces: readonly string[]): readonly Event[] => [
  { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
  ...pieces.map((piece) => ({ type: 'content-delta', index: 0, delta: { message: { content: { text: piece } } } })),
  { type: 'content-end', index: 0 }
]
const call = (index: number, name: string, ...pieces: readonly (string | null)[]): readonly Event[] => [
  {
    type: 'tool-call-start',
    index,
    delta: { message: { tool_calls: { id: `${name}_${index}`, type: 'function', function: { name, arguments: pieces[0] ?? null } } } }
  },
  ...pieces.slice(1).map((piece) => ({
    type: 'tool-call-delta',
    index,
    delta: { message: { tool_calls: { function: { arguments: piece } } } }
  })),
  { type: 'tool-call-end', index }
]

async function ask(...answers: readonly FakeAnswer[]): Promise<ModelResponse> {
  await using server = await startFakeProvider(...answers)
  return await askModel(await modelOf({ driver: 'cohere', baseURL: server.url }))
}

const stream = (...events: readonly Event[]): FakeAnswer => ({ chunks: namedEvents(...events) })

describe('the wire of Cohere', () => {
  test('gives text and calls, with the tokens that it counted', async () => {
    const response = await ask(
      stream(
        START,
        { type: 'tool-plan-delta', delta: { message: { tool_plan: 'I will look.' } } },
        ...call(0, 'get', '', '{"k"', ':1}'),
        ...call(1, 'put', '', '{"k":2}'),
        end('TOOL_CALL')
      )
    )
    expect(response).toMatchObject({
      kind: 'responded',
      finish: 'tool-calls',
      parts: [
        { type: 'tool-call', id: 'get_0', tool: 'get', input: '{"k":1}' },
        { type: 'tool-call', id: 'put_1', tool: 'put', input: '{"k":2}' }
      ],
      usage: { inputTokens: 11, outputTokens: 7 }
    })
  })

  // B001
  test('may have a call without any arguments', async () => {
    const response = await ask(stream(START, ...call(0, 'now'), ...call(1, 'now', null, null), end('TOOL_CALL')))
    expect(response).toMatchObject({ kind: 'responded', parts: [{ input: '{}' }, { input: '{}' }] })
  })

  test('may leave out what a block begins with, and send events that nobody knows', async () => {
    const begin = { type: 'content-start', index: 0, delta: { message: { content: { type: 'text' } } } }
    const response = await ask(
      stream(
        START,
        { type: 'debug', prompt: 'x' },
        begin,
        ...text('It', ' is.').slice(1),
        { type: 'citation-start', index: 0 },
        end('COMPLETE')
      )
    )
    expect(response).toMatchObject({ kind: 'responded', finish: 'stop', parts: [{ type: 'text', text: 'It is.' }] })
  })

  test('thinks apart from what it says', async () => {
    const response = await ask(
      stream(
        START,
        { type: 'content-start', index: 0, delta: { message: { content: { type: 'thinking', thinking: '' } } } },
        { type: 'content-delta', index: 0, delta: { message: { content: { thinking: 'Hm.' } } } },
        { type: 'content-end', index: 0 },
        ...text('Yes.').map((event) => ({ ...event, index: 1 })),
        end('COMPLETE')
      )
    )
    expect(response).toMatchObject({
      kind: 'responded',
      parts: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'Yes.' }
      ]
    })
  })

  test.each([
    ['nothing', {}, { outputTokens: 1, estimated: true }],
    ['what is billed alone', { usage: { billed_units: USAGE.billed_units } }, { inputTokens: 9, outputTokens: 5 }]
  ])('may count %s', async (_name, more, usage) => {
    expect(await ask(stream(START, ...text('Yes.'), end('COMPLETE', more)))).toMatchObject({ kind: 'responded', usage })
  })

  // B008
  test.each([
    ['a cut stream', stream(START, ...text('Half')), { why: 'transient', error: { code: 'stream_interrupted' } }],
    ['a cut call', stream(START, ...call(0, 'get', '{"k":')), { why: 'transient', error: { code: 'stream_interrupted' } }],
    [
      'an error at its end',
      stream(START, ...text('Half'), end('ERROR', { error: 'the model is gone' })),
      { why: 'transient', error: { code: 'provider_unavailable', message: expect.stringContaining('the model is gone') } }
    ],
    ['a timeout at its end', stream(START, ...text('Half'), end('TIMEOUT')), { why: 'transient', error: { code: 'provider_timeout' } }]
  ])('is not believed after %s', async (_name, answer, failure) => {
    expect(await ask(answer)).toMatchObject({ kind: 'failed', ...failure })
  })

  test('is cut by the limit of its output', async () => {
    expect(await ask(stream(START, ...text('Half'), end('MAX_TOKENS')))).toMatchObject({ kind: 'responded', finish: 'length' })
    expect(await ask(stream(START, ...call(0, 'get', '{"k":1}'), end('MAX_TOKENS')))).toMatchObject({
      kind: 'failed',
      error: { code: 'output_truncated' }
    })
  })

  test('refuses with a message, and not with the key', async () => {
    const response = await ask({
      status: 401,
      headers: { 'content-type': 'application/json' },
      chunks: [JSON.stringify({ message: `invalid api token ${SECRET}` })]
    })
    expect(response).toMatchObject({ kind: 'failed', why: 'permanent', error: { code: 'provider_rejected' } })
    expect(JSON.stringify(response)).not.toContain(SECRET)
  })

  test('is given images as data', async () => {
    await using server = await startFakeProvider(stream(START, ...text('A dot.'), end('COMPLETE')))
    const model = await modelOf({ driver: 'cohere', baseURL: server.url })
    const file = { type: 'file' as const, mediaType: 'image/png', data: { type: 'data' as const, data: 'iVBORw0KGgo=' } }
    const told = await askModel(model, [{ role: 'user', content: [{ type: 'text', text: 'look' }, file] }])
    expect(told.kind).toBe('responded')
    expect(server.requests[0]?.path).toBe('/chat')
    expect(JSON.stringify(server.requests[0]?.body)).toContain('data:image/png;base64,iVBORw0KGgo=')
  })
})
