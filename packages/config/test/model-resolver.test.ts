import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ModelCandidate } from '@holdfast/runtime'
import { createRuntime, memoryStore } from '@holdfast/runtime'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createModelResolver, NO_CONFIG, parseConfig } from '../src/index.ts'
import { askModel, SECRET, user } from './ask-model.ts'
import { finish, said, stream } from './chat-wire.ts'
import { startFakeProvider } from './fake-provider.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-models-'))
  await writeFile(join(folder, 'demo.script.yaml'), 'turns:\n  - text: from a script\n')
  await writeFile(join(folder, 'demo.script.json'), '{ "turns": [{ "text": "from JSON" }] }')
  await writeFile(join(folder, 'broken.script.yaml'), 'turns:\n  - txt: no\n')
})
afterAll(() => rm(folder, { recursive: true }))

const KEYS = { OPENAI_API_KEY: SECRET, ANTHROPIC_API_KEY: SECRET, GOOGLE_GENERATIVE_AI_API_KEY: SECRET }

describe('the models that stand in', () => {
  const config = parseConfig(
    `version: "1.0"
providers: { local: { driver: openai-compatible, baseURL: "http://h" } }
models:
  main: { provider: openai, model: m, fallbacks: [{ ref: small }, { provider: groq, model: n }] }
  small: { provider: local, model: s, fallbacks: [{ ref: main }] }
`,
    'holdfast.config.yaml'
  )

  test('are those of the profile, and of no profile among them', async () => {
    const { fallbacksOf } = createModelResolver(await config, { env: {}, baseDir: folder })
    expect(fallbacksOf?.({ ref: 'main' })).toEqual([{ ref: 'small' }, { provider: 'groq', model: 'n' }])
    expect(fallbacksOf?.({ ref: 'main', fallbacks: [] })).toEqual([])
    expect(fallbacksOf?.({ provider: 'openai', model: 'm' })).toEqual([])
    // Whether there is such a profile is asked when the model is.
    expect(fallbacksOf?.({ ref: 'toString' })).toEqual([])
  })

  test('must be known, and need no key for that', async () => {
    const { fallbacksOf } = createModelResolver(await config, { env: {}, baseDir: folder })
    const refusal = (fallback: ModelCandidate) => {
      try {
        return fallbacksOf?.({ ref: 'main', fallbacks: [fallback] })
      } catch (error) {
        return error
      }
    }
    expect(refusal({ provider: 'anthropic', model: 'anything' })).toHaveLength(1)
    expect(refusal({ ref: 'smal' })).toMatchObject({ code: 'model_unknown', details: { nearMiss: 'small' } })
    expect(refusal({ ref: 'constructor' })).toMatchObject({ code: 'model_unknown' })
    expect(refusal({ provider: 'gorq', model: 'n' })).toMatchObject({ code: 'model_unknown', details: { nearMiss: 'groq' } })
  })

  test('are kept by the publication of an agent that names the profile', async () => {
    await using store = memoryStore()
    await using runtime = createRuntime({
      store,
      models: createModelResolver(await config, { env: {}, baseDir: folder }),
      concurrency: 0
    })
    const { definition } = await runtime.publish({ name: 'a', model: { ref: 'main' } })
    expect(definition.model).toEqual({ ref: 'main', fallbacks: [{ ref: 'small' }, { provider: 'groq', model: 'n' }] })
  })
})

describe('without a configuration', () => {
  test.each([
    ['openai', 'openai.responses'],
    ['anthropic', 'anthropic.messages'],
    ['google', 'google.generative-ai']
  ])('%s is built in', async (provider, name) => {
    const resolve = createModelResolver(NO_CONFIG, { env: KEYS, baseDir: folder })
    expect(await resolve({ provider, model: 'm-1' })).toMatchObject({ specificationVersion: 'v4', provider: name, modelId: 'm-1' })
  })

  test.each([
    ['openai', 'OPENAI_API_KEY'],
    ['anthropic', 'ANTHROPIC_API_KEY'],
    ['google', 'GOOGLE_GENERATIVE_AI_API_KEY']
  ])('%s names the variable that is missing, blank or not', async (provider, variable) => {
    for (const env of [{}, { [variable]: ' \n' }]) {
      const resolve = createModelResolver(NO_CONFIG, { env, baseDir: folder })
      await expect(resolve({ provider, model: 'm' })).rejects.toMatchObject({ code: 'secret_missing', details: { provider, variable } })
    }
  })

  test.each([
    ['openai', 'OPENAI_BASE_URL', '/v1', '/v1/responses'],
    ['anthropic', 'ANTHROPIC_BASE_URL', '', '/v1/messages'],
    ['anthropic', 'ANTHROPIC_BASE_URL', '/gateway', '/gateway/messages']
  ])('%s is looked for where %s points', async (provider, variable, suffix, path) => {
    await using server = await startFakeProvider({ status: 500, chunks: [] })
    const resolve = createModelResolver(NO_CONFIG, { env: { ...KEYS, [variable]: `${server.url}${suffix}` }, baseDir: folder })
    await askModel(await resolve({ provider, model: 'm' }))
    expect(server.requests.map((request) => request.path)).toEqual([path])
    const broken = createModelResolver(NO_CONFIG, { env: { ...KEYS, [variable]: 'http://u:p@h' }, baseDir: folder })
    await expect(broken({ provider, model: 'm' })).rejects.toMatchObject({ code: 'invalid_config', details: { variable } })
  })

  test('a provider that is not there is named with what may be meant', async () => {
    const resolve = createModelResolver(NO_CONFIG, { env: KEYS, baseDir: folder })
    await expect(resolve({ provider: 'antropic', model: 'm' })).rejects.toMatchObject({
      code: 'model_unknown',
      details: { nearMiss: 'anthropic' }
    })
    await expect(resolve({ provider: '__proto__', model: 'm' })).rejects.toMatchObject({ code: 'model_unknown' })
    await expect(resolve({ ref: 'fast' })).rejects.toMatchObject({ code: 'model_unknown' })
    await expect(resolve({ ref: 'constructor' })).rejects.toMatchObject({ code: 'model_unknown' })
  })

  test('a script is read from a path relative to the folder, YAML or JSON', async () => {
    const resolve = createModelResolver(NO_CONFIG, { env: {}, baseDir: folder })
    expect(await askModel(await resolve({ provider: 'scripted', model: './demo.script.yaml' }))).toMatchObject({
      parts: [{ text: 'from a script' }]
    })
    expect(await askModel(await resolve({ provider: 'scripted', model: join(folder, 'demo.script.json') }))).toMatchObject({
      parts: [{ text: 'from JSON' }]
    })
    await expect(resolve({ provider: 'scripted', model: './none.yaml' })).rejects.toMatchObject({ code: 'file_not_found' })
    await expect(resolve({ provider: 'scripted', model: './broken.script.yaml' })).rejects.toMatchObject({ code: 'invalid_config' })
  })
})

