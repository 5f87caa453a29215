import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { spelledIn } from '../../runtime/test/secret-kit.ts'
import { addFiles, folderWith, holdfast, startHoldfast, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

const VALUES = ['sk-live-0123456789abcdefXYZ', 'p"a/s+s%w ö=r\\d&1']
const ENV = { LOCAL_KEY: VALUES[0] ?? '', OPENAI_API_KEY: VALUES[1] ?? '' }

const CONFIG = `
version: "1.0"
providers:
  local: { driver: openai-compatible, baseURL: "http://127.0.0.1:1/v1", apiKey: { env: LOCAL_KEY } }
`

/** Tools that show what stands in the environment, in every way in which a tool can. */
const TOOLS = `
const values = () => [process.env.LOCAL_KEY, process.env.OPENAI_API_KEY, process.env.OTHER].filter(Boolean)
const input = { kind: 'json', jsonSchema: { type: 'object' } }
const tool = (name, execute) => ({ name, description: name, input, effect: 'read', parallelSafe: true, execute })
export const environment = tool('environment', (_, { progress, logger }) => {
  for (const value of values()) { progress('found ' + value); logger.warn('found ' + value) }
  return { env: { ...values() }, header: values().map((value) => btoa('user:' + encodeURIComponent(value))) }
})
export const boom = tool('boom', () => { throw new Error('refused: ' + values().join(' ')) })
export const leak = tool('leak', (args) => args)
export const crash = tool('crash', () => { setTimeout(() => { throw new Error('fell over ' + values().join(' ')) }); return new Promise(() => {}) })
`

/** An agent that says, calls and is refused with every value. */
function leakyAgent(values: readonly string[]) {
  const said = values.join(' and ')
  return {
    ...scriptedAgent(
      [
        { text: `I have ${said}.`, toolCalls: ['environment', 'boom', 'leak'].map((name) => ({ name, arguments: { key: said } })) },
        { toolCalls: [{ name: 'environment' }, { name: 'boom' }, { name: 'leak', arguments: { fine: true } }] },
        { text: `At last: ${said}` },
        { error: { message: `no such key: ${said}`, status: 401 } },
        { text: `Once more: ${said}` }
      ],
      { tools: ['environment', 'boom', 'leak'] }
    ),
    'tools.mjs': TOOLS,
    'holdfast.config.yaml': CONFIG
  }
}

/** All bytes that the command keeps. */
function keptIn(folder: string): string {
  const kept = join(folder, '.holdfast')
  return readdirSync(kept, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString())
    .join('\n')
}

async function tell(folder: string, argv: readonly string[], env: { readonly [name: string]: string }) {
  const running = startHoldfast(folder, argv, { env })
  const code = await running.ended
  return { code, stdout: running.stdout(), stderr: running.stderr() }
}

/** Everything that is told and kept while a secret is given to a thread in every way. */
async function leaveTraces(folder: string, values: readonly string[], env: { readonly [name: string]: string }): Promise<string> {
  const said = values.join(' ')
  const first = await tell(folder, ['run', 'agent.yaml', `use ${said}`, '--tools', 'tools.mjs', '--jsonl'], env)
  const thread = threadOf(first)
  const told = [first]
  for (const argv of [
    ['message', thread, `fail with ${said}`],
    ['message', thread, `and ${said}`, '--json'],
    ['message', thread, `later ${said}`, '--detach'],
    ['cancel', thread, '--reason', said],
    ['log', thread, '--json'],
    ['show', thread]
  ]) {
    told.push(await tell(folder, argv, { ...env, HOLDFAST_DEBUG: '1' }))
  }
  return [...told.flatMap(({ stdout, stderr }) => [stdout, stderr]), keptIn(folder)].join('\n')
}

describe('a secret in the environment that the configuration refers to', () => {
  test('is found neither in what the command tells nor in what it keeps', async () => {
    const traces = await leaveTraces(folderWith(leakyAgent(VALUES)), VALUES, ENV)
    expect(spelledIn(traces, VALUES)).toEqual([])
    expect(traces).toContain('[secret:LOCAL_KEY]')
    expect(traces).toContain('[secret:OPENAI_API_KEY]')
    expect(traces).toContain('secret_in_arguments')
    expect(traces).toMatch(/warning: the value of LOCAL_KEY, OPENAI_API_KEY/)
  }, 300_000)

  test('would be found when nothing refers to it: the test above can fail', async () => {
    const [value = ''] = VALUES
    const folder = folderWith(leakyAgent([value]))
    const { stdout, stderr } = await tell(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'], { OTHER: value })
    for (const trace of [stdout, stderr, keptIn(folder)]) expect(spelledIn(trace, VALUES)).toContain(value)
  }, 300_000)

  test('is not shown on a terminal, where the answer comes in pieces', async () => {
    const folder = folderWith(leakyAgent(VALUES))
    const told = await holdfast(folder, ['run', 'agent.yaml', 'go', '--tools', 'tools.mjs'], { env: ENV, tty: true })
    expect(told).toMatchObject({ code: 0 })
    expect(told.stdout).toContain('At last: [secret:LOCAL_KEY] and [secret:OPENAI_API_KEY]')
    expect(spelledIn(told.stdout + told.stderr + keptIn(folder), VALUES)).toEqual([])
  })

  test('is not told when the tools or the process fall over it', async () => {
    const folder = folderWith({
      ...scriptedAgent([calling('crash')], { tools: ['crash'] }),
      'tools.mjs': TOOLS,
      'holdfast.config.yaml': CONFIG
    })
    const crashed = await tell(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'], ENV)
    expect(crashed.code).toBe(1)
    expect(crashed.stderr).toContain('fell over')
    addFiles(folder, { 'broken.mjs': "throw new Error('cannot begin with ' + process.env.OPENAI_API_KEY)" })
    const broken = await tell(folder, ['run', 'agent.yaml', '--tools', 'broken.mjs'], ENV)
    expect(broken.code).toBe(2)
    expect(broken.stderr).toContain('cannot begin with [secret:OPENAI_API_KEY]')
    expect(spelledIn(crashed.stderr + broken.stderr, VALUES)).toEqual([])
  })

  test('in the agent itself stops the start before anything is kept', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'done' }], { systemPrompt: `Use ${VALUES[0]}.` }))
    const told = await tell(folder, ['run', 'agent.yaml'], { OPENAI_API_KEY: VALUES[0] ?? '' })
    expect(told.code).toBe(2)
    expect(told.stderr).toContain('systemPrompt')
    expect(spelledIn(told.stderr, VALUES)).toEqual([])
    expect(readdirSync(folder)).not.toContain('.holdfast')
  })
})
