import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Hook } from '../src/contracts/hook.ts'
import type { Json } from '../src/contracts/json.ts'
import type { Plugin } from '../src/contracts/plugin.ts'
import { definePlugin, defineState } from '../src/define-plugin.ts'
import type { PluginValues } from '../src/state/plugin-values.ts'
import { valueIn, withValue } from '../src/state/plugin-values.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { caller, look, runtimeOf } from './approval-kit.ts'
import { before } from './hook-kit.ts'
import { pluginOf } from './plugin-kit.ts'
import { agentOf, factsOfType, recordingModel, until, within } from './runtime-kit.ts'
import { acted, acting, add, BOUNDS, COUNT, keeper, LIST, ONCE, STATE, TEXT } from './state-kit.ts'

describe('hooks of a plugin', () => {
  const count: Hook = {
    name: 'count',
    beforeToolCall: (_, context) => add(context),
    afterToolCall: (_, context) => add(context)
  }

  test('keep state in the commit of their record', async () => {
    const { state, run } = await acted({ plugins: [keeper(() => 'ok', { hooks: [count] })] })
    expect(state).toEqual({ keeper: { count: 2 } })
    const commits = (await run.log(1, 8_000_000))
      .map(({ facts }) => facts.map(({ type }) => type))
      .filter((types) => types.includes('state.set'))
    expect(commits).toMatchObject([
      ['state.set', 'call.gated', 'call.started'],
      ['state.set', 'call.reviewed', 'turn.started']
    ])
  })

  test('see what those before them have set in the same check, also of the same plugin only', async () => {
    const seen: number[] = []
    const look = before('look', (_, context) => {
      seen.push(context.state.get(COUNT))
      return null
    })
    const one = keeper(() => 'ok', { hooks: [before('count', (_, context) => add(context)), look] })
    const two = pluginOf('other', BOUNDS, { hooks: [look], state: STATE })
    await acted({ plugins: [one, two] })
    expect(seen).toEqual([1, 0])
  })

  test('see what they have kept of the calls before, in call order: a bound on calls holds for those of one turn', async () => {
    const ran: unknown[] = []
    const atMost = before('at-most', async (_, { state }) => {
      await Promise.resolve()
      if (state.get(COUNT) >= 2) return { do: 'block', reason: 'enough' }
      state.set(COUNT, state.get(COUNT) + 1)
      return null
    })
    const calls = [1, 2, 3, 4].map((at) => ({ name: 'act', arguments: { at } }))
    const { state, run } = await acted({ calls, plugins: [keeper((_, input) => ran.push(input), { hooks: [atMost] })] })
    expect(ran).toEqual([{ at: 1 }, { at: 2 }])
    expect(state).toEqual({ keeper: { count: 2 } })
    expect((await factsOfType(run, 'call.gated')).map(({ verdict }) => verdict)).toEqual(['run', 'run', 'block', 'block'])
  })

  test('see what they have kept of the calls before, also when they look again at what was approved at once', async () => {
    const ran: unknown[] = []
    const order: unknown[] = []
    const once = before('once', async ({ again, arguments: { at } }, { state }) => {
      if (!again) return { do: 'requireApproval' }
      order.push(at)
      const count = state.get(COUNT)
      await Promise.resolve()
      if (count >= 1) return { do: 'block', reason: 'enough' }
      state.set(COUNT, count + 1)
      return null
    })
    const calls = [1, 2, 3].map((at) => ({ name: 'act', arguments: { at } }))
    const { run, runtime, result } = await acted({ calls, plugins: [keeper((_, input) => ran.push(input), { hooks: [once] })] })
    const [first, second, third] = result.waits.map(({ id }) => id)
    // In the order of the approvals: none overtakes the one that is under way.
    await Promise.all([runtime.approve(third ?? ''), runtime.approve(second ?? ''), runtime.approve(first ?? '')])
    await within(run.settled())
    expect(order).toHaveLength(3)
    expect(ran).toEqual([{ at: order[0] }])
    expect(await run.pluginState()).toEqual({ keeper: { count: 1 } })
  })

  test('that fail keep nothing, and those before them what they have set', async () => {
    const broken = before('broken', (_, context) => {
      context.state.set(TEXT, 'half')
      throw new Error('boom')
    })
    const { state } = await acted({ plugins: [keeper(() => 'ok', { hooks: [before('count', (_, context) => add(context)), broken] })] })
    expect(state).toEqual({ keeper: { count: 1 } })
  })
})

