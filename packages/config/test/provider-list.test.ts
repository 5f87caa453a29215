import { describe, expect, test } from 'vitest'
import { createModelResolver, listProviders, NO_CONFIG, parseConfig } from '../src/index.ts'

const BUILT_IN = ['openai', 'anthropic', 'google', 'xai', 'groq', 'cohere', 'scripted']

describe('the list of providers', () => {
  test('has those that need no entry, with where their keys come from', () => {
    const listed = listProviders(NO_CONFIG, { env: { GROQ_API_KEY: 'gsk-secret', XAI_API_KEY: ' ' } })
    expect(listed.map(({ name }) => name)).toEqual(BUILT_IN)
    expect(listed.find(({ name }) => name === 'groq')).toEqual({
      name: 'groq',
      driver: 'groq',
      configured: false,
      baseURL: 'https://api.groq.com/openai/v1',
      key: { env: 'GROQ_API_KEY', isSet: true }
    })
    expect(listed.find(({ name }) => name === 'xai')?.key).toEqual({ env: 'XAI_API_KEY', isSet: false })
    expect(JSON.stringify(listed)).not.toContain('gsk-secret')
  })

  test('has those of a configuration first', async () => {
    const config = await parseConfig(
      'version: "1.0"\nproviders:\n  local: { driver: openai-compatible, baseURL: "http://127.0.0.1:11434/v1" }\n  cohere: { apiKey: { env: MINE } }\n',
      'holdfast.config.yaml'
    )
    const listed = listProviders(config, { env: { MINE: 'x' } })
    expect(listed.slice(0, 2)).toEqual([
      { name: 'local', driver: 'openai-compatible', configured: true, baseURL: 'http://127.0.0.1:11434/v1' },
      { name: 'cohere', driver: 'cohere', configured: true, baseURL: 'https://api.cohere.com/v2', key: { env: 'MINE', isSet: true } }
    ])
    expect(listed).toHaveLength(8)
  })

  // An address in the environment may hold a password, which is refused when it is used.
  test('does not show an address out of the environment', () => {
    const listed = listProviders(NO_CONFIG, { env: { OPENAI_BASE_URL: 'https://me:secret@gateway/v1' } })
    expect(listed[0]).toMatchObject({ name: 'openai', baseURL: '{ env: OPENAI_BASE_URL }' })
  })

  test('names the keys that the drivers ask for', async () => {
    const models = createModelResolver(NO_CONFIG, { env: {}, baseDir: '.' })
    for (const { name, key } of listProviders(NO_CONFIG, { env: {} })) {
      if (key === undefined) continue
      await expect(models({ provider: name, model: 'm' })).rejects.toMatchObject({ code: 'secret_missing', details: { variable: key.env } })
    }
  })
})
