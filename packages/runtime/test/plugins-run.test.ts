import { describe, expect, test } from 'vitest'
import type { AgentDefinition, RuntimeOptions } from '../src/contracts/api.ts'
import type { Hook } from '../src/contracts/hook.ts'
import type { PermissionRule } from '../src/contracts/permission-rule.ts'
import type { Plugin, PluginBounds, PluginParts } from '../src/contracts/plugin.ts'
import type { Grants } from '../src/contracts/grants.ts'
import type { Store } from '../src/contracts/store.ts'
import { definePlugin } from '../src/define-plugin.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { caller, runtimeOf } from './approval-kit.ts'
import { add, before } from './hook-kit.ts'
import { pluginOf } from './plugin-kit.ts'
import { agentOf, factsOf, factsOfType, resultsIn, toolOf, within } from './runtime-kit.ts'

const BOUNDS: PluginBounds = { tools: ['*'], hooks: ['beforeToolCall'], permissions: ['deny', 'ask'] }

interface Paying {
  readonly plugins?: readonly Plugin[]
  readonly named?: AgentDefinition['plugins']
  readonly agent?: Partial<AgentDefinition>
  readonly options?: Partial<RuntimeOptions>
  readonly store?: Store
}

/** A plugin with a tool that pays. */
function bank(paid: unknown[], more: PluginParts = {}, bounds: PluginBounds = BOUNDS): Plugin {
  const pay = toolOf('pay', (input) => paid.push(input), { effect: 'once' })
  return pluginOf('bank', bounds, { tools: [pay], ...more })
}

/** A thread that wants to pay 12 once. */
async function paying({ plugins = [], named = ['bank'], agent = {}, options = {}, store = memoryStore() }: Paying) {
  const model = caller({ name: 'pay', arguments: { amount: 12 } })
  const runtime = runtimeOf(store, { models: { main: model }, plugins, ...options })
  const run = await runtime.start(agentOf({ plugins: named, ...agent }), { input: 'go' })
  return { run, runtime, model, store }
}

async function settled(setting: Paying) {
  const made = await paying(setting)
  const result = await within(made.run.settled())
  const [gated] = await factsOfType(made.run, 'call.gated')
  return { ...made, result, gated, told: [...resultsIn(made.model.prompts[1]).values()] }
}

