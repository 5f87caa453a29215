import { describe, expect, test } from 'vitest'
import { createModelResolver, NO_CONFIG } from '../src/index.ts'
import { askModel, modelOf, SECRET, user } from './ask-model.ts'
import { ask, DRIVERS, finish, said, stream } from './chat-wire.ts'
import type { FakeAnswer } from './fake-provider.ts'
import { events, startFakeProvider } from './fake-provider.ts'

describe.each(DRIVERS.map((toProvider) => ({ toProvider, driver: toProvider('http://h').driver })))(
  'text, errors and usage on the wire of $driver',
  ({ toProvider }) => {
    // B011
    test('are read from any framing, one byte at a time', async () => {
      const text = [
        '\ufeff: ping\r\n\r\n',
        'data:{"choices":[{"delta":{"content":"h\u00e9\u{1F600}"}}]}\r\n\r\n',
        'event: x\rid: 7\r',
        'data: {"choices":[{"delta":\r\ndata: {"content":"!"}}]}\r\n\r\n',
        ':\n\n',
        'data: {"choices":[{"delta":{"content":"?"}}]}\r\r',
        'data: [DONE]\n\n'
      ].join('')
      const bytes = [...Buffer.from(text)].map((byte) => Uint8Array.of(byte))
      expect(await ask(bytes, toProvider)).toMatchObject({ kind: 'responded', parts: [{ type: 'text', text: 'h\u00e9\u{1F600}!?' }] })
    })

    test('are read where fields are missing, null or of another form', async () => {
      const chunks = stream(
        { prompt_filter_results: [] },
        { choices: null, usage: null, error: null },
        {
          id: 5,
          created: 'now',
          model: 'm-1',
          choices: [{ delta: { role: '', content: [{ type: 'text', text: 'a' }] }, finish_reason: '' }]
        },
        { choices: [{ message: { role: 'assistant', content: 'b' }, finish_reason: 'stop' }] }
      )
      expect(await ask(chunks, toProvider)).toMatchObject({ kind: 'responded', parts: [{ text: 'ab' }], finish: 'stop', model: 'm-1' })
    })

    // B015
    test.each([
      ['an error object', { error: { message: 'overloaded', type: 'server_error' } }],
      ['an error that is text', { error: 'overloaded' }],
      ['an error of another form', { object: 'error', message: 'overloaded', code: 503 }]
    ])('fail as transient behind partial output: %s', async (_name, error) => {
      expect(await ask(events(said('half'), error), toProvider)).toMatchObject({
        kind: 'failed',
        why: 'transient',
        error: { code: 'provider_overloaded' },
        usage: { outputTokens: 1, estimated: true }
      })
    })

    test('fail as transient when the connection breaks', async () => {
      expect(await ask(events(said('half')), toProvider, { after: 'destroy' })).toMatchObject({
        kind: 'failed',
        why: 'transient',
        error: { code: 'stream_interrupted' }
      })
    })

    test('end at once when the caller aborts', async () => {
      await using server = await startFakeProvider({ chunks: events(said('half')), after: 'stay' })
      const controller = new AbortController()
      const model = await modelOf(toProvider(server.url))
      const asking = askModel(model, [user('hi')], { signal: controller.signal, onDelta: () => controller.abort() })
      expect(await asking).toMatchObject({ kind: 'failed', why: 'aborted' })
    })

    // B017
    test('count usage from a last chunk without choices, once, and do not let a zero undo it', async () => {
      const real = { choices: [], usage: { prompt_tokens: 900, completion_tokens: 100 } }
      const zero = { choices: [{ delta: {}, finish_reason: 'stop' }], usage: { prompt_tokens: 0, completion_tokens: 0 } }
      const first = { choices: [{ delta: { content: 'x' } }], usage: null }
      for (const chunks of [stream(first, zero, real), stream(first, real, zero)]) {
        expect(await ask(chunks, toProvider)).toMatchObject({ usage: { inputTokens: 900, outputTokens: 100 } })
      }
    })

    // B017
    test('estimate usage that never comes', async () => {
      expect(await ask(stream(said('x'.repeat(4000)), finish('stop')), toProvider)).toMatchObject({
        usage: { outputTokens: 1000, estimated: true }
      })
    })

    // B017
    test('are asked for without stream_options once a server refused them', async () => {
      const refusal = { status: 400, chunks: ['{"error":{"message":"Unrecognized request argument supplied: stream_options"}}'] }
      const answer = { chunks: stream(said('ok'), finish('stop')) }
      await using server = await startFakeProvider(refusal, answer)
      const model = await modelOf(toProvider(server.url))
      expect(await askModel(model)).toMatchObject({ kind: 'responded', parts: [{ text: 'ok' }] })
      expect(await askModel(model)).toMatchObject({ kind: 'responded' })
      expect(server.requests.map(({ body }) => Object.hasOwn(body as object, 'stream_options'))).toEqual([true, false, false])
    })

    // B023
    test.each([
      ['empty', said('')],
      ['only a role', { choices: [{ delta: { role: 'assistant' } }] }]
    ])('may be %s', async (_name, chunk) => {
      expect(await ask(stream(chunk, finish('stop')), toProvider)).toMatchObject({ kind: 'responded', parts: [] })
    })

    test('are sent once: the provider does not retry', async () => {
      await using server = await startFakeProvider({
        status: 429,
        headers: { 'retry-after': '1.5' },
        chunks: ['{"error":{"message":"slow down"}}']
      })
      const response = await askModel(await modelOf(toProvider(server.url)))
      expect(response).toMatchObject({ why: 'transient', error: { code: 'rate_limited' }, retryAfterMs: 1500 })
      expect(server.requests).toHaveLength(1)
    })

    // I14
    test('never show the key, whatever a provider quotes', async () => {
      const quoted = `{"error":{"message":"no such key: ${SECRET}","type":"server_error"}}`
      const answers: readonly FakeAnswer[] = [
        { status: 401, chunks: [quoted] },
        { chunks: [`data: ${quoted}\n\n`] },
        { status: 500, chunks: [`<html>${SECRET}</html>`] }
      ]
      for (const answer of answers) {
        await using server = await startFakeProvider(answer)
        const response = await askModel(await modelOf(toProvider(server.url)))
        expect(response.kind).toBe('failed')
        expect(JSON.stringify(response)).not.toContain(SECRET)
        expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${SECRET}`)
      }
    })

    test('are not fetched from where a redirect points', async () => {
      await using other = await startFakeProvider({ chunks: stream(said('stolen'), finish('stop')) })
      await using server = await startFakeProvider({ status: 307, headers: { location: other.url }, chunks: [] })
      expect(await askModel(await modelOf(toProvider(server.url)))).toMatchObject({ kind: 'failed', why: 'permanent' })
      expect(other.requests).toHaveLength(0)
    })
  }
)

test('what stands in for a key and is none may stand in an answer', async () => {
  await using server = await startFakeProvider({ chunks: stream(said('content of ollama'), finish('stop')) })
  const config = { ...NO_CONFIG, providers: { p: { driver: 'openai', api: 'chat', baseURL: server.url } as const } }
  const model = await createModelResolver(config, { env: { OPENAI_API_KEY: 'content' }, baseDir: '.' })({ provider: 'p', model: 'm' })
  expect(await askModel(model)).toMatchObject({ parts: [{ text: 'content of ollama' }] })
})

test('a stream that is only called JSON is read as the stream that it is', async () => {
  const headers = { 'content-type': 'application/json' }
  const response = await ask(stream(said('ok'), finish('stop')), (baseURL) => ({ driver: 'openai-compatible', baseURL }), { headers })
  expect(response).toMatchObject({ kind: 'responded', parts: [{ text: 'ok' }] })
})

test('reasoning alone is kept where the provider sends it as such', async () => {
  // B023
  const chunk = { choices: [{ delta: { reasoning_content: 'hm' } }] }
  const response = await ask(stream(chunk, finish('stop')), (baseURL) => ({ driver: 'openai-compatible', baseURL }))
  expect(response).toMatchObject({ kind: 'responded', parts: [{ type: 'reasoning', text: 'hm' }] })
})
