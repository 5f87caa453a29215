import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ResponseDelta } from '../../runtime/src/effects/read-parts.ts'
import type { ModelResponse } from '../../runtime/src/effects/read-response.ts'
import type { ProviderConfig } from '../src/index.ts'
import { askModel, modelOf, replay, SECRET, user } from './ask-model.ts'

const mock = new LLMock({ port: 0 })
beforeAll(() => mock.start())
afterAll(() => mock.stop())
beforeEach(() => mock.reset())

interface Provider {
  readonly name: string
  readonly path: string
  readonly toConfig: (url: string) => ProviderConfig
  /** Usage under the names of the provider; empty where the fake server has no place for it. */
  readonly usage: { readonly [name: string]: number }
  /** Where the key stands in a request. */
  readonly header: string
}

const OPENAI_USAGE = { prompt_tokens: 11, completion_tokens: 7 }
const PROVIDERS: readonly Provider[] = [
  {
    name: 'OpenAI Chat',
    path: '/v1/chat/completions',
    toConfig: (url) => ({ driver: 'openai', api: 'chat', baseURL: `${url}/v1` }),
    usage: OPENAI_USAGE,
    header: 'authorization'
  },
  {
    name: 'OpenAI Responses',
    path: '/v1/responses',
    toConfig: (url) => ({ driver: 'openai', baseURL: `${url}/v1/` }),
    usage: { input_tokens: 11, output_tokens: 7 },
    header: 'authorization'
  },
  {
    name: 'Anthropic',
    path: '/v1/messages',
    toConfig: (url) => ({ driver: 'anthropic', baseURL: `${url}/v1` }),
    usage: { input_tokens: 11, output_tokens: 7 },
    header: 'x-api-key'
  },
  {
    name: 'Google',
    path: '/v1beta/models/m:streamGenerateContent?alt=sse',
    toConfig: (url) => ({ driver: 'google', baseURL: `${url}/v1beta` }),
    usage: { promptTokenCount: 11, candidatesTokenCount: 7 },
    header: 'x-goog-api-key'
  },
  {
    name: 'xAI',
    path: '/v1/responses',
    toConfig: (url) => ({ driver: 'xai', baseURL: `${url}/v1` }),
    usage: { input_tokens: 11, output_tokens: 7 },
    header: 'authorization'
  },
  {
    name: 'Groq',
    path: '/v1/chat/completions',
    toConfig: (url) => ({ driver: 'groq', baseURL: `${url}/v1` }),
    usage: {},
    header: 'authorization'
  },
  {
    name: 'Cohere',
    path: '/v2/chat',
    toConfig: (url) => ({ driver: 'cohere', baseURL: `${url}/v2` }),
    usage: { input_tokens: 11, output_tokens: 7 },
    header: 'authorization'
  },
  {
    name: 'an OpenAI-compatible server',
    path: '/v1/chat/completions',
    toConfig: (url) => ({ driver: 'openai-compatible', baseURL: `${url}/v1` }),
    usage: OPENAI_USAGE,
    header: 'authorization'
  }
]

const CALLS = [
  { name: 'get', arguments: '{"k":1}', id: 'call_a' },
  { name: 'put', arguments: '{"k":2}', id: 'call_b' }
]

function partsOf(response: ModelResponse) {
  if (response.kind === 'failed') throw new Error(`${response.error.code}: ${response.error.message}`)
  return response.parts
}

/** Some send reasoning beside it, if only in a form that nobody can read. */
function textsOf(response: ModelResponse): readonly string[] {
  return partsOf(response).flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

describe.each(PROVIDERS)('$name', ({ path, toConfig, usage, header }) => {
  test('streams text, counts tokens and gets the key where it looks for it', async () => {
    mock.onMessage('hello', { content: 'Hello from the other side', usage }, { chunkSize: 5 })
    const deltas: ResponseDelta[] = []
    const model = await modelOf(toConfig(mock.url))
    const response = await askModel(model, [user('hello')], { onDelta: (delta) => deltas.push(delta) })
    expect(textsOf(response)).toEqual(['Hello from the other side'])
    expect(response).toMatchObject({
      kind: 'responded',
      finish: 'stop',
      // What is not counted is estimated.
      usage: Object.keys(usage).length === 0 ? { estimated: true } : { inputTokens: 11, outputTokens: 7 }
    })
    expect(deltas.length).toBeGreaterThan(3)
    expect(deltas.map((delta) => delta.text).join('')).toBe('Hello from the other side')
    const request = mock.getLastRequest()
    expect(request?.path).toBe(path)
    expect(Object.keys(request?.headers ?? {})).toContain(header)
  })

  test('calls two tools at once and takes the history back with both results', async () => {
    mock.on({ hasToolResult: false }, { content: 'let me look', toolCalls: CALLS, usage })
    mock.on({ hasToolResult: true }, { content: 'both are there', usage })
    const model = await modelOf(toConfig(mock.url))
    const first = await askModel(model, [user('look')])
    const parts = partsOf(first)
    const calls = parts.filter((part) => part.type === 'tool-call')
    expect(calls.map(({ tool, input }) => [tool, JSON.parse(input)])).toEqual([
      ['get', { k: 1 }],
      ['put', { k: 2 }]
    ])
    expect(new Set(calls.map((call) => call.id)).size).toBe(2)
    const second = await askModel(model, [user('look'), ...replay(parts, ['one', 'two'])])
    expect(textsOf(second)).toEqual(['both are there'])
  })

  test('is asked once when it refuses, and says how long to wait', async () => {
    mock.nextRequestError(429, { message: 'slow down', type: 'rate_limit_error' })
    mock.onMessage('hello', { content: 'hi' })
    const model = await modelOf(toConfig(mock.url))
    expect(await askModel(model, [user('hello')])).toMatchObject({
      kind: 'failed',
      why: 'transient',
      error: { code: 'rate_limited' },
      retryAfterMs: expect.any(Number)
    })
    expect(mock.getRequests()).toHaveLength(1)
    expect(await askModel(model, [user('hello')])).toMatchObject({ kind: 'responded' })
  })

  test('fails for good when the request is wrong', async () => {
    mock.nextRequestError(400, { message: 'no such tool', type: 'invalid_request_error' })
    const response = await askModel(await modelOf(toConfig(mock.url)), [user('hello')])
    expect(response).toMatchObject({ kind: 'failed', why: 'permanent', error: { code: 'provider_rejected' } })
    expect(JSON.stringify(response)).not.toContain(SECRET)
  })

  // B008
  test('is not believed when its stream is cut', async () => {
    mock.on({ userMessage: 'cut' }, { content: 'a text that is cut', toolCalls: CALLS }, { truncateAfterChunks: 4, chunkSize: 4 })
    const response = await askModel(await modelOf(toConfig(mock.url)), [user('cut')])
    expect(response).toMatchObject({ kind: 'failed', why: 'transient', error: { code: 'stream_interrupted' } })
  })
})
