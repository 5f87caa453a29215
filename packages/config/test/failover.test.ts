import { LLMock } from '@copilotkit/aimock'
import { createRuntime, createSecretRegistry, defineTool, memoryStore } from '@holdfast/runtime'
import type { Fact, ThreadHandle } from '@holdfast/runtime'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { ProviderConfig } from '../src/index.ts'
import { createModelResolver, NO_CONFIG } from '../src/index.ts'
import type { FakeAnswer } from './fake-provider.ts'
import { events, namedEvents, startFakeProvider } from './fake-provider.ts'
import { startStrictProvider, STRICT_MODELS, toStrictConfig } from './strict/strict-provider.ts'
import type { Wire } from './strict/strict-rule.ts'

// A server that others wrote stands in for one that is fed with the bytes of a provider.
const mock = new LLMock({ port: 0 })
beforeAll(() => mock.start())
afterAll(() => mock.stop())
beforeEach(() => mock.reset())

const SIGNATURE = 'EqQBCgIYAhIM1gbcDa9GJwZA2b3h'
const THOUGHT = 'They want both values.'
// As gateways make them: two ids in one, longer than others take, and alike for 64 characters.
const LONG = `call_1|fc_${'a'.repeat(80)}`

const anthropic = (...list: readonly { readonly type: string; readonly [field: string]: unknown }[]): FakeAnswer => ({
  chunks: namedEvents(
    {
      type: 'message_start',
      message: { id: 'm', type: 'message', role: 'assistant', model: 'claude', content: [], usage: { input_tokens: 9, output_tokens: 1 } }
    },
    ...list,
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 9 } },
    { type: 'message_stop' }
  )
})

const THINKING = anthropic(
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: THOUGHT } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: SIGNATURE } },
  { type: 'content_block_stop', index: 0 },
  ...[`${LONG}a`, `${LONG}b`].flatMap((id, index) => [
    { type: 'content_block_start', index: index + 1, content_block: { type: 'tool_use', id, name: 'get', input: {} } },
    { type: 'content_block_delta', index: index + 1, delta: { type: 'input_json_delta', partial_json: `{"k":${index}}` } },
    { type: 'content_block_stop', index: index + 1 }
  ])
)

const ITEM = 'rs_68a1'
const reasoning = { type: 'reasoning', id: ITEM, summary: [{ type: 'summary_text', text: THOUGHT }], encrypted_content: SIGNATURE }
const callItem = { type: 'function_call', id: 'fc_68a2', call_id: 'call_a', name: 'get', arguments: '{"k":0}', status: 'completed' }
const RESPONSES: FakeAnswer = {
  chunks: events(
    { type: 'response.created', response: { id: 'resp_1', created_at: 1, model: 'o' } },
    { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', id: ITEM, encrypted_content: SIGNATURE } },
    { type: 'response.output_item.done', output_index: 0, item: reasoning },
    { type: 'response.output_item.added', output_index: 1, item: { ...callItem, arguments: '', status: 'in_progress' } },
    { type: 'response.output_item.done', output_index: 1, item: callItem },
    { type: 'response.completed', response: { id: 'resp_1', usage: { input_tokens: 9, output_tokens: 9 } } }
  )
}

const LIMITED: FakeAnswer = {
  status: 429,
  headers: { 'content-type': 'application/json', 'retry-after': '30' },
  chunks: [JSON.stringify({ type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } })]
}

const get = defineTool({ name: 'get', description: 'Gets.', input: { type: 'object' }, effect: 'read', execute: () => 'found' })

