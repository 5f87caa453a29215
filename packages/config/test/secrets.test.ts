import { describe, expect, test } from 'vitest'
import { createRuntime, createSecretRegistry, defineTool, memoryStore } from '@holdfast/runtime'
import { createModelResolver, NO_CONFIG, parseConfig, registerSecrets } from '../src/index.ts'
import { SECRET } from './ask-model.ts'
import { DONE, events, startFakeProvider } from './fake-provider.ts'

const CONFIG = `
version: "1.0"
providers:
  local: { driver: openai-compatible, baseURL: "http://127.0.0.1:1/v1", apiKey: { env: LOCAL_KEY } }
store: { env: STORE }
`

async function registered(config: string, env: { readonly [name: string]: string }) {
  const secrets = createSecretRegistry()
  registerSecrets(await parseConfig(config, 'holdfast.config.yaml'), { env, secrets })
  return secrets
}

describe('the values that a configuration refers to', () => {
  test('are registered under the names of their variables, and so are the keys of built-in providers', async () => {
    const secrets = await registered(CONFIG, {
      LOCAL_KEY: ` ${SECRET}\n`,
      OPENAI_API_KEY: 'sk-openai-0123456789',
      UNRELATED: 'not a secret at all'
    })
    expect(secrets.size).toBe(2)
    expect(secrets.redact(`${SECRET} sk-openai-0123456789`)).toBe('[secret:LOCAL_KEY] [secret:OPENAI_API_KEY]')
  })

  test('include a store that is a URL, with its password, and not one that is a path', async () => {
    expect((await registered(CONFIG, { STORE: './data/holdfast.db' })).size).toBe(0)
    const secrets = await registered(CONFIG, { STORE: 'postgres://me:s3cr%2Fet-word@db/holdfast' })
    expect(secrets.redact('postgres://me:s3cr%2Fet-word@db/holdfast s3cr%2Fet-word s3cr/et-word')).toBe(
      '[secret:STORE] [secret:STORE] [secret:STORE]'
    )
  })

  test('include the address and the secret of a webhook', async () => {
    const config = 'version: "1.0"\nonWait: { webhook: { env: HOOK }, secret: { env: HOOK_SECRET } }'
    const secrets = await registered(config, { HOOK: 'https://hooks.example/T0/B0/x', HOOK_SECRET: 'whsec_0123456789' })
    expect(secrets.redact('https://hooks.example/T0/B0/x whsec_0123456789')).toBe('[secret:HOOK] [secret:HOOK_SECRET]')
    expect((await registered('version: "1.0"\nonWait: { command: [notify] }', { HOOK: 'https://hooks.example/x' })).size).toBe(0)
  })

  test('are registered when a resolver is made, before anything is asked of it', () => {
    const secrets = createSecretRegistry()
    createModelResolver(NO_CONFIG, { env: { ANTHROPIC_API_KEY: SECRET }, baseDir: '.', secrets })
    expect(secrets.namesIn(SECRET)).toEqual(['ANTHROPIC_API_KEY'])
  })

  test('are registered again when a model is made: the environment may have changed', async () => {
    const secrets = createSecretRegistry()
    const env: { [name: string]: string } = {}
    const resolve = createModelResolver(NO_CONFIG, { env, baseDir: '.', secrets })
    env['OPENAI_API_KEY'] = SECRET
    await resolve({ provider: 'openai', model: 'm' })
    expect(secrets.has(SECRET)).toBe(true)
  })
})

describe('a key that a provider gives back', () => {
  const tool = defineTool({ name: 'get', description: 'Gets.', input: { type: 'object' }, execute: () => 'got it' })

  async function run(...chunks: readonly (readonly string[])[]) {
    await using server = await startFakeProvider(...chunks.map((each) => ({ chunks: each })))
    const secrets = createSecretRegistry()
    const provider = { driver: 'openai-compatible', baseURL: server.url, apiKey: { env: 'KEY' } } as const
    const config = { ...NO_CONFIG, providers: { local: provider } }
    const models = createModelResolver(config, { env: { KEY: SECRET }, baseDir: '.', secrets })
    await using runtime = createRuntime({ store: memoryStore(), models, tools: [tool], secrets })
    const handle = await runtime.start(
      { name: 'agent', model: { provider: 'local', model: 'm' }, tools: ['get'], limits: { maxRetries: 0 } },
      { input: 'go' }
    )
    const result = await handle.settled()
    return { result, log: JSON.stringify(await handle.log()), requests: server.requests }
  }

  test('in arguments blocks the call; in text it is named', async () => {
    const call = { index: 0, id: 'c1', function: { name: 'get', arguments: JSON.stringify({ key: SECRET }) } }
    const { result, log, requests } = await run(
      [
        ...events({ choices: [{ index: 0, delta: { tool_calls: [call] } }] }, { choices: [{ delta: {}, finish_reason: 'tool_calls' }] }),
        DONE
      ],
      [
        ...events(
          { choices: [{ index: 0, delta: { content: `It is ${SECRET.slice(0, 9)}` } }] },
          { choices: [{ index: 0, delta: { content: SECRET.slice(9) } }] },
          { choices: [{ delta: {}, finish_reason: 'stop' }] }
        ),
        DONE
      ]
    )
    expect(result).toMatchObject({ status: 'completed', text: 'It is [secret:KEY]' })
    expect(log).toContain('secret_in_arguments')
    expect(log).not.toContain(SECRET)
    expect(JSON.stringify(requests.map(({ body }) => body))).not.toContain(SECRET)
  })

  test('in an error is not kept', async () => {
    await using server = await startFakeProvider({
      status: 400,
      headers: { 'content-type': 'application/json' },
      chunks: [JSON.stringify({ error: { message: `no such key: ${SECRET}` } })]
    })
    const secrets = createSecretRegistry()
    const config = {
      ...NO_CONFIG,
      providers: { local: { driver: 'openai-compatible', baseURL: server.url, apiKey: { env: 'KEY' } } as const }
    }
    const models = createModelResolver(config, { env: { KEY: SECRET }, baseDir: '.', secrets })
    await using runtime = createRuntime({ store: memoryStore(), models, secrets })
    const handle = await runtime.start({ name: 'agent', model: { provider: 'local', model: 'm' } }, { input: 'go' })
    const result = await handle.settled()
    expect(result).toMatchObject({ status: 'failed', error: { code: 'provider_rejected' } })
    expect(JSON.stringify([result, await handle.log()])).not.toContain(SECRET)
  })
})
