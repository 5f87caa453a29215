import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderWith, holdfast } from './command-kit.ts'
import { scriptedAgent } from './scripted-agent.ts'

const SECRET = 'sk-a-very-secret-key-0123456789'
const CONFIG = `version: "1.0"
providers:
  openai: { apiKey: { env: MY_KEY } }
  local: { driver: openai-compatible, baseURL: "http://127.0.0.1:11434/v1" }
models:
  main: { provider: openai, model: gpt-5, settings: { temperature: 0 }, options: { openai: { apiToken: "${SECRET}", user: me } } }
  small: { provider: local, model: qwen, prices: { input: 1, output: 2 } }
  odd: { provider: local, model: who-knows }
  play: { provider: scripted, model: ./script.yaml }
tools: [./tools.mjs]
`

interface ConfigDocument {
  readonly file: string | null
  readonly store: { readonly path?: string; readonly exists: boolean }
  readonly tools: readonly string[]
  readonly providers: readonly { readonly name: string; readonly key?: unknown }[]
  readonly models: readonly { readonly ref: string; readonly price?: { readonly window?: number } | null }[]
}

const read = <T>(text: string): T => JSON.parse(text) as T

describe('holdfast config show', () => {
  test('shows what the configuration means here, and no secret', async () => {
    const folder = folderWith({ 'holdfast.config.yaml': CONFIG })
    const env = { MY_KEY: SECRET }
    const told = await holdfast(folder, ['config', 'show', '--json'], { env })
    expect(told.code).toBe(0)
    const document = read<ConfigDocument>(told.stdout)
    expect(document).toMatchObject({
      file: join(folder, 'holdfast.config.yaml'),
      store: { path: join(folder, '.holdfast/holdfast.db'), exists: false },
      tools: [join(folder, 'tools.mjs')]
    })
    expect(document.providers[0]).toMatchObject({ name: 'openai', key: { env: 'MY_KEY', isSet: true } })
    expect(document.models[0]).toMatchObject({ ref: 'main', options: { openai: { apiToken: '[hidden]', user: 'me' } } })
    const text = await holdfast(folder, ['config', 'show'], { env })
    expect(text.stdout).toContain('MY_KEY is set')
    expect(text.stdout + told.stdout).not.toContain(SECRET)
  })

  test('shows agents, engine, fallbacks and who is told of a wait, and no value that a reference names', async () => {
    const folder = folderWith({
      'agents/refunds.yaml': 'schemaVersion: "1.0"\nname: refund desk\nmodel: { ref: main }\n',
      'holdfast.config.yaml': `version: "1.0"
models:
  main: { provider: openai, model: m, fallbacks: [{ ref: small }, { provider: xai, model: g, options: { xai: { apiKey: "${SECRET}" } } }] }
  small: { provider: openai, model: n }
agents: { refunds: ./agents/refunds.yaml }
onWait: { webhook: { env: HOOK }, secret: { env: HOOK_SECRET } }
engine: { concurrency: 4 }
grants: { files: { read: ["workspace:/notes"] }, shell: approval }
permissions: [{ effect: deny, tool: write_file, when: { path: path, glob: "*.md" } }]
`
    })
    const env = { HOOK: `https://hooks.example/${SECRET}` }
    const told = await holdfast(folder, ['config', 'show', '--json'], { env })
    expect(told.code).toBe(0)
    expect(JSON.parse(told.stdout)).toMatchObject({
      models: [
        { ref: 'main', fallbacks: [{ ref: 'small' }, { provider: 'xai', options: { xai: { apiKey: '[hidden]' } } }] },
        { ref: 'small' }
      ],
      agents: [{ name: 'refunds', path: join(folder, 'agents/refunds.yaml'), agent: 'refund desk' }],
      engine: { concurrency: 4 },
      grants: { files: { read: ['workspace:/notes'], write: [] }, shell: 'approval', tools: 'all' },
      permissions: [{ effect: 'deny', tool: 'write_file' }],
      onWait: { webhook: { env: 'HOOK', isSet: true }, secret: { env: 'HOOK_SECRET', isSet: false } }
    })
    const text = await holdfast(folder, ['config', 'show'], { env })
    expect(text.stdout).toMatch(/^ {2}main +openai\/m +then small, xai\/g/m)
    expect(text.stdout).toMatch(/^ {2}refunds +\S+refunds.yaml +refund desk$/m)
    expect(text.stdout).toMatch(/^on wait +calls HOOK is set, signed: HOOK_SECRET is not set$/m)
    expect(text.stdout).toMatch(/^engine +concurrency 4$/m)
    expect(text.stdout).toMatch(/^grants\n {2}files\.read +workspace:\/notes\n {2}shell +approval\n {2}tools +all$/m)
    expect(text.stdout).toMatch(/^ {2}deny +write_file +when \{.*\*\.md/m)
    const models = await holdfast(folder, ['models', '--json'], { env })
    expect(JSON.parse(models.stdout)).toMatchObject({ models: [{ ref: 'main', fallbacks: [{ ref: 'small' }, {}] }, { ref: 'small' }] })
    expect((await holdfast(folder, ['models'], { env })).stdout).toMatch(/^main +openai\/m +then small, xai\/g +/m)
    expect(text.stdout + told.stdout + models.stdout).not.toContain(SECRET)
  })

  test('names the place of an agent that cannot be read, and other commands go on', async () => {
    const folder = folderWith({
      ...scriptedAgent([{ text: 'ok' }]),
      'holdfast.config.yaml': 'version: "1.0"\nagents:\n  gone: ./gone.yaml\n'
    })
    const told = await holdfast(folder, ['config', 'show', '--json'])
    expect(told.code).toBe(2)
    expect(JSON.parse(told.stdout)).toMatchObject({
      error: { code: 'invalid_config', details: { problems: [{ path: 'agents.gone', line: 3, column: 9 }] } }
    })
    expect(JSON.parse((await holdfast(folder, ['doctor', '--json'])).stdout)).toMatchObject({
      checks: expect.arrayContaining([expect.objectContaining({ name: 'agents', state: 'failed' })])
    })
    expect((await holdfast(folder, ['run', 'agent.yaml'])).code).toBe(0)
  })

  test('shows a program that is run at a wait, argument by argument', async () => {
    const folder = folderWith({ 'holdfast.config.yaml': 'version: "1.0"\nonWait: { command: [notify-send, "a b"] }\n' })
    expect((await holdfast(folder, ['config', 'show'])).stdout).toMatch(/^on wait +runs "notify-send" "a b"$/m)
    expect(JSON.parse((await holdfast(folder, ['config', 'show', '--json'])).stdout)).toMatchObject({
      onWait: { command: ['notify-send', 'a b'] }
    })
  })

  test('shows the providers that need no entry where there is no configuration', async () => {
    const { code, stdout } = await holdfast(folderWith(), ['config', 'show', '--json'])
    expect(code).toBe(0)
    const { file, providers } = read<ConfigDocument>(stdout)
    expect(file).toBeNull()
    expect(providers.map(({ name }) => name)).toEqual(expect.arrayContaining(['openai', 'xai', 'groq', 'cohere', 'scripted']))
  })

  test('shows which variable a store is missing', async () => {
    const folder = folderWith({ 'holdfast.config.yaml': 'version: "1.0"\nstore: { env: WHERE }\n' })
    const store = async (env: { readonly [name: string]: string }): Promise<unknown> =>
      read<ConfigDocument>((await holdfast(folder, ['config', 'show', '--json'], { env })).stdout).store
    expect(await store({})).toEqual({ env: 'WHERE', exists: false })
    expect(await store({ WHERE: 'data/x.db' })).toEqual({ env: 'WHERE', path: join(folder, 'data/x.db'), exists: false })
  })

  test('refuses a configuration that is wrong, with its place', async () => {
    const folder = folderWith({ 'holdfast.config.yaml': 'version: "1.0"\nmodel: {}\n' })
    const told = await holdfast(folder, ['config', 'show', '--json'])
    expect(told.code).toBe(2)
    expect(JSON.parse(told.stdout)).toMatchObject({ error: { code: 'invalid_config' } })
  })

  test('shows help when nothing below it is named', async () => {
    expect(await holdfast(folderWith(), ['config'])).toMatchObject({ code: 2, stderr: expect.stringContaining('config show') })
    const wrong = await holdfast(folderWith(), ['config', 'shwo'])
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean show?') })
  })
})

describe('holdfast models', () => {
  test('lists profiles with what is known of their prices, and where keys are missing', async () => {
    const folder = folderWith({ 'holdfast.config.yaml': CONFIG })
    const told = await holdfast(folder, ['models', '--json'])
    expect(told.code).toBe(0)
    const { models } = read<ConfigDocument>(told.stdout)
    expect(models).toMatchObject([
      { ref: 'main', provider: 'openai', model: 'gpt-5', key: { env: 'MY_KEY', isSet: false } },
      { ref: 'small', price: { input: 1, output: 2 } },
      { ref: 'odd', price: null },
      { ref: 'play', price: { input: 0, output: 0 } }
    ])
    expect(models[0]?.price?.window).toBeGreaterThan(100_000)
    const { stdout } = await holdfast(folder, ['models'])
    expect(stdout).toMatch(/^main +openai\/gpt-5 +\$.*MY_KEY is not set$/m)
    expect(stdout).toMatch(/^odd .*price unknown/m)
    expect(stdout).toMatch(/^groq\/\.\.\. +GROQ_API_KEY is not set$/m)
  })
})

describe('holdfast tools', () => {
  test('shows the tools of an agent as its model sees them', async () => {
    const folder = folderWith(scriptedAgent([], { tools: ['echo', { ref: 'stamp', timeoutMs: 5000 }, 'task_complete'] }))
    const told = await holdfast(folder, ['tools', 'agent.yaml', '--tools', 'tools.mjs', '--json'])
    expect(told.code).toBe(0)
    expect(JSON.parse(told.stdout)).toMatchObject({
      agent: 'tester',
      publication: expect.stringMatching(/^sha256:/),
      tools: [
        { name: 'echo', effect: 'read', description: 'Echoes.', inputSchema: { properties: { text: { type: 'string' } } } },
        { name: 'stamp', effect: 'once', timeoutMs: 5000 },
        { name: 'task_complete' }
      ]
    })
    const { stdout } = await holdfast(folder, ['tools', 'agent.yaml', '--tools', 'tools.mjs'])
    expect(stdout).toContain('never started a second time')
    expect(stdout).toContain('"text"')
  })

  test('says which tool is unknown, and writes nothing', async () => {
    const folder = folderWith(scriptedAgent([], { tools: ['ecko'] }))
    const told = await holdfast(folder, ['tools', 'agent.yaml', '--tools', 'tools.mjs', '--json'])
    expect(told.code).toBe(2)
    expect(JSON.parse(told.stdout)).toMatchObject({ error: { code: 'tool_unknown' } })
  })
})

interface Checks {
  readonly checks: readonly { readonly name: string; readonly state: string; readonly detail: string }[]
}

describe('holdfast doctor', () => {
  const examine = async (folder: string, argv: readonly string[] = [], env: { readonly [name: string]: string } = {}) => {
    const { code, stdout } = await holdfast(folder, ['doctor', ...argv, '--json'], { env })
    const { checks } = read<Checks>(stdout)
    return { code, stdout, of: (name: string) => checks.find((check) => check.name === name) }
  }

  test('finds what is there and what is missing', async () => {
    const folder = folderWith({ ...scriptedAgent([{ text: 'ok' }]), 'holdfast.config.yaml': CONFIG })
    const before = await examine(folder, [], { GROQ_API_KEY: SECRET })
    expect(before.code).toBe(0)
    expect(before.of('node')).toMatchObject({ state: 'ok', detail: expect.stringContaining(process.versions.node) })
    expect(before.of('sqlite')?.detail).toMatch(/^\d/)
    expect(before.of('store')).toMatchObject({ state: 'ok', detail: expect.stringContaining('not made yet') })
    expect(before.of('writable')).toMatchObject({ state: 'ok', detail: folder })
    // This version runs nothing in a sandbox.
    expect(before.of('bubblewrap')).toBeUndefined()
    expect(before.of('key of openai')).toMatchObject({ state: 'missing', detail: 'MY_KEY is not set' })
    expect(before.of('key of groq')).toMatchObject({ state: 'ok' })
    expect(before.of('key of xai')).toBeUndefined()
    expect(before.stdout).not.toContain(SECRET)
    await holdfast(folder, ['run', 'agent.yaml'])
    expect((await examine(folder)).of('store')).toMatchObject({ state: 'ok', detail: expect.stringMatching(/schema \d+, \d+ bytes/) })
    expect((await holdfast(folder, ['doctor'])).stdout).toMatch(/^ok +node +/m)
  })

  test.for([
    ['configuration', 'holdfast.config.yaml', 'version: "9"\n'],
    ['store', '.holdfast/holdfast.db', 'this is no database, but long enough to be looked at'.repeat(10)]
  ] as const)('tells that the %s cannot be used, and looks at the rest', async ([name, path, text]) => {
    const report = await examine(folderWith({ [path]: text }))
    expect(report.code).toBe(1)
    expect(report.of(name)).toMatchObject({ state: 'failed' })
    expect(report.of('node')).toBeDefined()
    expect(report.of('writable') ?? report.of('store')).toBeDefined()
  })

  test('tells each line of what is wrong on a line of its own', async () => {
    const folder = folderWith({ 'holdfast.config.yaml': 'version: "9"\nfoo: 1\n' })
    const { stdout } = await holdfast(folder, ['doctor'])
    expect(stdout).not.toContain('\\n')
    expect(stdout.split('\n').filter((line) => line.startsWith(`  ${join(folder, 'holdfast.config.yaml')}:`))).toHaveLength(2)
  })

  test.for([
    ['of another program', true],
    ['that is nobody’s yet', false]
  ] as const)('looks at a database %s, and changes nothing', async ([, isForeign]) => {
    const folder = folderWith()
    const path = join(folder, 'it.db')
    const db = new DatabaseSync(path)
    if (isForeign) db.exec('CREATE TABLE theirs (a)')
    db.close()
    const before = readFileSync(path)
    const report = await examine(folder, ['--store', path])
    expect([report.code, report.of('store')?.state]).toEqual(isForeign ? [1, 'failed'] : [0, 'ok'])
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(readdirSync(folder)).toEqual(['it.db'])
  })

  test('tells that a store is newer', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'ok' }]))
    await holdfast(folder, ['run', 'agent.yaml'])
    const path = join(folder, '.holdfast/holdfast.db')
    const bytes = readFileSync(path)
    bytes.writeUInt32BE(999, 60)
    writeFileSync(path, bytes)
    expect((await examine(folder)).of('store')).toMatchObject({ state: 'failed', detail: expect.stringContaining('schema 999') })
  })

  describe('--reach', () => {
    const mock = new LLMock({ port: 0 })
    beforeAll(() => mock.start())
    afterAll(() => mock.stop())

    test('asks each provider of a profile once, and tells who does not answer', async () => {
      mock.onMessage(/one word/, { content: 'ok', usage: { prompt_tokens: 9, completion_tokens: 1 } })
      const folder = folderWith({
        ...scriptedAgent([]),
        'holdfast.config.yaml': `version: "1.0"
providers:
  there: { driver: openai-compatible, baseURL: "${mock.url}/v1" }
  gone: { driver: openai-compatible, baseURL: "http://127.0.0.1:9/v1" }
models:
  a: { provider: there, model: m, prices: { input: 1, output: 1 } }
  b: { provider: there, model: n }
  c: { provider: gone, model: m }
  d: { provider: groq, model: m }
`
      })
      const report = await examine(folder, ['--reach'])
      expect(report.code).toBe(1)
      expect(report.of('wire of there')).toMatchObject({ state: 'ok', detail: 'there/m answers ($0.00001)' })
      expect(report.of('wire of gone')).toMatchObject({ state: 'failed' })
      expect(report.of('wire of groq')).toMatchObject({ state: 'missing' })
      expect(mock.getRequests()).toHaveLength(1)
      expect((await examine(folder)).of('wire of there')).toBeUndefined()
      expect(mock.getRequests()).toHaveLength(1)
    })
  })
})

describe('holdfast version', () => {
  test('shows every version', async () => {
    const told = await holdfast(folderWith(), ['version', '--json'])
    expect(told.code).toBe(0)
    const versions = JSON.parse(told.stdout) as { readonly [name: string]: string }
    for (const [name, folder] of [
      ['holdfast', 'cli'],
      ['@holdfast/runtime', 'runtime'],
      ['@holdfast/config', 'config']
    ] as const) {
      const manifest = JSON.parse(readFileSync(new URL(`../../${folder}/package.json`, import.meta.url), 'utf8')) as { version: string }
      expect(versions[name]).toBe(manifest.version)
    }
    expect(versions['node']).toBe(process.versions.node)
    expect((await holdfast(folderWith(), ['version'])).stdout).toContain(`node               ${process.versions.node}`)
  })
})