describe('with a configuration', () => {
  test('a key that is missing matters only to the provider that needs it', async () => {
    const config = await parseConfig(
      'version: "1.0"\nproviders: { a: { driver: openai, apiKey: { env: A } }, b: { driver: openai, apiKey: { env: B } } }',
      'c.yaml'
    )
    const resolve = createModelResolver(config, { env: { B: SECRET }, baseDir: folder })
    expect(await resolve({ provider: 'b', model: 'm' })).toMatchObject({ modelId: 'm' })
    await expect(resolve({ provider: 'a', model: 'm' })).rejects.toMatchObject({ code: 'secret_missing', details: { variable: 'A' } })
  })

  // I14
  test('a key that no header can carry is refused without being shown', async () => {
    const resolve = createModelResolver(NO_CONFIG, { env: { OPENAI_API_KEY: 'sk-hidden\nvalue' }, baseDir: folder })
    const error: unknown = await Promise.resolve(resolve({ provider: 'openai', model: 'm' })).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'invalid_config', details: { variable: 'OPENAI_API_KEY' } })
    expect(String(error)).not.toContain('sk-hidden')
  })

  test('the same reference gives the same model', async () => {
    const resolve = createModelResolver(NO_CONFIG, { env: KEYS, baseDir: folder })
    expect(await resolve({ provider: 'openai', model: 'm' })).toBe(await resolve({ provider: 'openai', model: 'm' }))
    expect(await resolve({ provider: 'openai', model: 'n' })).not.toBe(await resolve({ provider: 'openai', model: 'm' }))
  })

  test('a profile gives its model options and settings, which a call may overrule', async () => {
    await using server = await startFakeProvider({ chunks: stream(said('ok'), finish('stop')) })
    const text = `
version: "1.0"
providers: { local: { driver: openai-compatible, baseURL: "${server.url}/v1/" } }
models:
  calm: { provider: local, model: qwen3, settings: { temperature: 0.1, maxOutputTokens: 50, stopSequences: [END] }, options: { local: { think: true, level: 1 } } }
`
    const resolve = createModelResolver(await parseConfig(text, 'c.yaml'), { env: {}, baseDir: folder })
    const call = { temperature: 0.9, maxOutputTokens: undefined, providerOptions: { local: { level: 2 } } }
    await askModel(await resolve({ ref: 'calm' }), [user('hi')], { call: call as object })
    const [request] = server.requests
    expect(request).toMatchObject({
      path: '/v1/chat/completions',
      body: {
        model: 'qwen3',
        temperature: 0.9,
        max_tokens: 50,
        stop: ['END'],
        think: true,
        level: 2,
        stream_options: { include_usage: true }
      }
    })
    expect(request?.headers.authorization).toBeUndefined()
  })
})

describe('what is missing for a profile', () => {
  const text = `version: "1.0"
providers:
  work: { driver: openai, apiKey: { env: WORK_KEY } }
models:
  ours: { provider: work, model: m }
  plain: { provider: openai, model: m }
  talk: { provider: scripted, model: ./nowhere.yaml }
  broken: { provider: scripted, model: ./broken.script.yaml }
`

  test.each([
    ['ours', 'secret_missing', { line: 3, column: 35, path: 'providers.work.apiKey' }],
    ['plain', 'secret_missing', { line: 6, column: 22, path: 'models.plain.provider' }],
    ['talk', 'file_not_found', { line: 7, column: 38, path: 'models.talk.model' }]
  ])('is told where the configuration names it: %s', async (ref, code, place) => {
    const resolve = createModelResolver(await parseConfig(text, '/a/holdfast.config.yaml'), { env: {}, baseDir: folder })
    const expected = { code, details: { place: { file: '/a/holdfast.config.yaml', ...place } } }
    await expect(resolve({ ref })).rejects.toMatchObject(expected)
    // Asked once more it is the same, and is not told twice.
    await expect(resolve({ ref })).rejects.toMatchObject(expected)
  })

  test('has the places of a script itself where that is broken', async () => {
    const resolve = createModelResolver(await parseConfig(text, 'holdfast.config.yaml'), { env: {}, baseDir: folder })
    const error: unknown = await Promise.resolve(resolve({ ref: 'broken' })).catch((cause: unknown) => cause)
    expect(error).toMatchObject({ code: 'invalid_config', details: { file: join(folder, 'broken.script.yaml') } })
    expect(error).not.toHaveProperty('details.place')
  })
})