describe('a thread', () => {
  test('takes its state along when it is forked, and both go on by themselves', async () => {
    const plugin = keeper(add)
    const model = recordingModel(({ prompt }) => (prompt.at(-1)?.role === 'user' ? { toolCalls: ONCE as never } : { text: 'done' }))
    const runtime = runtimeOf(memoryStore(), { models: { main: model }, plugins: [plugin] })
    const run = await runtime.start(agentOf({ plugins: ['keeper'] }), { input: 'go' })
    await within(run.settled())
    const { head } = await run.info()
    await run.message('again')
    await within(run.settled())
    const fork = await runtime.fork(run.thread, { at: head })
    expect(await runtime.thread(fork.thread).pluginState()).toEqual({ keeper: { count: 1 } })
    await runtime.thread(fork.thread).message('again')
    await within(runtime.thread(fork.thread).settled())
    await runtime.thread(fork.thread).message('again')
    await within(runtime.thread(fork.thread).settled())
    expect(await runtime.thread(fork.thread).pluginState()).toEqual({ keeper: { count: 3 } })
    expect(await run.pluginState()).toEqual({ keeper: { count: 2 } })
  })

  // I5
  test('that is forked in the middle of a call takes its result and what it has set from the other one, or neither', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const plugin = keeper(async ({ state }, { at }) => {
      await gates[Number(at)]?.promise
      if (at === 0) state.set(COUNT, 7)
      else state.set(TEXT, 'late')
    })
    const calls = [0, 1].map((at) => ({ name: 'act', arguments: { at } }))
    const { run, runtime } = await acting({ plugins: [plugin], calls })
    gates[0]?.resolve()
    await until(async () => (await factsOfType(run, 'call.settled')).length === 1)
    const { head } = await run.info()
    const early = await runtime.fork(run.thread, { at: head })
    expect(await early.pluginState()).toEqual({ keeper: { count: 7 } })
    gates[1]?.resolve()
    await within(run.settled())
    const later = await runtime.fork(run.thread, { at: head })
    expect(await later.pluginState()).toEqual({ keeper: { count: 7, text: 'late' } })
    expect((await factsOfType(later, 'call.settled')).map(({ outcome }) => outcome)).toEqual(['ok', 'ok'])
    expect((await factsOfType(early, 'call.settled')).map(({ outcome }) => outcome)).toEqual(['ok', 'unknown'])
    const given = await runtime.fork(run.thread, {
      at: head,
      change: { callResult: { call: (await factsOfType(run, 'call.settled'))[1]?.call ?? '', result: { value: 'x' } } }
    })
    expect(await given.pluginState()).toEqual({ keeper: { count: 7 } })
  })

  test('begins with the initial values that were published, and with those of today when it is published anew', async () => {
    const store = memoryStore()
    const of = (initial: number) => {
      const count = defineState('count', { schema: z.int(), initial })
      return keeper(({ state }) => state.get(count), { state: [count, LIST, TEXT] })
    }
    const made = runtimeOf(store, { models: { main: caller(...ONCE) }, plugins: [of(3)], concurrency: 0 })
    const run = await made.start(agentOf({ plugins: ['keeper'] }), { input: 'go' })
    const later = runtimeOf(store, { models: { main: caller(...ONCE) }, plugins: [of(4)] })
    await later.thread(run.thread).resume()
    await within(later.thread(run.thread).settled())
    expect(await factsOfType(run, 'call.settled')).toMatchObject([{ result: { inline: { value: 3 } } }])
    const anew = await later.start(agentOf({ plugins: ['keeper'] }), { input: 'go' })
    await within(anew.settled())
    expect(await factsOfType(anew, 'call.settled')).toMatchObject([{ result: { inline: { value: 4 } } }])
  })

  test('takes its state along when it is exported', async () => {
    const { run, state } = await acted({ plugins: [keeper((context) => context.state.set(LIST, ['a', 'b']))] })
    const lines: string[] = []
    for await (const line of run.export()) lines.push(line)
    const two = runtimeOf(memoryStore(), {})
    const { thread } = await two.import([lines.join('')])
    expect(await two.thread(thread).pluginState()).toEqual(state)
    expect((await two.thread(thread).verify()).problems).toEqual([])
  })

  test('whose kept value does not fit the schema any more is told so where it is read', async () => {
    const store = memoryStore()
    const first = await acted({ store, plugins: [keeper(add)] })
    const strict = defineState('count', { schema: z.int().max(0), initial: 0 })
    const later = runtimeOf(store, {
      models: { main: recordingModel(({ answers }) => (answers % 2 === 0 ? { toolCalls: ONCE as never } : { text: 'done' })) },
      plugins: [keeper((context) => context.state.get(strict), { state: [strict, LIST, TEXT] })]
    })
    await later.thread(first.run.thread).message('again')
    await within(later.thread(first.run.thread).settled())
    expect((await factsOfType(first.run, 'call.settled')).map(({ outcome }) => outcome)).toEqual(['ok', 'error'])
  })
})

describe('what a plugin keeps', () => {
  const set = fc.record({
    owner: fc.constantFrom('a', 'b', '__proto__'),
    key: fc.constantFrom('x', 'y', 'constructor', '__proto__'),
    value: fc.option(fc.jsonValue({ maxDepth: 1 }), { nil: null })
  })

  // I2
  test('is the last that was set of each key, and what was seen before does not change', () => {
    fc.assert(
      fc.property(fc.array(set, { maxLength: 30 }), (sets) => {
        const last = new Map<string, Json>()
        let values: PluginValues | null = null
        for (const { owner, key, value } of sets) {
          const before: PluginValues | null = values
          const text = JSON.stringify(before)
          const body = value === null ? null : { inline: value as Json }
          values = withValue(values, { v: 1, type: 'state.set', owner, key, value: body })
          if (value === null) last.delete(`${owner} ${key}`)
          else last.set(`${owner} ${key}`, value as Json)
          expect(JSON.stringify(before)).toBe(text)
        }
        for (const owner of ['a', 'b', '__proto__']) {
          for (const key of ['x', 'y', 'constructor', '__proto__']) expect(valueIn(values, owner, key)).toEqual(last.get(`${owner} ${key}`))
        }
      })
    )
  })

  test('costs nothing where no definition names it: the same commits, and the plugin is never made', async () => {
    let made = 0
    const plugin = definePlugin({
      name: 'unused',
      bounds: { tools: ['*'] },
      create: () => {
        made++
        return {}
      }
    })
    const commitsWith = async (plugins: readonly Plugin[]) => {
      const model = caller({ name: 'look', arguments: {} })
      const runtime = runtimeOf(memoryStore(), { models: { main: model }, tools: [look], plugins })
      const run = await runtime.start(agentOf({ tools: ['look'] }), { input: 'go' })
      await within(run.settled())
      return (await run.log(1, 8_000_000)).map(({ facts }) => facts.map(({ type }) => type))
    }
    expect(await commitsWith([plugin])).toEqual(await commitsWith([]))
    expect(made).toBe(0)
  })
})
