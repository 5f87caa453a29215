import { unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addFiles, folderWith, holdfast, linesOf, startHoldfast, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

/** A module as somebody writes it who imports nothing: what `defineTool` and `definePlugin` give, written out. */
const MODULE = `
import { appendFileSync } from 'node:fs'
const note = (text) => appendFileSync(import.meta.dirname + '/looks.txt', text + '\\n')
const json = (jsonSchema) => ({ kind: 'json', jsonSchema })
const total = { key: 'total', schema: json({ type: 'integer' }), initial: 0 }
export const counter = {
  name: 'counter',
  options: json({ type: 'object', properties: { step: { type: 'integer' } }, required: ['step'], additionalProperties: false }),
  bounds: { tools: ['count'], hooks: ['beforeToolCall'], context: ['system'], state: ['total'] },
  create: ({ step }) => ({
    tools: [{
      name: 'count', description: 'Counts.', input: json({ type: 'object' }), effect: 'once', parallelSafe: false,
      execute: (_, { state }) => {
        state.set(total, state.get(total) + step)
        return state.get(total)
      }
    }],
    hooks: [{ name: 'limit', beforeToolCall: (_, { state }) => state.get(total) > 4 ? { do: 'block', reason: 'That is enough.' } : null }],
    context: { system: 'So far: {{ state.total }}.' },
    state: [total]
  })
}
export const named = [{ name: 'named', beforeToolCall: () => { note('named'); return null } }]
export const hostHooks = [{ name: 'every', beforeToolCall: () => { note('every'); return null } }]
export const other = 7
`

const CALLS = [calling('count'), calling('count'), calling('count'), { text: 'ok' }]
const agent = (more: object = {}) => scriptedAgent(CALLS, { plugins: [{ name: 'counter', options: { step: 3 } }], ...more })

describe('a module that exports a plugin and hooks', () => {
  test('gives them to the threads whose definitions name them, and host hooks to all', async () => {
    const folder = folderWith({ ...agent({ hooks: ['named'] }), 'plugins.mjs': MODULE })
    const ran = await holdfast(folder, ['run', 'agent.yaml', '--tools', 'plugins.mjs'])
    expect(ran).toMatchObject({ code: 0 })
    expect(linesOf(join(folder, 'looks.txt'))).toEqual(['every', 'named', 'every', 'named', 'every'])
    const thread = threadOf(ran.stderr)
    const shown = await holdfast(folder, ['show', thread, '--json'])
    expect(JSON.parse(shown.stdout)).toMatchObject({ state: { counter: { total: 6 } }, thread: { row: { status: 'completed' } } })
    expect((await holdfast(folder, ['show', thread])).stdout).toMatch(/^ {2}counter\.total {2}6$/m)
    const prompt = await holdfast(folder, ['show', thread, '--prompt', '2', '--json'])
    expect(prompt.stdout).toContain('So far: 3.')
  })

  test('is named by the configuration as well', async () => {
    const config = 'version: "1.0"\ntools: [plugins.mjs]\n'
    const folder = folderWith({ ...agent(), 'plugins.mjs': MODULE, 'holdfast.config.yaml': config })
    expect(await holdfast(folder, ['run', 'agent.yaml'])).toMatchObject({ code: 0 })
  })

  test('is shown with the tools of the plugin', async () => {
    const folder = folderWith({ ...agent(), 'plugins.mjs': MODULE })
    const shown = await holdfast(folder, ['tools', 'agent.yaml', '--tools', 'plugins.mjs'])
    expect(shown).toMatchObject({ code: 0 })
    expect(shown.stdout).toMatch(/^count\n.*\n {2}plugin {2}counter\n/m)
    const { tools } = JSON.parse((await holdfast(folder, ['tools', 'agent.yaml', '--tools', 'plugins.mjs', '--json'])).stdout)
    expect(tools).toMatchObject([{ identity: 'plugin:counter/count' }])
  })

  test('is refused with the place of options that do not fit', async () => {
    const files = { ...agent({ plugins: [{ name: 'counter', options: { step: 'three' } }] }), 'plugins.mjs': MODULE }
    const ran = await holdfast(folderWith(files), ['run', 'agent.yaml', '--tools', 'plugins.mjs'])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toMatch(/agent\.yaml:\d+:\d+: plugins\[0\]\.options\.step/)
  })

  test('is named where a rule of it asks', async () => {
    const rule = `permissions: [{ effect: 'ask', tool: 'plugin:counter/*' }], state: [total]`
    const module = MODULE.replace("context: ['system'],", "context: ['system'], permissions: ['ask'],").replace(
      'state: [total]\n',
      `${rule}\n`
    )
    const folder = folderWith({ ...agent(), 'plugins.mjs': module })
    expect((await holdfast(folder, ['run', 'agent.yaml', '--tools', 'plugins.mjs'])).code).toBe(3)
    expect((await holdfast(folder, ['waits'])).stdout).toContain('a rule of the plugin counter: ask before plugin:counter/*')
  })

  test('and is compared with what a thread was started with', async () => {
    const folder = folderWith({ ...agent(), 'plugins.mjs': MODULE })
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml', '--tools', 'plugins.mjs']))
    const chat = async () => (await holdfast(folder, ['chat', 'agent.yaml', thread], { stdin: '' })).stderr
    expect(await chat()).not.toContain('differs')
    addFiles(folder, agent({ tools: ['count'] }))
    expect(await chat()).not.toContain('differs')
    addFiles(folder, agent({ plugins: [{ name: 'counter', options: { step: 4 } }] }))
    expect(await chat()).toContain('(plugins)')
  })

  test('and grants that name its tool go together, and such that leave it out block it', async () => {
    for (const [granted, total] of [
      ['plugin:counter/count', { counter: { total: 6 } }],
      ['host:count', {}]
    ] as const) {
      const folder = folderWith({ ...agent({ grants: { tools: [granted] } }), 'plugins.mjs': MODULE })
      const ran = await holdfast(folder, ['run', 'agent.yaml', '--tools', 'plugins.mjs'])
      expect(ran.code).toBe(0)
      const shown = await holdfast(folder, ['show', threadOf(ran.stderr), '--json'])
      expect(JSON.parse(shown.stdout)).toMatchObject({ state: total })
    }
  })
})

test('a thread whose plugin is another one by now, or lost, does not go on, and is cancelled without it', async () => {
  const folder = folderWith({
    ...scriptedAgent(CALLS, { plugins: [{ name: 'counter', options: { step: 3 } }], tools: [{ ref: 'count', approval: true }] }),
    'plugins.mjs': MODULE
  })
  // Each in a process of its own: modules are loaded once.
  const ran = async (...args: string[]) => {
    const running = startHoldfast(folder, args)
    return { code: await running.ended, stderr: running.stderr() }
  }
  const [changed, lost, empty] = [
    await ran('run', 'agent.yaml', '--tools', 'plugins.mjs'),
    await ran('run', 'agent.yaml', '--tools', 'plugins.mjs'),
    await ran('run', 'agent.yaml', '--tools', 'plugins.mjs')
  ].map(threadOf)
  addFiles(folder, { 'plugins.mjs': MODULE.replace("name: 'limit'", "name: 'bound'") })
  expect((await ran('approve', '--thread', changed ?? '')).stderr).toContain('plugin_changed')
  expect((await ran('cancel', changed ?? '')).code).toBe(0)
  unlinkSync(join(folder, 'plugins.mjs'))
  expect((await ran('cancel', lost ?? '')).code).toBe(0)
  addFiles(folder, { 'plugins.mjs': 'export const nothing = 1' })
  expect((await ran('cancel', empty ?? '')).code).toBe(0)
  for (const thread of [changed, lost, empty]) {
    expect(JSON.parse((await holdfast(folder, ['show', thread ?? '', '--json'])).stdout)).toMatchObject({
      thread: { row: { status: 'cancelled' } }
    })
  }
})