/** A run whose first model is of one provider and whose second one of another, and what is sent to this one, as it leaves. */
async function run(
  first: ProviderConfig,
  second: ProviderConfig,
  name = 'm'
): Promise<{ readonly handle: ThreadHandle; readonly sent: string[] }> {
  const key = { apiKey: { env: 'KEY' } }
  const config = { ...NO_CONFIG, providers: { first: { ...key, ...first }, second: { ...key, ...second } } as never }
  const store = memoryStore()
  const secrets = createSecretRegistry()
  const sent: string[] = []
  const fetch: typeof globalThis.fetch = (input, init) => {
    if (String(input).startsWith(mock.url)) sent.push(String(init?.body))
    return globalThis.fetch(input, init)
  }
  const models = createModelResolver(config, { env: { KEY: 'key-of-the-wire-1234567890' }, baseDir: '.', secrets, fetch })
  const runtime = createRuntime({ store, models, secrets, tools: [get] })
  onTestFinished(() => runtime.close())
  const fallbacks = [{ provider: 'second', model: name }]
  const model = { provider: 'first', model: 'm', fallbacks }
  return { handle: await runtime.start({ name: 'looker', model, tools: ['get'] }, { input: 'look' }), sent }
}

const factsOf = async (handle: ThreadHandle): Promise<readonly Fact[]> => (await handle.log()).flatMap(({ facts }) => facts)

const WIRES: readonly { readonly name: string; readonly id: RegExp; readonly config: (url: string) => ProviderConfig }[] = [
  { name: 'OpenAI Chat', id: /"tool_call_id":"([^"]*)"/g, config: (url) => ({ driver: 'openai', api: 'chat', baseURL: `${url}/v1` }) },
  { name: 'OpenAI Responses', id: /"call_id":"([^"]*)","output"/g, config: (url) => ({ driver: 'openai', baseURL: `${url}/v1` }) },
  { name: 'Google', id: /"functionResponse":\{"id":"([^"]*)"/g, config: (url) => ({ driver: 'google', baseURL: `${url}/v1beta` }) },
  { name: 'Anthropic', id: /"tool_use_id":"([^"]*)"/g, config: (url) => ({ driver: 'anthropic', baseURL: `${url}/v1` }) }
]

// B026
test.each(Object.keys(STRICT_MODELS) as readonly Wire[])('ids that others made are taken by a strict %s', async (wire) => {
  await using limited = await startFakeProvider(THINKING, LIMITED)
  await using strict = await startStrictProvider(wire, () => ({ text: 'both are there' }))
  const { handle } = await run({ driver: 'anthropic', baseURL: `${limited.url}/v1` }, toStrictConfig(wire, strict.url), STRICT_MODELS[wire])
  expect(await handle.settled()).toMatchObject({ status: 'completed', text: 'both are there' })
  expect(strict.refused).toEqual([])
  expect(strict.requests).toHaveLength(1)
})

// B026
describe.each(WIRES)('when one provider is limited, $name', ({ id: pattern, config }) => {
  test.each([
    ['Anthropic', THINKING, 2, (url: string): ProviderConfig => ({ driver: 'anthropic', baseURL: `${url}/v1` })],
    ['OpenAI Responses', RESPONSES, 1, (url: string): ProviderConfig => ({ driver: 'openai', baseURL: `${url}/v1` })]
  ])('answers in place of %s, without what that keeps for itself', async (_, answer, calls, toFirst) => {
    mock.on({ hasToolResult: true }, { content: 'both are there' })
    await using limited = await startFakeProvider(answer, LIMITED)
    const { handle, sent } = await run(toFirst(limited.url), config(mock.url))
    expect(await handle.settled()).toMatchObject({ status: 'completed', text: 'both are there' })
    expect(limited.requests).toHaveLength(2)
    expect(sent).toHaveLength(1)
    const [text = ''] = sent
    const ids = [...text.matchAll(pattern)].map(([, id]) => id ?? '')
    expect(text).toContain('found')
    for (const kept of [SIGNATURE, THOUGHT, ITEM, 'fc_']) expect(text).not.toContain(kept)
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/)
    expect(new Set(ids).size).toBe(calls)
    const facts = await factsOf(handle)
    expect(facts.filter((fact) => fact.type === 'turn.started').at(-1)).toMatchObject({
      try: 2,
      model: 'second/m',
      candidate: 1,
      moved: { from: 'first/m', why: 'rate_limited' }
    })
    expect(JSON.stringify(facts)).toContain(SIGNATURE)
    // What the first one is shown of its own is as it came.
    expect(JSON.stringify(limited.requests[1]?.body)).toContain(SIGNATURE)
  })
})
