// B104: what a provider read from a cache or wrote to one is paid once and at its own rate, whether its totals hold it or not. The answers are in the
// form of each provider's own description.
import type { ModelPrice, RunResult } from '@holdfast/runtime'
import { createRuntime, defineTool, memoryStore } from '@holdfast/runtime'
import { describe, expect, test } from 'vitest'
import type { ProviderConfig } from '../src/index.ts'
import { createModelResolver, NO_CONFIG } from '../src/index.ts'
import { SECRET } from './ask-model.ts'
import { DONE, events, namedEvents, startFakeProvider } from './fake-provider.ts'

const PRICE: ModelPrice = { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 1.25 }

/** Runs an agent once against a provider that answers so, and once more for each further answer. */
async function run(provider: (url: string) => ProviderConfig, ...answers: readonly (readonly string[])[]): Promise<RunResult> {
  await using server = await startFakeProvider(...answers.map((chunks) => ({ chunks })))
  await using store = memoryStore()
  const keyed = { apiKey: { env: 'KEY' }, ...provider(server.url) } as ProviderConfig
  const config = { ...NO_CONFIG, providers: { p: keyed }, models: { main: { provider: 'p', model: 'm' } } }
  const models = createModelResolver(config, { env: { KEY: SECRET }, baseDir: '.' })
  const get = defineTool({ name: 'get', description: 'Gets.', input: { type: 'object' }, effect: 'read', execute: () => 'got it' })
  await using runtime = createRuntime({ store, models, prices: { main: PRICE } })
  const started = await runtime.start({ name: 'a', model: { ref: 'main' }, tools: [get], limits: { maxRetries: 0 } }, { input: 'hi' })
  return await started.settled()
}

const chat = (usage: object, message: object = { content: 'ok' }, reason = 'stop'): string[] => [
  ...events(
    { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { role: 'assistant', ...message } }] },
    { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason: reason }] },
    { id: 'c', object: 'chat.completion.chunk', choices: [], usage }
  ),
  DONE
]

const groq = (usage: object): string[] => [
  ...events(
    { id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content: 'ok' } }] },
    { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], x_groq: { id: 'req_1', usage } }
  ),
  DONE
]

const responses = (usage: object): string[] => {
  const item = { id: 'msg_1', type: 'message', role: 'assistant', content: [] }
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [] }
  return namedEvents(
    { type: 'response.created', response: { ...response, status: 'in_progress' } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
    { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'ok' },
    { type: 'response.output_item.done', output_index: 0, item: { ...item, status: 'completed' } },
    { type: 'response.completed', response: { ...response, status: 'completed', usage } }
  )
}

const messages = (usage: object): string[] =>
  namedEvents(
    {
      type: 'message_start',
      message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage: { ...usage, output_tokens: 1 } }
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ok' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 10 } },
    { type: 'message_stop' }
  )

const gemini = (usageMetadata: object): string[] =>
  events({ candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }], usageMetadata })

const OPENAI_CHAT = { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010, prompt_tokens_details: { cached_tokens: 900 } }
const OPENAI_RESPONSES = {
  input_tokens: 1000,
  input_tokens_details: { cached_tokens: 900 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 1010
}

const CASES: readonly (readonly [string, (url: string) => ProviderConfig, readonly string[], number])[] = [
  ['OpenAI Chat', (baseURL) => ({ driver: 'openai', api: 'chat', baseURL }), chat(OPENAI_CHAT), 0.00029],
  ['OpenAI Responses', (baseURL) => ({ driver: 'openai', baseURL }), responses(OPENAI_RESPONSES), 0.00029],
  ['xAI', (baseURL) => ({ driver: 'xai', baseURL }), responses(OPENAI_RESPONSES), 0.00029],
  ['Groq', (baseURL) => ({ driver: 'groq', baseURL }), groq(OPENAI_CHAT), 0.00029],
  ['an OpenAI-compatible server', (baseURL) => ({ driver: 'openai-compatible', baseURL }), chat(OPENAI_CHAT), 0.00029],
  [
    'a server that counts hits beside the prompt',
    (baseURL) => ({ driver: 'openai-compatible', baseURL }),
    chat({ prompt_tokens: 1000, completion_tokens: 10, prompt_cache_hit_tokens: 900, prompt_cache_miss_tokens: 100 }),
    0.00029
  ],
  [
    'Anthropic',
    (baseURL) => ({ driver: 'anthropic', baseURL }),
    messages({ input_tokens: 100, cache_read_input_tokens: 900, cache_creation_input_tokens: 0 }),
    0.00029
  ],
  [
    'Anthropic, which wrote to the cache',
    (baseURL) => ({ driver: 'anthropic', baseURL }),
    messages({ input_tokens: 100, cache_read_input_tokens: 900, cache_creation_input_tokens: 200 }),
    0.00054
  ],
  [
    'Google, whose thoughts are not among the answer',
    (baseURL) => ({ driver: 'google', baseURL }),
    gemini({
      promptTokenCount: 1000,
      cachedContentTokenCount: 900,
      candidatesTokenCount: 10,
      thoughtsTokenCount: 40,
      totalTokenCount: 1050
    }),
    0.00069
  ]
]

describe('what is read from a cache and written to one', () => {
  test.each(CASES)('is paid once and at its rate: %s', async (_, provider, answer, cost) => {
    const result = await run(provider, answer)
    expect(result).toMatchObject({ status: 'completed', cost })
    const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens = 0 } = result.usage
    // The totals of a run hold the parts, whoever reported them.
    expect({ inputTokens: inputTokens - cacheWriteTokens, cachedInputTokens }).toEqual({ inputTokens: 1000, cachedInputTokens: 900 })
    expect(outputTokens).toBe(cost === 0.00069 ? 50 : 10)
  })

  test('adds up over the calls of a run', async () => {
    const call = { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'get', arguments: '{}' } }] }
    const plain = { prompt_tokens: 200, completion_tokens: 20 }
    const result = await run((baseURL) => ({ driver: 'openai', api: 'chat', baseURL }), chat(OPENAI_CHAT, call, 'tool_calls'), chat(plain))
    expect(result).toMatchObject({
      status: 'completed',
      usage: { inputTokens: 1200, cachedInputTokens: 900, outputTokens: 30 },
      cost: 0.00069
    })
  })
})
