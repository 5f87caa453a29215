import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Problem } from '@holdfast/runtime'
import { isHoldfastError } from '@holdfast/runtime'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Config } from '../src/index.ts'
import { findConfig, loadConfig, parseConfig, parseScript, toModelPrices } from '../src/index.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-config-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function problemsOf(reading: Promise<unknown>): Promise<readonly Problem[]> {
  const error: unknown = await reading.then(
    () => undefined,
    (reason: unknown) => reason
  )
  if (!isHoldfastError(error, 'invalid_config')) throw new Error('the text was accepted, or refused with another code', { cause: error })
  return error.details['problems'] as unknown as Problem[]
}

const parse = (text: string): Promise<Config> => parseConfig(text, 'holdfast.config.yaml')

describe('a configuration', () => {
  test('is read with providers, profiles, tools and store', async () => {
    const config = await parse(`
version: "1.0"
providers:
  openai: { api: chat, apiKey: { env: MY_KEY } }
  local: { driver: openai-compatible, baseURL: "http://localhost:11434/v1" }
  demo: { driver: scripted }
models:
  fast: { provider: local, model: qwen3, settings: { temperature: 0, toolChoice: { tool: get } }, options: { local: { think: true } } }
tools: [./tools.ts]
store: ./holdfast.db
`)
    expect(config).toEqual({
      file: 'holdfast.config.yaml',
      providers: {
        openai: { driver: 'openai', api: 'chat', apiKey: { env: 'MY_KEY' } },
        local: { driver: 'openai-compatible', baseURL: 'http://localhost:11434/v1' },
        demo: { driver: 'scripted' }
      },
      models: {
        fast: {
          provider: 'local',
          model: 'qwen3',
          settings: { temperature: 0, toolChoice: { tool: 'get' } },
          options: { local: { think: true } }
        }
      },
      tools: ['./tools.ts'],
      store: './holdfast.db'
    })
  })

  test('needs nothing but its version', async () => {
    expect(await parse('version: "1.0"')).toEqual({ file: 'holdfast.config.yaml', providers: {}, models: {}, tools: [] })
  })

  test('gives the prices of its profiles by their names', async () => {
    const config = await parse(`
version: "1.0"
providers: { house: { driver: openai-compatible, baseURL: "http://h" } }
models:
  main: { provider: house, model: llama, prices: { input: 0.5, output: 2, cacheRead: 0, above: [{ inputTokens: 200000, input: 1, output: 4 }] } }
  free: { provider: house, model: llama, prices: { input: 0, output: 0 } }
  other: { provider: house, model: llama }
`)
    expect(toModelPrices(config)).toEqual({
      main: { input: 0.5, output: 2, cacheRead: 0, above: [{ inputTokens: 200_000, input: 1, output: 4 }] },
      free: { input: 0, output: 0 }
    })
  })

  test('is found by its names, YAML before JSON, and may be missing', async () => {
    expect(await findConfig(folder)).toBeNull()
    await writeFile(join(folder, 'holdfast.config.json'), '{ "version": "1.0", "tools": ["./json.ts"] }')
    expect(await findConfig(folder)).toMatchObject({ tools: ['./json.ts'] })
    await writeFile(join(folder, 'holdfast.config.yaml'), 'version: "1.0"\ntools: [./yaml.ts]\n')
    expect(await findConfig(folder)).toMatchObject({ tools: ['./yaml.ts'], file: join(folder, 'holdfast.config.yaml') })
  })

  test('that cannot be read is told apart from one that is not there', async () => {
    await expect(loadConfig(join(folder, 'none.yaml'))).rejects.toMatchObject({ code: 'file_not_found' })
    await expect(loadConfig(folder)).rejects.toMatchObject({ code: 'file_unreadable' })
    await writeFile(join(folder, 'latin.yaml'), Buffer.from([0x76, 0xe9]))
    await expect(loadConfig(join(folder, 'latin.yaml'))).rejects.toMatchObject({ code: 'file_unreadable' })
  })
})

