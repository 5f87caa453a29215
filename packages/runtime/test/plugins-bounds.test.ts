import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Plugin, PluginBounds, PluginParts } from '../src/contracts/plugin.ts'
import type { ToolNeeds } from '../src/contracts/tool.ts'
import { definePlugin, defineState } from '../src/define-plugin.ts'
import { parseAgentManifest } from '../src/manifest/agent-manifest.ts'
import { createSecretRegistry } from '../src/secrets.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { runtimeOf } from './approval-kit.ts'
import { before } from './hook-kit.ts'
import { pluginOf, problemsOf, publish } from './plugin-kit.ts'
import { toolOf } from './runtime-kit.ts'

const pass = before('guard', () => undefined)
const look = toolOf('look', () => 'seen', { effect: 'read' })
const needing = (needs: ToolNeeds) => toolOf('look', () => 'seen', { needs })
const count = defineState('count', { schema: { type: 'integer' }, initial: 0 })
const WIDE: PluginBounds = {
  tools: ['look', 'query_*'],
  hooks: ['beforeToolCall'],
  context: ['system', 'request'],
  permissions: ['deny', 'ask'],
  state: ['count']
}

describe('what a plugin gives beyond its bounds, or what cannot be used, is refused where it is named:', () => {
  const breaches: readonly (readonly [string, PluginBounds, unknown])[] = [
    ['a tool without any bounds', {}, { tools: [look] }],
    ['a tool of another name', { tools: ['lookup', 'loo'] }, { tools: [look] }],
    ['a tool that the glob leaves out', { tools: ['query_*'] }, { tools: [look] }],
    ['a tool that needs a folder', { tools: ['*'] }, { tools: [needing({ files: { read: ['/data'] } })] }],
    ['a tool that needs more', { tools: ['*'], grants: { env: ['A'] } }, { tools: [needing({ env: ['A', 'B'] })] }],
    ['two tools of one name', { tools: ['*'] }, { tools: [toolOf('a_b', () => 1), toolOf('a-b', () => 1)] }],
    ['a tool of a built-in name', { tools: ['*'] }, { tools: [toolOf('ask_user', () => 1)] }],
    ['a tool that is none', WIDE, { tools: [{ name: 'look' }] }],
    ['tools that are no list', WIDE, { tools: look }],
    ['a hook without any bounds', {}, { hooks: [pass] }],
    ['a hook of the same name', WIDE, { hooks: [pass, pass] }],
    ['a hook with a name that is none', WIDE, { hooks: [before('a/b', () => undefined)] }],
    ['a hook that looks at nothing', WIDE, { hooks: [{ name: 'guard' }] }],
    ['a hook that observes', WIDE, { hooks: [{ ...pass, onCost: () => undefined }] }],
    ['a hook with a time limit that is none', WIDE, { hooks: [{ ...pass, timeoutMs: 0 }] }],
    ['a rule without any bounds', {}, { permissions: [{ effect: 'deny', tool: '*' }] }],
    ['a rule of another effect', { permissions: ['ask'] }, { permissions: [{ effect: 'deny', tool: '*' }] }],
    ['a rule that allows', WIDE, { permissions: [{ effect: 'allow', tool: '*' }] }],
    ['rules that cannot be read', WIDE, { permissions: [{ effect: 'deny' }] }],
    ['state without any bounds', {}, { state: [count] }],
    ['state of another key', { state: ['other'] }, { state: [count] }],
    ['state twice', WIDE, { state: [count, count] }],
    ['state that is none', WIDE, { state: [{ key: 'count' }] }],
    ['state whose initial value does not fit', WIDE, { state: [defineState('count', { schema: { type: 'integer' }, initial: 'x' })] }],
    ['state whose initial value is no JSON', WIDE, { state: [defineState('count', { schema: {}, initial: Number.NaN })] }],
    ['state whose schema cannot be used', WIDE, { state: [defineState('count', { schema: { type: 'nothing' }, initial: 0 })] }],
    ['state that is too large at once', WIDE, { state: [defineState('count', { schema: {}, initial: 'x'.repeat(65_535) })] }],
    ['state that is judged later', WIDE, { state: [defineState('count', { schema: z.number().refine(async () => true), initial: 0 })] }],
    ['context without any bounds', {}, { context: { system: 'Be brief.' } }],
    ['context of another place', { context: ['request'] }, { context: { system: 'Be brief.' } }],
    ['context at no place', WIDE, { context: { footer: 'Be brief.' } }],
    ['context that is blank', WIDE, { context: { system: ' ' } }],
    ['context that is no object', WIDE, { context: 'Be brief.' }],
    ['context with a template that is none', WIDE, { context: { system: '{{ state.count' } }],
    ['context that reads something else', WIDE, { context: { system: '{{ name }}' } }],
    ['context that reads state that it has not', WIDE, { context: { system: '{{ state.total }}' }, state: [count] }],
    ['a part that is none', WIDE, { tool: [look] }],
    ['a list', WIDE, [look]],
    ['nothing', WIDE, undefined],
    ['something later', WIDE, Promise.resolve({ tools: [look] })]
  ]
  test.each(breaches)('%s', async (_title, bounds, parts) => {
    const problems = await problemsOf({ plugins: ['web'] }, { plugins: [pluginOf('web', bounds, parts as PluginParts)] })
    expect(problems).toMatchObject([{ code: 'invalid', path: 'plugins[0]' }])
  })

  test('it throws', async () => {
    const create = (): never => {
      throw new Error('boom')
    }
    expect(await problemsOf({ plugins: ['web'] }, { plugins: [definePlugin({ name: 'web', bounds: {}, create })] })).toHaveLength(1)
  })

  test('within its bounds everything is taken', async () => {
    const parts: PluginParts = {
      tools: [look, toolOf('query_orders', () => 1)],
      hooks: [pass],
      permissions: [{ effect: 'ask', tool: 'query_*' }],
      context: { system: 'Be brief.', request: 'So far: {{ state.count }}' },
      state: [count]
    }
    const { definition } = await publish({ plugins: ['web'] }, { plugins: [pluginOf('web', WIDE, parts)] })
    expect(definition.tools.map(({ identity }) => identity)).toEqual(['plugin:web/look', 'plugin:web/query_orders'])
    expect(definition.plugins).toEqual([
      {
        name: 'web',
        version: expect.stringMatching(/^sha256:/),
        hooks: [{ name: 'guard', on: ['beforeToolCall'] }],
        permissions: [{ effect: 'ask', tool: 'query_*' }],
        context: { system: 'Be brief.', request: 'So far: {{ state.count }}' },
        state: [{ key: 'count', schema: { type: 'integer' }, initial: 0 }]
      }
    ])
  })
})

