import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { StateKey } from '../src/contracts/plugin-state.ts'
import { suspend } from '../src/contracts/suspension.ts'
import { defineState } from '../src/define-plugin.ts'
import { createSecretRegistry } from '../src/secrets.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { runtimeOf } from './approval-kit.ts'
import { before } from './hook-kit.ts'
import { pluginOf } from './plugin-kit.ts'
import { agentOf, factsOf, factsOfType, recordingModel, runThrough, toolOf, userTexts, within } from './runtime-kit.ts'
import type { Act, Setting } from './state-kit.ts'
import { acted, acting, add, BOUNDS, COUNT, keeper, LIST, ONCE, STATE, TEXT } from './state-kit.ts'

describe('state of a plugin', () => {
  test('begins with its initial value, is read back in the same call, and is committed with the result', async () => {
    const seen: unknown[] = []
    const { run, state, result } = await acted({
      plugins: [
        keeper((context) => {
          seen.push(context.state.get(COUNT), context.state.get(LIST))
          add(context)
          add(context)
          seen.push(context.state.get(COUNT))
        })
      ]
    })
    expect(result.status).toBe('completed')
    expect(seen).toEqual([0, [], 2])
    expect(state).toEqual({ keeper: { count: 2 } })
    const commits = (await run.log(1, 8_000_000)).map(({ facts }) => facts.map(({ type }) => type))
    expect(commits.filter((types) => types.includes('state.set'))).toEqual([['state.set', 'call.settled', 'turn.started']])
    expect(await factsOfType(run, 'state.set')).toMatchObject([{ owner: 'keeper', key: 'count', value: { inline: 2 }, run: run.run }])
  })

  test('lasts from call to call and from run to run, and can be reset', async () => {
    const seen: number[] = []
    const plugin = keeper((context, { reset }) => {
      seen.push(context.state.get(COUNT))
      if (reset) context.state.reset(COUNT)
      else add(context)
    })
    const model = recordingModel(({ request }) =>
      request % 2 === 1 ? { toolCalls: [{ name: 'act', arguments: request === 5 ? { reset: true } : {} }] } : { text: 'done' }
    )
    const runtime = runtimeOf(memoryStore(), { models: { main: model }, plugins: [plugin] })
    const run = await runtime.start(agentOf({ plugins: ['keeper'] }), { input: 'go' })
    for (let more = 0; more < 3; more++) {
      await within(run.settled())
      await run.message('again')
    }
    await within(run.settled())
    expect(seen).toEqual([0, 1, 2, 0])
    expect(await run.pluginState()).toEqual({ keeper: { count: 1 } })
    expect((await run.verify()).problems).toEqual([])
  })

  test('is of its thread and of its plugin', async () => {
    const other = keeper(
      (context) => context.state.set(COUNT, 40),
      { tools: [toolOf('act2', (_, context) => context.state.set(COUNT, 40))] },
      'other'
    )
    const setting: Setting = {
      calls: [...ONCE, { name: 'act2', arguments: {} }],
      plugins: [keeper(add), other]
    }
    const store = memoryStore()
    const one = await acted({ ...setting, store })
    const two = await acted({ ...setting, store })
    expect(one.state).toEqual({ keeper: { count: 1 }, other: { count: 40 } })
    expect(two.state).toEqual(one.state)
  })

  test('may be null where that is not its initial value', async () => {
    const who = defineState('text', { schema: z.string().nullable(), initial: 'nobody' })
    const seen: unknown[] = []
    const act = toolOf('act', (_, context) => {
      seen.push(context.state.get(who))
      context.state.set(who, null)
      seen.push(context.state.get(who))
    })
    const bounds = { ...BOUNDS, context: ['request'] } as const
    const plugin = pluginOf('keeper', bounds, { state: [who], tools: [act], context: { request: '{{ state.text | json }}' } })
    const { run, state, model } = await acted({ plugins: [plugin] })
    expect(state).toEqual({ keeper: { text: null } })
    expect(userTexts(model.prompts[1]).at(-1)).toBe('null')
    expect(seen).toEqual(['nobody', null])
    expect((await run.verify()).problems).toEqual([])
  })

  const missing: readonly (readonly [string, StateKey<never, unknown>])[] = [
    ['a key that is none of its parts', defineState('when', { schema: z.number(), initial: 0 }) as never],
    ['no key', {} as never]
  ]
  test.each(missing)('is not there under %s', async (_title, key) => {
    const { told, state } = await acted({ plugins: [keeper((context) => context.state.get(key as never))] })
    expect(told).toMatchObject([{ type: 'error-text' }])
    expect(state).toEqual({})
  })

  test('is not there for tools and hooks of the host', async () => {
    const errors: unknown[] = []
    const attempt = (work: () => unknown): void => {
      try {
        work()
      } catch (error) {
        errors.push((error as { code?: string }).code)
      }
    }
    const host = toolOf('act', (_, { state }) => {
      attempt(() => state.get(COUNT))
      attempt(() => state.set(COUNT, 1))
      attempt(() => state.reset(COUNT))
    })
    const hook = before('look', (_, { state }) => {
      attempt(() => state.get(COUNT))
      return null
    })
    const plugins = [pluginOf('keeper', BOUNDS, { state: STATE })]
    const { state } = await acted({ plugins, agent: { tools: ['act'] }, options: { tools: [host], hooks: [hook] } })
    expect(errors).toEqual(['invalid_input', 'invalid_input', 'invalid_input', 'invalid_input'])
    expect(state).toEqual({})
  })
})

