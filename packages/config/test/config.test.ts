import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isHoldfastError } from '@holdfast/runtime'
import { NO_GRANTS } from '@holdfast/runtime'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Config } from '../src/index.ts'
import { findConfig, loadConfig, parseConfig, toModelPrices } from '../src/index.ts'
import { problemsOf } from './problems-of.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-config-'))
})
afterAll(() => rm(folder, { recursive: true }))

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

  test('is read with fallbacks, agents, engine and who is told of a wait', async () => {
    const config = await parse(`
version: "1.0"
models:
  main: { provider: openai, model: gpt-5, fallbacks: [{ ref: small }, { provider: anthropic, model: m, settings: { topK: 1 } }] }
  small: { provider: openai, model: gpt-5-mini }
agents: { refunds: ./agents/refunds.yaml }
onWait: { webhook: "https://hooks.example/wait", secret: { env: HOOK_SECRET } }
engine: { concurrency: 8, leaseMs: 5000, crashBudget: 3 }
grants: { files: { read: ["workspace:/notes/", "workspace:/notes/old"] }, network: { hosts: [Example.com] } }
permissions: [{ effect: ask, tool: "fetch_*", when: { path: url, glob: "http://*" } }]
`)
    expect(config.grants).toEqual({
      ...NO_GRANTS,
      // Named elsewhere, and not narrowed here.
      ...{ tools: 'all', models: 'all', connections: 'all', definitions: 'all' },
      agents: { start: true, files: false, depth: 8, reach: 'descendants' },
      files: { read: ['workspace:/notes'], write: [] },
      network: { hosts: ['example.com'], private: [] }
    })
    expect(config.permissions).toEqual([{ effect: 'ask', tool: 'fetch_*', when: { path: 'url', glob: 'http://*' } }])
    expect(config).toMatchObject({
      models: { main: { fallbacks: [{ ref: 'small' }, { provider: 'anthropic', model: 'm', settings: { topK: 1 } }] } },
      agents: { refunds: './agents/refunds.yaml' },
      onWait: { webhook: 'https://hooks.example/wait', secret: { env: 'HOOK_SECRET' } },
      engine: { concurrency: 8, leaseMs: 5000, crashBudget: 3 }
    })
    expect((await parse('version: "1.0"\nonWait: { command: [notify-send, Waiting] }')).onWait).toEqual({
      command: ['notify-send', 'Waiting']
    })
    expect((await parse('version: "1.0"\nonWait: { webhook: { env: HOOK } }')).onWait).toEqual({ webhook: { env: 'HOOK' } })
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

  test.skipIf(process.platform === 'win32')('that has no end is not read to it', async () => {
    await expect(loadConfig('/dev/zero')).rejects.toMatchObject({ code: 'file_unreadable', details: { file: '/dev/zero' } })
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
    [
      'a fallback to no profile',
      'version: "1.0"\nmodels: { a: { provider: openai, model: m, fallbacks: [{ ref: b }] } }',
      'models.a.fallbacks[0].ref'
    ],
    [
      'a fallback to itself',
      'version: "1.0"\nmodels: { a: { provider: openai, model: m, fallbacks: [{ ref: a }] } }',
      'models.a.fallbacks[0].ref'
    ],
    [
      'a fallback to no provider',
      'version: "1.0"\nmodels: { a: { provider: openai, model: m, fallbacks: [{ provider: opneai, model: m }] } }',
      'models.a.fallbacks[0].provider'
    ],
    [
      'a fallback that names its own',
      'version: "1.0"\nmodels: { a: { provider: openai, model: m, fallbacks: [{ provider: xai, model: m, fallbacks: [] }] } }',
      'models.a.fallbacks[0].fallbacks'
    ],
    ['a fallback that is text', 'version: "1.0"\nmodels: { a: { provider: openai, model: m, fallbacks: [b] } }', 'models.a.fallbacks[0]'],
    ['an agent that is no path', 'version: "1.0"\nagents: { a: { path: x } }', 'agents.a'],
    ['an agent whose name is a path', 'version: "1.0"\nagents: { "./a": x.yaml }', 'agents["./a"]'],
    ['a list of agents', 'version: "1.0"\nagents: [a.yaml]', 'agents'],
    ['a notice to nobody', 'version: "1.0"\nonWait: {}', 'onWait.command'],
    ['a notice without a program', 'version: "1.0"\nonWait: { command: [] }', 'onWait.command'],
    ['a program as one text', 'version: "1.0"\nonWait: { command: notify-send }', 'onWait.command'],
    ['a notice to two', 'version: "1.0"\nonWait: { command: [a], webhook: "http://h" }', 'onWait.webhook'],
    ['a webhook with credentials', 'version: "1.0"\nonWait: { webhook: "https://u:p@h/x" }', 'onWait.webhook'],
    ['a webhook with a key in its query', 'version: "1.0"\nonWait: { webhook: "https://h/x?key=1" }', 'onWait.webhook'],
    ['a webhook of another protocol', 'version: "1.0"\nonWait: { webhook: "file:///etc/passwd" }', 'onWait.webhook'],
    ['a secret in the file', 'version: "1.0"\nonWait: { webhook: "https://h/x", secret: whsec_1 }', 'onWait.secret'],
    ['an engine that drives nothing', 'version: "1.0"\nengine: { concurrency: 0 }', 'engine.concurrency'],
    ['a lease that is too short', 'version: "1.0"\nengine: { leaseMs: 10 }', 'engine.leaseMs'],
    ['an option that the engine does not have', 'version: "1.0"\nengine: { workers: 2 }', 'engine.workers'],
    // B068
    ['a profile without a name', 'version: "1.0"\nmodels: { "": { provider: openai, model: m } }', 'models[""]'],
    [
      'a profile that looks like a model of a provider',
      'version: "1.0"\nmodels: { openai/m: { provider: openai, model: m } }',
      'models["openai/m"]'
    ],
    [
      'a profile with a space that nobody sees',
      'version: "1.0"\nmodels: { "\\u200bmain": { provider: openai, model: m } }',
      'models["\u200bmain"]'
    ],
    ['a provider in another composition', 'version: "1.0"\nproviders: { "cafe\\u0301": { driver: scripted } }', 'providers["cafe\u0301"]'],
    ['a provider with space around it', 'version: "1.0"\nproviders: { " a": { driver: scripted } }', 'providers[" a"]'],
    ['a folder that is not absolute', 'version: "1.0"\ngrants: { files: { read: [./notes] } }', 'grants.files.read[0]'],
    ['a field that grants do not have', 'version: "1.0"\ngrants: { file: { read: all } }', 'grants.file'],
    ['a list of grants', 'version: "1.0"\ngrants: [all]', 'grants'],
    ['a rule without a tool', 'version: "1.0"\npermissions: [{ effect: deny }]', 'permissions[0].tool'],
    ['a rule of another effect', 'version: "1.0"\npermissions: [{ effect: forbid, tool: x }]', 'permissions[0].effect'],
    ['a glob that cannot be read', 'version: "1.0"\npermissions: [{ effect: deny, tool: "{a" }]', 'permissions[0].tool'],
    ['a rule that is no list', 'version: "1.0"\npermissions: { effect: deny, tool: x }', 'permissions'],
    ['a duplicate key', 'version: "1.0"\ntools: []\ntools: []', 'tools'],
    ['a reserved key', 'version: "1.0"\nproviders: { __proto__: { driver: scripted } }', 'providers.__proto__']
  ])('is found: %s', async (_name, text, path) => {
    expect((await problemsOf(parse(text))).map((problem) => problem.path)).toContain(path)
  })

  test('names what was meant', async () => {
    const text = `version: "1.0"
agent: {}
onWait: { webhok: "http://h" }
engine: { concurency: 2 }
models: { small: { provider: openai, model: m, setting: {} }, main: { provider: openai, model: m, fallbacks: [{ ref: smal }] } }
`
    expect(await problemsOf(parse(text))).toMatchObject([
      { code: 'unknown_field', line: 2, path: 'agent', nearMiss: 'agents' },
      { code: 'missing', line: 3, path: 'onWait.command' },
      { code: 'unknown_field', line: 3, path: 'onWait.webhok', nearMiss: 'webhook' },
      { code: 'unknown_field', line: 4, path: 'engine.concurency', nearMiss: 'concurrency' },
      { code: 'unknown_field', line: 5, path: 'models.small.setting', nearMiss: 'settings' }
    ])
    const names = text.replace(/^(?:agent|onWait|engine).*\n/gm, '').replace(', setting: {}', '')
    expect(await problemsOf(parse(names))).toMatchObject([{ line: 2, path: 'models.main.fallbacks[0].ref', nearMiss: 'small' }])
  })

  test('is told of a file that is far too large, quickly and without reading it as one', async () => {
    const problems = await problemsOf(parse(`version: "1.0"\ntools: [${'"./a.ts", '.repeat(1_000_000)}]\n`))
    expect(problems).toMatchObject([{ code: 'too_large', line: 1, column: 1 }])
  })

  // B064
  test.each([
    'providers: { openai: { constructor: {} } }',
    'models: { prototype: {} }',
    'agents: { __proto__: a.yaml }',
    'engine: { __proto__: { concurrency: 1 } }'
  ])('is a key that reaches a prototype: %s', async (text) => {
    expect((await problemsOf(parse(`version: "1.0"\n${text}`))).map(({ code }) => code)).toContain('reserved_key')
    expect(Object.hasOwn(Object.prototype, 'concurrency')).toBe(false)
  })

  // I14
  test.each(['SECRET_VALUE', '271828182845', '[SECRET_VALUE]'])(
    'does not show what stands where something else belongs: %s',
    async (given) => {
      const text = `version: "1.0"\nproviders: { openai: { apiKey: ${given}, api: ${given} } }\nmodels: ${given}\nstore: { a: ${given} }\n`
      const error = await parse(text).catch((thrown: unknown) => thrown)
      expect(isHoldfastError(error, 'invalid_config')).toBe(true)
      expect(JSON.stringify([String(error), error])).not.toMatch(/SECRET_VALUE|271828/)
    }
  )

  test('does not show a key that stands where a reference belongs', async () => {
    const error: unknown = await parse('version: "1.0"\nproviders: { openai: { apiKey: sk-live-1234 } }').catch((reason: unknown) => reason)
    expect(isHoldfastError(error, 'invalid_config')).toBe(true)
    expect(JSON.stringify([String(error), (error as { details: unknown }).details])).not.toContain('sk-live-1234')
  })
})
