import { describe, expect, test } from 'vitest'
import type { ModelResponse } from '../../runtime/src/effects/read-response.ts'
import { askModel, modelOf, replay, SECRET, user } from './ask-model.ts'
import type { FakeAnswer } from './fake-provider.ts'
import { events, namedEvents, startFakeProvider } from './fake-provider.ts'

type Event = { readonly type: string; readonly [field: string]: unknown }

const start: Event = {
  type: 'message_start',
  message: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 40, output_tokens: 1 }
  }
}
const block = (index: number, content: object): Event => ({ type: 'content_block_start', index, content_block: content })
const delta = (index: number, part: object): Event => ({ type: 'content_block_delta', index, delta: part })
const stop = (index: number): Event => ({ type: 'content_block_stop', index })
const end = (reason: string): Event[] => [
  { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 9 } },
  { type: 'message_stop' }
]
const call = (index: number, id: string, ...pieces: readonly string[]): Event[] => [
  block(index, { type: 'tool_use', id, name: 'get', input: {} }),
  ...pieces.map((piece) => delta(index, { type: 'input_json_delta', partial_json: piece })),
  stop(index)
]

async function ask(...answers: readonly FakeAnswer[]): Promise<ModelResponse> {
  await using server = await startFakeProvider(...answers)
  return await askModel(await modelOf({ driver: 'anthropic', baseURL: server.url }))
}

const stream = (...list: readonly Event[]): FakeAnswer => ({ chunks: namedEvents(...list) })

describe('the wire of Anthropic', () => {
  // B001
  test('may have a call without any arguments', async () => {
    const response = await ask(stream(start, ...call(0, 't'), ...end('tool_use')))
    if (response.kind === 'failed') throw new Error(response.error.message)
    const [part] = response.parts
    expect(part).toMatchObject({ type: 'tool-call', id: 't', tool: 'get' })
    expect(['', '{}']).toContain(part?.type === 'tool-call' ? part.input : undefined)
    expect(response.usage).toEqual({ inputTokens: 40, outputTokens: 9 })
  })

  // B001
  test('gets an object back for arguments that were empty', async () => {
    await using server = await startFakeProvider(stream(start, ...call(0, 't'), ...end('tool_use')), stream(start, ...end('end_turn')))
    const model = await modelOf({ driver: 'anthropic', baseURL: server.url })
    const first = await askModel(model)
    await askModel(model, [user('hi'), ...replay(first.kind === 'responded' ? first.parts : [], ['ok'])])
    expect(server.requests[1]?.body).toMatchObject({ messages: [{}, { content: [{ type: 'tool_use', name: 'get', input: {} }] }, {}] })
  })

  // B006
  test('may say end_turn although there are calls', async () => {
    expect(await ask(stream(start, ...call(0, 'a', '{"k"', ':1}'), ...call(1, 'b', '{"k":2}'), ...end('end_turn')))).toMatchObject({
      kind: 'responded',
      parts: [
        { id: 'a', input: '{"k":1}' },
        { id: 'b', input: '{"k":2}' }
      ]
    })
  })

  // B007
  test('may announce calls and have none, streamed or whole', async () => {
    expect(await ask(stream(start, ...end('tool_use')))).toMatchObject({ kind: 'responded', parts: [] })
    const whole = {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'c',
      content: [],
      stop_reason: 'tool_use',
      usage: { input_tokens: 5, output_tokens: 0 }
    }
    expect(await ask({ chunks: [JSON.stringify(whole)], headers: { 'content-type': 'application/json' } })).toMatchObject({
      kind: 'responded',
      parts: [],
      usage: { inputTokens: 5 }
    })
  })

  test('may give an answer whole although a stream was asked for', async () => {
    const content = [
      { type: 'thinking', thinking: 'hm', signature: 'sig' },
      { type: 'text', text: 'hi' },
      { type: 'tool_use', id: 't', name: 'get', input: { k: 1 } }
    ]
    const whole = {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'c',
      content,
      stop_reason: 'tool_use',
      usage: { input_tokens: 5, output_tokens: 3 }
    }
    expect(await ask({ chunks: [JSON.stringify(whole)], headers: { 'content-type': 'application/json' } })).toMatchObject({
      kind: 'responded',
      parts: [
        { type: 'reasoning', text: 'hm', metadata: { anthropic: { signature: 'sig' } } },
        { type: 'text', text: 'hi' },
        { type: 'tool-call', id: 't', input: '{"k":1}' }
      ]
    })
  })

  // B008
  test('is interrupted when it ends without message_stop', async () => {
    for (const cut of [call(0, 'a', '{"k"'), call(0, 'a', '{"k":1}')]) {
      expect(await ask(stream(start, ...cut))).toMatchObject({
        kind: 'failed',
        why: 'transient',
        error: { code: 'stream_interrupted' },
        usage: { inputTokens: 40, estimated: true }
      })
    }
  })

  // B015
  test('fails as overloaded when it says so behind a part of a call', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    expect(await ask(stream(start, ...call(0, 'a', '{"path":"a').slice(0, 2), error))).toMatchObject({
      kind: 'failed',
      why: 'transient',
      error: { code: 'provider_overloaded' }
    })
    expect(await ask({ status: 529, chunks: [JSON.stringify(error)] })).toMatchObject({
      why: 'transient',
      error: { code: 'provider_overloaded' }
    })
  })

  // B023
  test('keeps signatures and drops empty text', async () => {
    const response = await ask(
      stream(
        start,
        block(0, { type: 'thinking', thinking: '', signature: '' }),
        delta(0, { type: 'thinking_delta', thinking: 'hm' }),
        delta(0, { type: 'signature_delta', signature: 'sig' }),
        stop(0),
        block(1, { type: 'redacted_thinking', data: 'opaque' }),
        stop(1),
        block(2, { type: 'text', text: '' }),
        stop(2),
        ...call(3, 'a', '{}'),
        ...end('tool_use')
      )
    )
    expect(response).toMatchObject({
      parts: [
        { type: 'reasoning', text: 'hm', metadata: { anthropic: { signature: 'sig' } } },
        { type: 'reasoning', text: '', metadata: { anthropic: { redactedData: 'opaque' } } },
        { type: 'tool-call', id: 'a' }
      ]
    })
  })

  // B023
  test('has no answer when the connection drops behind message_start', async () => {
    expect(await ask({ ...stream(start), after: 'destroy' })).toMatchObject({ kind: 'failed', why: 'transient' })
  })

  // I14
  test('never shows the key', async () => {
    const error = { type: 'error', error: { type: 'authentication_error', message: `invalid x-api-key ${SECRET}` } }
    for (const answer of [{ status: 401, chunks: [JSON.stringify(error)] }, stream(start, error)]) {
      const response = await ask(answer)
      expect(response).toMatchObject({ kind: 'failed', why: 'permanent' })
      expect(JSON.stringify(response)).not.toContain(SECRET)
    }
  })
})

