import { createRuntime, memoryStore } from '@holdfast/runtime'
import { expect, test } from 'vitest'
import type { ModelCapabilities } from '../src/index.ts'
import { createModelResolver, parseConfig, toModelPrices } from '../src/index.ts'
import { askModel, user } from './ask-model.ts'
import { finish, said, stream } from './chat-wire.ts'
import { startFakeProvider } from './fake-provider.ts'

const image = { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } }] } as const
const pdf = { role: 'user', content: [{ type: 'file', mediaType: 'application/pdf', data: { type: 'data', data: 'AAAA' } }] } as const

async function ask(capabilities: ModelCapabilities, options: Parameters<typeof askModel>[2], prompt: unknown[] = [user('hi')]) {
  await using server = await startFakeProvider({ chunks: stream(said('ok'), finish('stop')) })
  const text = `version: "1.0"
providers: { local: { driver: openai-compatible, baseURL: "${server.url}" } }
models: { small: { provider: local, model: m, capabilities: ${JSON.stringify(capabilities)} } }`
  const config = await parseConfig(text, 'holdfast.config.yaml')
  const model = await createModelResolver(config, { env: {}, baseDir: '.' })({ ref: 'small' })
  const response = await askModel(model, prompt as never, options)
  return { response, asked: server.requests.length }
}

test.each([
  ['tools', { tools: false }, {}, [user('hi')]],
  ['an image', { images: false }, { call: { tools: [] } }, [user('hi'), image]],
  ['another file', { files: false }, { call: { tools: [] } }, [pdf, user('hi')]],
  ['a longer answer', { maxOutputTokens: 100 }, { call: { tools: [], maxOutputTokens: 101 } }, [user('hi')]]
] as const)('a model is not asked what it cannot take: %s', async (_, capabilities, options, prompt) => {
  const { response, asked } = await ask(capabilities, options as never, [...prompt])
  expect(response).toMatchObject({ kind: 'failed', error: { code: 'provider_rejected' } })
  expect(asked).toBe(0)
})

test.each([
  [{ tools: false }, { call: { tools: [] } }],
  [{ images: false, files: false }, { call: { tools: [] } }],
  [{ maxOutputTokens: 100 }, { call: { maxOutputTokens: 100 } }],
  [{ tools: true, images: true, files: true, contextWindow: 10 }, {}]
] as const)('what it can take it is asked: %j', async (capabilities, options) => {
  expect(await ask(capabilities, options as never)).toMatchObject({ response: { kind: 'responded' }, asked: 1 })
})

test('a run fails by it with what to do, and costs nothing', async () => {
  const config = await parseConfig(
    'version: "1.0"\nmodels: { small: { provider: openai, model: m, capabilities: { images: false } } }',
    'c.yaml'
  )
  const models = createModelResolver(config, { env: { OPENAI_API_KEY: 'k' }, baseDir: '.' })
  await using runtime = createRuntime({ store: memoryStore(), models })
  const input = [{ type: 'file', mediaType: 'image/png', source: { data: 'AAAA' } }] as const
  const run = await runtime.start({ name: 'a', model: { ref: 'small' } }, { input })
  expect(await run.settled()).toMatchObject({
    status: 'failed',
    error: { code: 'provider_rejected', message: expect.stringContaining('small') }
  })
})

test('how much fits goes with the prices', async () => {
  const capabilities = { contextWindow: 8000, maxOutputTokens: 500 }
  const text = `version: "1.0"\nmodels: { a: { provider: openai, model: m, prices: { input: 1, output: 2 }, capabilities: ${JSON.stringify(capabilities)} } }`
  expect(toModelPrices(await parseConfig(text, 'c.yaml'))).toEqual({ a: { input: 1, output: 2, window: 8000, maxOutput: 500 } })
})