describe('a value that cannot be kept is refused, and nothing is:', () => {
  const secrets = createSecretRegistry()
  secrets.add('KEY', 'hunter2-hunter2')
  const values: readonly (readonly [string, Act])[] = [
    ['it does not fit the schema', ({ state }) => state.set(COUNT, 1.5)],
    ['it is no JSON', ({ state }) => state.set(COUNT, Number.NaN)],
    ['it is nothing', ({ state }) => state.set(COUNT, undefined as never)],
    ['it holds a secret', ({ state }) => state.set(TEXT, 'the key is hunter2-hunter2')],
    ['it is too large', ({ state }) => state.set(TEXT, 'x'.repeat(65_535))],
    [
      'it is too large with what is there',
      ({ state }) => {
        state.set(TEXT, 'x'.repeat(40_000))
        state.set(LIST, ['x'.repeat(30_000)])
      }
    ]
  ]
  test.each(values)('%s', async (_title, act) => {
    const { told, state, run } = await acted({ plugins: [keeper(act)], options: { secrets } })
    expect(told).toMatchObject([{ type: 'error-text' }])
    expect(state).toEqual({})
    expect(JSON.stringify(await factsOf(run))).not.toContain('hunter2')
  })

  test('the largest one that fits is kept', async () => {
    const { state } = await acted({ plugins: [keeper((context) => context.state.set(TEXT, 'x'.repeat(65_536 - 2 - 1 - 2)))] })
    expect(state['keeper']?.['text']).toHaveLength(65_531)
  })
})

describe('what a call set is lost', () => {
  const lost: readonly (readonly [string, Act])[] = [
    [
      'when it throws',
      (context) => {
        add(context)
        throw new Error('boom')
      }
    ],
    [
      'when what it returns is no result',
      (context) => {
        add(context)
        return JSON.parse('['.repeat(600) + ']'.repeat(600))
      }
    ],
    [
      'when it is suspended in a way that cannot be',
      (context) => {
        add(context)
        return suspend({ wait: { kind: 'nothing' as never, subject: {} }, state: null })
      }
    ]
  ]
  test.each(lost)('%s', async (_title, act) => {
    const { state, run } = await acted({ plugins: [keeper(act)] })
    expect(state).toEqual({})
    expect(await factsOfType(run, 'state.set')).toEqual([])
  })

  test('when it is too late, and then it can set no more', async () => {
    const clock = fakeClock()
    const errors: unknown[] = []
    const plugin = keeper(async (context) => {
      add(context)
      await clock.sleep(5_000)
      try {
        add(context)
      } catch (error) {
        errors.push((error as { code?: string }).code)
      }
    })
    const { run } = await acting({
      plugins: [plugin],
      agent: { tools: [{ ref: 'act', timeoutMs: 1_000 }] },
      store: memoryStore({ clock }),
      options: { clock }
    })
    await runThrough(clock, run.settled())
    await runThrough(clock, clock.sleep(6_000))
    expect(await run.pluginState()).toEqual({})
    expect(errors).toEqual(['invalid_input'])
  })
})

test('a suspension keeps what its leg has set, and the next leg goes on from there', async () => {
  const plugin = keeper((context) => {
    add(context)
    if (context.resumed === undefined) return suspend({ wait: { kind: 'external', subject: {} }, state: null })
    return context.state.get(COUNT)
  })
  const { run, runtime, result, state } = await acted({ plugins: [plugin] })
  expect(result.status).toBe('waiting')
  expect(state).toEqual({ keeper: { count: 1 } })
  await runtime.answer(result.waits[0]?.id ?? '', 'go on')
  await within(run.settled())
  expect(await run.pluginState()).toEqual({ keeper: { count: 2 } })
})

describe('calls of one turn', () => {
  const calls = [
    { name: 'act', arguments: { at: 'a' } },
    { name: 'act', arguments: { at: 'b' } },
    { name: 'act', arguments: { at: 'c' } }
  ]

  test('that run together see what was committed before them, and the last that is committed counts', async () => {
    const seen: number[] = []
    const gates = new Map(['a', 'b', 'c'].map((at) => [at, Promise.withResolvers<void>()]))
    const plugin = keeper(async ({ state }, { at }) => {
      seen.push(state.get(COUNT))
      state.set(COUNT, { a: 1, b: 2, c: 3 }[String(at)] ?? 0)
      if (seen.length === 3) gates.get('b')?.resolve()
      await gates.get(String(at))?.promise
      gates.get({ b: 'c', c: 'a' }[String(at)] ?? '')?.resolve()
    })
    const { state, run } = await acted({ plugins: [plugin], calls })
    expect(seen).toEqual([0, 0, 0])
    const kept = (await factsOfType(run, 'state.set')).map(({ value }) => value && 'inline' in value && value.inline)
    expect(kept).toEqual([2, 3, 1])
    expect(state).toEqual({ keeper: { count: 1 } })
  })

  test('of a tool that is not safe beside others see each other', async () => {
    const tools = [toolOf('act', (_, context) => add(context), { parallelSafe: false })]
    const { state } = await acted({ plugins: [keeper(add, { tools })], calls })
    expect(state).toEqual({ keeper: { count: 3 } })
  })
})