describe('the wire of OpenAI Responses', () => {
  test('carries the whole history each time and leaves nothing in the provider’s store', async () => {
    await using server = await startFakeProvider({ chunks: [] })
    const model = await modelOf({ driver: 'openai', baseURL: server.url })
    const metadata = { openai: { itemId: 'fc_1' } }
    await askModel(model, [user('hi'), ...replay([{ type: 'tool-call', id: 'call_1', tool: 'get', input: '{"k":1}', metadata }], ['one'])])
    expect(server.requests[0]?.body).toMatchObject({
      store: false,
      input: [
        { role: 'user' },
        { type: 'function_call', call_id: 'call_1', name: 'get', arguments: '{"k":1}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'one' }
      ]
    })
  })

  // B015
  test('fails as overloaded when the response fails behind partial output', async () => {
    const created = { type: 'response.created', response: { id: 'r', created_at: 1, model: 'gpt' } }
    const item = {
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'message', id: 'msg', role: 'assistant', content: [] }
    }
    const half = { type: 'response.output_text.delta', item_id: 'msg', output_index: 0, content_index: 0, delta: 'half' }
    const failed = {
      type: 'response.failed',
      sequence_number: 4,
      response: { id: 'r', error: { code: 'server_error', message: 'The model is overloaded' }, incomplete_details: null, usage: null }
    }
    await using server = await startFakeProvider({ chunks: events(created, item, half, failed) })
    expect(await askModel(await modelOf({ driver: 'openai', baseURL: server.url }))).toMatchObject({
      kind: 'failed',
      why: 'transient',
      error: { code: 'provider_overloaded' }
    })
  })
})