describe('a tool of a plugin', () => {
  test('runs, and is offered to the model with its schema', async () => {
    const paid: unknown[] = []
    const { result, model, gated } = await settled({ plugins: [bank(paid)] })
    expect(result.status).toBe('completed')
    expect(paid).toEqual([{ amount: 12 }])
    expect(gated).toMatchObject({ verdict: 'run' })
    expect(model.calls[0]?.tools).toMatchObject([{ name: 'pay', inputSchema: { type: 'object' } }])
  })

  // I8
  const grants: readonly (readonly [string, RuntimeOptions['grants'], 'run' | 'block'])[] = [
    ['its identity', { tools: ['plugin:bank/pay'] }, 'run'],
    ['all tools', { tools: 'all' }, 'run'],
    ['nothing', { tools: [] }, 'block'],
    ['a tool of the host of that name', { tools: ['host:pay'] }, 'block'],
    ['that tool of another plugin', { tools: ['plugin:shop/pay'] }, 'block'],
    ['another tool of the plugin', { tools: ['plugin:bank/pay_back'] }, 'block']
  ]
  test.each(grants)('goes by grants of its identity: %s', async (_title, granted, verdict) => {
    const paid: unknown[] = []
    const { gated } = await settled({ plugins: [bank(paid)], options: { grants: granted ?? {} } })
    expect(gated).toMatchObject({ verdict })
    expect(paid).toHaveLength(verdict === 'run' ? 1 : 0)
  })

  test('is shown of the grants of its thread what its plugin declares, and no more than the thread has', async () => {
    const seen: Grants[] = []
    const pay = toolOf('pay', (_, context) => seen.push(context.grants))
    const plugin = pluginOf(
      'bank',
      { tools: ['pay'], grants: { network: { hosts: ['*.bank.example'] }, env: ['KEY', 'HOME'] } },
      { tools: [pay] }
    )
    const options = { grants: { files: { read: ['/data'] }, network: { hosts: ['api.bank.example', 'other.example'] }, env: ['KEY'] } }
    await settled({ plugins: [plugin], options })
    expect(seen).toMatchObject([{ network: { hosts: ['api.bank.example'] }, env: ['KEY'], files: { read: [] }, shell: 'none' }])
    await settled({ plugins: [pluginOf('bank', { tools: ['pay'] }, { tools: [pay] })], options })
    expect(seen[1]).toMatchObject({ network: { hosts: [] }, env: [], files: { read: [] }, tools: [] })
  })

  test('is granted what its plugin declares by a host that says nothing, and blocked by one that grants nothing of it', async () => {
    const verdictWith = async (options: Partial<RuntimeOptions>) => {
      const pay = toolOf('pay', () => 'paid', { needs: { network: { hosts: ['api.bank.example'] } } })
      const plugin = pluginOf('bank', { tools: ['pay'], grants: { network: { hosts: ['*.bank.example'] } } }, { tools: [pay] })
      return (await settled({ plugins: [plugin], options })).gated?.verdict
    }
    expect(await verdictWith({})).toBe('run')
    expect(await verdictWith({ grants: {} })).toBe('block')
    expect(await verdictWith({ grants: { network: { hosts: ['api.bank.example'] } } })).toBe('run')
  })

  test('is held, and after the approval it is the same tool in the same version', async () => {
    const paid: unknown[] = []
    const agent = { tools: [{ ref: 'pay', approval: true }] }
    const { run, runtime, result } = await settled({ plugins: [bank(paid)], agent })
    expect(result).toMatchObject({ status: 'waiting', waits: [{ kind: 'approval' }] })
    expect(paid).toEqual([])
    await runtime.approve(result.waits[0]?.id ?? '')
    expect((await within(run.settled())).status).toBe('completed')
    expect(paid).toHaveLength(1)
    const [first, again] = await factsOfType(run, 'call.gated')
    expect(again).toMatchObject({ verdict: 'run', digest: first?.digest })
  })
})

test('an approval is of the version of the plugin that was shown: a call of another one is asked about again', async () => {
  const store = memoryStore()
  const agent = { tools: [{ ref: 'pay', approval: true }] }
  const paid: unknown[] = []
  const { run, result, runtime } = await settled({ store, plugins: [{ ...bank(paid), version: '1' }], agent })
  expect(result.status).toBe('waiting')
  await runtime.close({ graceMs: 0 })
  const later = runtimeOf(store, { models: { main: caller() }, plugins: [{ ...bank(paid), version: '2' }] })
  await later.approve(result.waits[0]?.id ?? '')
  const again = await within(later.thread(run.thread).settled())
  expect(again).toMatchObject({ status: 'waiting', waits: [{ kind: 'approval' }] })
  expect(paid).toEqual([])
})