describe('a plugin that declares something else than it can is refused:', () => {
  const create = (): PluginParts => ({})
  const broken: readonly (readonly [string, object])[] = [
    ['a name that is none', { name: 'a/b', bounds: {}, create }],
    ['no name', { bounds: {}, create }],
    ['an empty version', { name: 'web', version: '', bounds: {}, create }],
    ['no bounds', { name: 'web', create }],
    ['bounds that are a list', { name: 'web', bounds: [], create }],
    ['a bound that is none', { name: 'web', bounds: { tool: ['look'] }, create }],
    ['a glob that is none', { name: 'web', bounds: { tools: ['{a'] }, create }],
    ['a point that is none', { name: 'web', bounds: { hooks: ['afterAll'] }, create }],
    ['a point of observers', { name: 'web', bounds: { hooks: ['onCost'] }, create }],
    ['rules that allow', { name: 'web', bounds: { permissions: ['allow'] }, create }],
    ['a key of state that is none', { name: 'web', bounds: { state: ['a.b'] }, create }],
    ['65 keys of state', { name: 'web', bounds: { state: Array.from({ length: 65 }, (_, index) => `k${index}`) }, create }],
    ['grants that are none', { name: 'web', bounds: { grants: { shell: 'sudo' } }, create }],
    ['options that are no schema', { name: 'web', options: 'level', bounds: {}, create }],
    ['nothing that makes it', { name: 'web', bounds: {} }]
  ]
  test.each(broken)('%s', (_title, options) => {
    expect(() => definePlugin(options as never)).toThrow(expect.objectContaining({ code: 'invalid_input' }))
  })

  test('two plugins of one name', () => {
    const plugins: readonly Plugin[] = [pluginOf('web', {}, {}), pluginOf('web', {}, {})]
    expect(() => runtimeOf(memoryStore(), { plugins })).toThrow(expect.objectContaining({ code: 'invalid_input' }))
  })

  test.each(['', 'a.b', '__proto__-', '9a'])('state under the key "%s"', (key) => {
    expect(() => defineState(key, { schema: {}, initial: 0 })).toThrow(expect.objectContaining({ code: 'invalid_input' }))
  })
})