describe('what is wrong with a configuration', () => {
  test('is told all at once, each with its place, what was expected and a near miss', async () => {
    const problems = await problemsOf(
      parse(`version: "1.0"
provider: {}
providers:
  local: { driver: openai-compatble, baseURL: "http://x" }
  openai: { apiKeys: { env: A } }
models:
  fast: { provider: openai, modle: gpt }
`)
    )
    expect(problems).toMatchObject([
      { code: 'unknown_field', line: 2, column: 1, path: 'provider', nearMiss: 'providers', file: 'holdfast.config.yaml' },
      { code: 'invalid', line: 4, path: 'providers.local.driver', nearMiss: 'openai-compatible' },
      { code: 'unknown_field', line: 5, path: 'providers.openai.apiKeys', nearMiss: 'apiKey' },
      { code: 'missing', line: 7, path: 'models.fast.model' },
      { code: 'unknown_field', line: 7, path: 'models.fast.modle', nearMiss: 'model' }
    ])
    expect(problems[1]?.expected).toContain('anthropic')
  })

  test.each([
    ['a version that is a number', 'version: 1.0', 'version'],
    ['another version', 'version: "2.0"', 'version'],
    ['a document that is a list', '- a', ''],
    ['a list of providers', 'version: "1.0"\nproviders: [openai]', 'providers'],
    ['a provider that is text', 'version: "1.0"\nproviders: { a: openai }', 'providers.a'],
    ['a key in the file', 'version: "1.0"\nproviders: { openai: { apiKey: sk-123 } }', 'providers.openai.apiKey'],
    [
      'a key beside its reference',
      'version: "1.0"\nproviders: { openai: { apiKey: { env: A, value: sk } } }',
      'providers.openai.apiKey.value'
    ],
    ['a variable that cannot be one', 'version: "1.0"\nproviders: { openai: { apiKey: { env: "A B" } } }', 'providers.openai.apiKey.env'],
    ['an address without a protocol', 'version: "1.0"\nproviders: { openai: { baseURL: localhost } }', 'providers.openai.baseURL'],
    ['an address of another protocol', 'version: "1.0"\nproviders: { openai: { baseURL: "file:///etc" } }', 'providers.openai.baseURL'],
    ['an address with credentials', 'version: "1.0"\nproviders: { openai: { baseURL: "https://u:p@h/v1" } }', 'providers.openai.baseURL'],
    ['an address with a query', 'version: "1.0"\nproviders: { openai: { baseURL: "https://h/v1?key=1" } }', 'providers.openai.baseURL'],
    ['a compatible provider without an address', 'version: "1.0"\nproviders: { a: { driver: openai-compatible } }', 'providers.a.baseURL'],
    ['an api that another driver has', 'version: "1.0"\nproviders: { anthropic: { api: chat } }', 'providers.anthropic.api'],
    ['a provider without a driver', 'version: "1.0"\nproviders: { mine: { baseURL: "http://h" } }', 'providers.mine'],
    ['a field of a later version', 'version: "1.0"\nconnections: {}', 'connections'],
    ['a profile of an unknown provider', 'version: "1.0"\nmodels: { a: { provider: opneai, model: m } }', 'models.a.provider'],
    [
      'a setting out of range',
      'version: "1.0"\nmodels: { a: { provider: openai, model: m, settings: { topP: 2 } } }',
      'models.a.settings.topP'
    ],
    [
      'a price below zero',
      'version: "1.0"\nmodels: { a: { provider: openai, model: m, prices: { input: -1, output: 1 } } }',
      'models.a.prices.input'
    ],
    [
      'a price without that of the output',
      'version: "1.0"\nmodels: { a: { provider: openai, model: m, prices: { input: 1 } } }',
      'models.a.prices.output'
    ],
    [
      'a rate that does not exist',
      'version: "1.0"\nmodels: { a: { provider: openai, model: m, prices: { input: 1, output: 1, cached: 1 } } }',
      'models.a.prices.cached'
    ],
    ['a store with a password', 'version: "1.0"\nstore: postgres://u:secret@h/db', 'store'],
    ['a duplicate key', 'version: "1.0"\ntools: []\ntools: []', 'tools'],
    ['a reserved key', 'version: "1.0"\nproviders: { __proto__: { driver: scripted } }', 'providers.__proto__']
  ])('is found: %s', async (_name, text, path) => {
    expect((await problemsOf(parse(text))).map((problem) => problem.path)).toContain(path)
  })

  // I14
  test('does not show a key that stands where a reference belongs', async () => {
    const error: unknown = await parse('version: "1.0"\nproviders: { openai: { apiKey: sk-live-1234 } }').catch((reason: unknown) => reason)
    expect(isHoldfastError(error, 'invalid_config')).toBe(true)
    expect(JSON.stringify([String(error), (error as { details: unknown }).details])).not.toContain('sk-live-1234')
  })
})

describe('the file of a scripted model', () => {
  test('is read with every field of a turn', async () => {
    const text = `
turns:
  - reasoning: hm
    text: ok
    toolCalls: [{ name: get, arguments: { k: 1 } }, { name: now }]
    usage: { inputTokens: 9, outputTokens: 1 }
    delayMs: 5
    when: hello
  - error: { status: 429, retryAfter: 2, message: slow }
`
    expect(await parseScript(text, 'demo.script.yaml')).toEqual({
      turns: [
        {
          reasoning: 'hm',
          text: 'ok',
          toolCalls: [{ name: 'get', arguments: { k: 1 } }, { name: 'now' }],
          usage: { inputTokens: 9, outputTokens: 1 },
          delayMs: 5,
          when: 'hello'
        },
        { error: { status: 429, retryAfter: 2, message: 'slow' } }
      ]
    })
  })

  test('tells what is wrong with it', async () => {
    const text = 'turns:\n  - txt: a\n  - toolCalls: [{ tool: get }]\n  - delayMs: -1\n'
    expect(await problemsOf(parseScript(text, 's.yaml'))).toMatchObject([
      { code: 'unknown_field', line: 2, path: 'turns[0].txt', nearMiss: 'text' },
      { code: 'missing', line: 3, path: 'turns[1].toolCalls[0].name' },
      { code: 'unknown_field', line: 3, path: 'turns[1].toolCalls[0].tool' },
      { code: 'invalid', line: 4, path: 'turns[2].delayMs' }
    ])
  })
})