describe('rules of a plugin are one more layer, and the strictest counts:', () => {
  const deny: PermissionRule = { effect: 'deny', tool: 'pay' }
  const ask: PermissionRule = { effect: 'ask', tool: 'plugin:bank/*' }
  const allow: PermissionRule = { effect: 'allow', tool: '*' }
  const rows: readonly (readonly [string, { plugin?: PermissionRule[]; host?: PermissionRule[]; own?: PermissionRule[] }, string])[] = [
    ['nobody says anything', {}, 'run'],
    ['the plugin denies', { plugin: [deny] }, 'block'],
    ['the plugin denies what host and definition allow', { plugin: [deny], host: [allow], own: [allow] }, 'block'],
    ['the plugin asks', { plugin: [ask] }, 'hold'],
    ['the plugin asks about what host and definition allow', { plugin: [ask], host: [allow], own: [allow] }, 'hold'],
    ['the plugin asks, the host denies', { plugin: [ask], host: [deny] }, 'block'],
    ['the plugin asks, the definition denies', { plugin: [ask], own: [deny] }, 'block'],
    ['the plugin denies, the definition asks', { plugin: [deny], own: [ask] }, 'block']
  ]
  test.each(rows)('%s', async (_title, { plugin = [], host = [], own = [] }, verdict) => {
    const { gated } = await settled({
      plugins: [bank([], { permissions: plugin })],
      agent: { permissions: own },
      options: { permissions: host }
    })
    expect(gated).toMatchObject({ verdict })
  })

  test('they bound tools of the host, too', async () => {
    const guard = pluginOf('guard', BOUNDS, { permissions: [deny] })
    const { gated } = await settled({
      plugins: [guard],
      named: ['guard'],
      agent: { tools: ['pay'] },
      options: { tools: [toolOf('pay', () => 'paid')] }
    })
    expect(gated).toMatchObject({ verdict: 'block', by: 'rule' })
  })

  test('a thread keeps the rules that it was published with, and those of today hold as well', async () => {
    const store = memoryStore()
    const { run } = await paying({ store, plugins: [bank([], { permissions: [deny] })], options: { concurrency: 0 } })
    const paid: unknown[] = []
    const later = runtimeOf(store, {
      models: { main: caller({ name: 'pay', arguments: {} }) },
      plugins: [bank(paid, { permissions: [ask] })]
    })
    await later.thread(run.thread).resume()
    expect((await within(later.thread(run.thread).settled())).status).toBe('completed')
    expect(await factsOfType(run, 'call.gated')).toMatchObject([{ verdict: 'block', by: 'rule' }])
    expect(paid).toEqual([])
  })
})

describe('hooks of plugins', () => {
  test('look inside those of the host and before those that the definition names, in the order of the plugins', async () => {
    const seen: string[] = []
    const note = (name: string, more: Hook['beforeToolCall'] = () => undefined): Hook =>
      before(name, (call, context) => {
        seen.push(`${name} ${JSON.stringify(call.arguments['amount'])}`)
        return more(call, context)
      })
    const paid: unknown[] = []
    const one = bank(paid, { hooks: [note('first', add(1)), note('second')] })
    const two = pluginOf('audit', BOUNDS, { hooks: [note('third', add(10))] })
    const { run } = await settled({
      plugins: [two, one],
      named: ['bank', 'audit'],
      agent: { hooks: ['named'] },
      options: { hooks: [note('host')], registeredHooks: [note('named')] }
    })
    expect(seen).toEqual(['host 12', 'first 12', 'second 13', 'third 13', 'named 23', 'host 23'])
    expect(paid).toEqual([{ amount: 23 }])
    expect((await factsOfType(run, 'hook.recorded')).map(({ hook }) => hook)).toEqual(['bank/first', 'audit/third'])
  })

  test('ask under the name of their plugin', async () => {
    const hooks = [before('careful', () => ({ do: 'requireApproval' }))]
    const { result } = await settled({ plugins: [bank([], { hooks })] })
    expect(result.waits).toMatchObject([{ subject: { asks: ['hook:bank/careful'] } }])
  })

  // I9
  test('that fail block the call', async () => {
    const paid: unknown[] = []
    const hooks = [
      before('broken', () => {
        throw new Error('boom')
      })
    ]
    const { gated } = await settled({ plugins: [bank(paid, { hooks })] })
    expect(gated).toMatchObject({ verdict: 'block', by: 'fault' })
    expect(paid).toEqual([])
  })

  test('are made with the options of the definition', async () => {
    const create = ({ most }: { readonly [key: string]: unknown }): PluginParts => ({
      hooks: [before('most', ({ arguments: { amount } }) => (Number(amount) > Number(most) ? { do: 'block', reason: 'too much' } : null))]
    })
    const limit = definePlugin({ name: 'limit', options: { type: 'object' }, bounds: { hooks: ['beforeToolCall'] }, create })
    const verdictOf = async (most: number) =>
      (await settled({ plugins: [bank([]), limit], named: ['bank', { name: 'limit', options: { most } }] })).gated?.verdict
    expect(await verdictOf(10)).toBe('block')
    expect(await verdictOf(20)).toBe('run')
  })
})