describe('options', () => {
  const options = {
    type: 'object',
    properties: { level: { enum: ['low', 'high'] }, hosts: { type: 'array', items: { type: 'string' } } },
    required: ['level'],
    additionalProperties: false
  } as const
  const json = definePlugin({ name: 'web', options, bounds: {}, create: () => ({}) })
  const standard = definePlugin({
    name: 'web',
    options: z.strictObject({ level: z.enum(['low', 'high']), hosts: z.array(z.string()).default([]) }),
    bounds: { permissions: ['deny'] },
    create: ({ level, hosts }) => ({ permissions: hosts.map((host) => ({ effect: 'deny', tool: `${level}_${host}` })) })
  })

  test.each([
    ['JSON Schema', json],
    ['Standard Schema', standard]
  ])('that do not fit the schema are told where they stand (%s)', async (_title, plugin) => {
    const at = async (given: object | undefined) =>
      (await problemsOf({ plugins: [{ name: 'web', ...(given ? { options: given as never } : {}) }] }, { plugins: [plugin] })).map(
        ({ path }) => path
      )
    expect(await at({ level: 'loud' })).toEqual(['plugins[0].options.level'])
    expect(await at({ level: 'low', hosts: ['a', 1] })).toEqual(['plugins[0].options.hosts[1]'])
    expect((await at(undefined))[0]).toMatch(/^plugins\[0\]\.options/)
    expect(await at({ level: 'low', hosts: ['a'] })).toEqual([])
  })

  test('a plugin without a schema takes none', async () => {
    const plugins = [pluginOf('web', {}, {})]
    expect(await problemsOf({ plugins: [{ name: 'web', options: { level: 1 } }] }, { plugins })).toMatchObject([
      { path: 'plugins[0].options' }
    ])
    expect(await problemsOf({ plugins: [{ name: 'web', options: {} }] }, { plugins })).toEqual([])
  })

  test('reach the plugin as its schema gives them', async () => {
    const { definition } = await publish({ plugins: [{ name: 'web', options: { level: 'low', hosts: ['a'] } }] }, { plugins: [standard] })
    expect(definition.plugins?.[0]?.permissions).toEqual([{ effect: 'deny', tool: 'low_a' }])
  })

  test('change the digest, and the order of their keys does not', async () => {
    const digestOf = async (given: object, plugin = json) =>
      (await publish({ plugins: [{ name: 'web', options: given as never }] }, { plugins: [plugin] })).digest
    const digest = await digestOf({ level: 'low', hosts: ['a'] })
    expect(await digestOf({ hosts: ['a'], level: 'low' })).toBe(digest)
    expect(await digestOf({ level: 'high', hosts: ['a'] })).not.toBe(digest)
    expect(await digestOf({ level: 'low', hosts: ['a'] }, { ...json, version: '2' })).not.toBe(digest)
    expect(await digestOf({ level: 'low', hosts: ['a'] }, { ...json, bounds: { tools: ['x'] } })).not.toBe(digest)
  })

  // I14
  test('that hold a secret are refused', async () => {
    const secrets = createSecretRegistry()
    secrets.add('KEY', 'hunter2-hunter2')
    expect(
      await problemsOf({ plugins: [{ name: 'web', options: { level: 'low', hosts: ['hunter2-hunter2'] } }] }, { plugins: [json], secrets })
    ).toMatchObject([{ path: 'plugins[0].options.hosts[0]' }])
  })
})

