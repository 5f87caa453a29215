import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { folderWith, holdfast } from './command-kit.ts'

const mock = new LLMock({ port: 0 })
beforeAll(() => mock.start())
afterAll(() => mock.stop())
beforeEach(() => mock.reset())

const OPENAI_USAGE = { prompt_tokens: 11, completion_tokens: 7 }

const WIRES = [
  { name: 'OpenAI Chat', config: { driver: 'openai', api: 'chat' }, base: '/v1', usage: OPENAI_USAGE },
  { name: 'OpenAI Responses', config: { driver: 'openai', api: 'responses' }, base: '/v1', usage: { input_tokens: 11, output_tokens: 7 } },
  { name: 'Anthropic', config: { driver: 'anthropic' }, base: '/v1', usage: { input_tokens: 11, output_tokens: 7 } },
  { name: 'Google', config: { driver: 'google' }, base: '/v1beta', usage: { promptTokenCount: 11, candidatesTokenCount: 7 } },
  { name: 'xAI', config: { driver: 'xai' }, base: '/v1', usage: { input_tokens: 11, output_tokens: 7 } },
  { name: 'Groq', config: { driver: 'groq' }, base: '/v1', usage: OPENAI_USAGE },
  { name: 'Cohere', config: { driver: 'cohere' }, base: '/v2', usage: { input_tokens: 11, output_tokens: 7 } },
  { name: 'an OpenAI-compatible server', config: { driver: 'openai-compatible' }, base: '/v1', usage: OPENAI_USAGE }
]

// Each tool ends only when the other has begun: the run completes only if they run together.
const TOOLS = `
const begun = { get: Promise.withResolvers(), put: Promise.withResolvers() }
const schema = { kind: 'json', jsonSchema: { type: 'object', properties: { k: { type: 'number' } }, required: ['k'] } }
const tool = (name, other) => ({
  name, description: name, input: schema, effect: 'read', parallelSafe: true, timeoutMs: 10000,
  execute: async ({ k }) => { begun[name].resolve(); await begun[other].promise; return name + ' ' + k }
})
export default [tool('get', 'put'), tool('put', 'get')]
`

interface Line {
  readonly type: string
  readonly text?: string
  readonly data?: { readonly outcome?: string; readonly result?: { readonly inline?: { readonly value?: unknown } } }
}

describe.each(WIRES)('holdfast run against $name', ({ config, base, usage }) => {
  test('streams, runs both calls together and completes', async () => {
    mock.on(
      { hasToolResult: false },
      {
        content: 'let me look at both',
        toolCalls: [
          { name: 'get', arguments: '{"k":1}', id: 'call_a' },
          { name: 'put', arguments: '{"k":2}', id: 'call_b' }
        ],
        usage
      },
      { chunkSize: 6 }
    )
    mock.on({ hasToolResult: true }, { content: 'both are there', usage }, { chunkSize: 4 })
    const folder = folderWith({
      'holdfast.config.yaml': JSON.stringify({
        version: '1.0',
        providers: { wire: { ...config, baseURL: `${mock.url}${base}`, apiKey: { env: 'WIRE_KEY' } } },
        models: { main: { provider: 'wire', model: 'm' } }
      }),
      'agent.yaml': JSON.stringify({ schemaVersion: '1.0', name: 'looker', model: { ref: 'main' }, prompt: 'look', tools: ['get', 'put'] }),
      'tools.mjs': TOOLS
    })
    const told = await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs', '--jsonl'], {
      env: { WIRE_KEY: 'key-of-the-wire-1234567890' }
    })
    expect(told.stderr).not.toContain('key-of-the-wire')
    expect(told.code).toBe(0)
    const lines = told.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)
    const deltas = lines.filter((line) => line.type === 'text.delta').map((line) => line.text)
    expect(deltas.join('')).toBe('let me look at bothboth are there')
    expect(deltas.length).toBeGreaterThan(4)
    const settled = lines.filter((line) => line.type === 'call.settled').map((line) => line.data)
    expect(settled.map((data) => data?.outcome)).toEqual(['ok', 'ok'])
    expect(settled.map((data) => data?.result?.inline?.value).sort()).toEqual(['get 1', 'put 2'])
    expect(lines.at(-1)).toMatchObject({ type: 'run.settled', status: 'completed' })
    expect(mock.getRequests()).toHaveLength(2)
  })
})