describe('a thread whose plugin is not here is not driven here:', () => {
  test('it waits until a process that has it drives it', async () => {
    const store = memoryStore()
    const paid: unknown[] = []
    const { run } = await paying({ store, plugins: [bank(paid)], options: { concurrency: 0 } })
    expect((await run.info()).row.needs).toEqual(['plugin:bank'])
    const without = runtimeOf(store, { models: { main: caller() }, recover: true })
    await expect(without.thread(run.thread).resume()).rejects.toMatchObject({
      code: 'thread_unplaceable',
      details: { missing: ['plugin:bank'] }
    })
    expect(await factsOfType(run, 'attempt.claimed')).toEqual([])
    const having = runtimeOf(store, { models: { main: caller({ name: 'pay', arguments: { amount: 1 } }) }, plugins: [bank(paid)] })
    await having.thread(run.thread).resume()
    expect((await within(having.thread(run.thread).settled())).status).toBe('completed')
    expect(paid).toEqual([{ amount: 1 }])
  })

  const guard = before('guard', () => undefined)
  const others: readonly (readonly [string, Plugin])[] = [
    ['without a tool', pluginOf('bank', BOUNDS, { hooks: [guard] })],
    ['without a hook', bank([])],
    [
      'with options that it does not take any more',
      { ...bank([], { hooks: [guard] }), options: { kind: 'json', jsonSchema: { type: 'object', required: ['key'] } } }
    ],
    ['beyond its bounds', bank([], { hooks: [guard] }, { tools: ['pay'] })]
  ]
  test.each(others)('the plugin is here in another version, %s', async (_title, plugin) => {
    const store = memoryStore()
    const { run } = await paying({ store, plugins: [bank([], { hooks: [guard] })], options: { concurrency: 0 } })
    const other = runtimeOf(store, { models: { main: caller() }, plugins: [plugin] })
    await other.thread(run.thread).resume()
    await expect(within(other.thread(run.thread).settled())).rejects.toMatchObject({
      code: 'plugin_changed',
      details: { missing: ['plugin:bank'] }
    })
    expect((await factsOf(run)).map(({ type }) => type)).toEqual(['thread.created'])
  })
})

test('a thread with plugins goes from store to store', async () => {
  const options = { type: 'object', properties: { most: { type: 'integer' } } }
  const make = (paid: unknown[]): Plugin =>
    definePlugin({
      name: 'bank',
      options,
      bounds: BOUNDS,
      create: () => bank(paid, { permissions: [{ effect: 'ask', tool: 'pay' }] }).create({})
    })
  const { run, result } = await settled({ plugins: [make([])], named: [{ name: 'bank', options: { most: 3 } }] })
  expect(result.status).toBe('waiting')
  expect((await run.verify()).problems).toEqual([])
  const lines: string[] = []
  for await (const line of run.export()) lines.push(line)
  const paid: unknown[] = []
  const two = runtimeOf(memoryStore(), { models: { main: caller({ name: 'pay', arguments: {} }) }, plugins: [make(paid)] })
  const { thread } = await two.import([lines.join('')])
  const { definition } = await two.thread(thread).publication()
  expect(definition.plugins).toMatchObject([{ name: 'bank', options: { most: 3 }, permissions: [{ effect: 'ask' }] }])
  const { items } = await two.waits({ thread })
  await two.approve(items[0]?.id ?? '')
  expect((await within(two.thread(thread).settled())).status).toBe('completed')
  expect(paid).toEqual([{ amount: 12 }])
})