describe('a definition', () => {
  const plugins = [pluginOf('web', { tools: ['*'] }, { tools: [look] }), pluginOf('files', { tools: ['*'] }, { tools: [look] })]

  test('names registered plugins, and is told the one that it may mean', async () => {
    expect(await problemsOf({ plugins: ['wed'] }, { plugins })).toMatchObject([{ path: 'plugins[0]', nearMiss: 'web' }])
    expect(await problemsOf({ plugins: ['web'] }, {})).toMatchObject([{ path: 'plugins[0]' }])
    expect(await problemsOf({ plugins: ['web', 'web'] }, { plugins })).toMatchObject([{ path: 'plugins[1]', code: 'duplicate' }])
  })

  test('is told file, line and column of what is wrong with its plugins and hooks, also when its model was replaced', async () => {
    const text = [
      'schemaVersion: "1.0"',
      'model: { ref: main }',
      'plugins:',
      '  - name: web',
      '    options:',
      '      level: loud',
      '  - wed',
      'hooks: [audit]'
    ]
    const { definition } = await parseAgentManifest(text.join('\n'), 'a.agent.yaml')
    const plugin = definePlugin({
      name: 'web',
      options: { type: 'object', properties: { level: { enum: ['low'] } } },
      bounds: {},
      create: () => ({})
    })
    const agent = { ...definition, model: { ref: 'main' } }
    expect(await problemsOf(agent, { plugins: [plugin] })).toMatchObject([
      { file: 'a.agent.yaml', line: 6, column: 14, path: 'plugins[0].options.level' },
      { file: 'a.agent.yaml', line: 7, column: 5, path: 'plugins[1]', nearMiss: 'web' }
    ])
    const { plugins: _, ...named } = agent
    expect(await problemsOf(named, {})).toMatchObject([{ file: 'a.agent.yaml', line: 8, column: 9, path: 'hooks[0]' }])
    expect(await problemsOf({ ...named, hooks: ['audit'] }, {})).toMatchObject([{ line: 0, path: 'hooks[0]' }])
  })

  test('has no two tools of one name: of two plugins, or of a plugin and the host', async () => {
    expect(await problemsOf({ plugins: ['web', 'files'] }, { plugins })).toMatchObject([
      { code: 'duplicate', path: 'plugins[1]', message: expect.stringMatching(/plugin:web\/look.*plugin:files\/look/) }
    ])
    expect(await problemsOf({ plugins: ['web'], tools: ['look'] }, { plugins, tools: [look] })).toMatchObject([
      { code: 'duplicate', path: 'tools[0]', message: expect.stringMatching(/host:look.*plugin:web\/look/) }
    ])
    expect(await problemsOf({ plugins: ['web'], tools: [look] }, { plugins })).toMatchObject([{ code: 'duplicate', path: 'tools[0]' }])
  })

  test('is not bound by a tool of the host that it does not name', async () => {
    const { definition } = await publish({ plugins: ['web'] }, { plugins, tools: [look] })
    expect(definition.tools.map(({ identity }) => identity)).toEqual(['plugin:web/look'])
  })

  test('may be stricter than a tool of its plugin, at the place where it names it', async () => {
    const tools = [{ ref: 'look', approval: true }, 'task_complete']
    const { definition } = await publish({ plugins: ['web'], tools }, { plugins })
    expect(definition.tools).toMatchObject([{ identity: 'plugin:web/look', approval: true }, { name: 'task_complete' }])
  })

  test('may call tools of its plugins before its first turn, and none that nobody gives', async () => {
    const initialPrompts = [{ toolCalls: [{ tool: 'look' }] }]
    const { definition } = await publish({ plugins: ['web'], initialPrompts }, { plugins })
    expect(definition.initialPrompts).toMatchObject([{ toolCalls: [{ tool: 'look' }] }])
    const path = 'initialPrompts[0].toolCalls[0].tool'
    expect(await problemsOf({ initialPrompts }, { plugins })).toMatchObject([{ path }])
    const other = [{ toolCalls: [{ tool: 'lok' }] }]
    expect(await problemsOf({ plugins: ['web'], initialPrompts: other }, { plugins })).toMatchObject([{ path, nearMiss: 'look' }])
  })

  test('without plugins is the same publication as ever', async () => {
    const plain = await publish({}, {})
    expect((await publish({ plugins: [] }, { plugins })).digest).toBe(plain.digest)
    expect(plain.definition).not.toHaveProperty('plugins')
  })
})
