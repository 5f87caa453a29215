import { describe, expect, test } from 'vitest'
import type { Tool } from '../src/contracts/tool.ts'
import type { ScriptTurn } from '../src/models/script-turn.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { agentOf, factsOf, factsOfType, outcomesOf, recordingModel, resultsIn, runtimeFor, toolOf, until, within } from './runtime-kit.ts'

type Call = NonNullable<ScriptTurn['toolCalls']>[number]

/** Runs an agent that makes these calls in its first turn and then says that it is done. */
async function run(tools: readonly Tool<never>[], toolCalls: readonly Call[] = tools.map(({ name }) => ({ name }))) {
  const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls } : { text: 'done' }))
  const runtime = runtimeFor(model)
  const handle = await runtime.start(agentOf({ tools }), { input: 'go' })
  const result = await within(handle.settled())
  const settled = await factsOfType(handle, 'call.settled')
  return { result, handle, settled, outcomes: settled.map((fact) => fact.outcome), shown: [...resultsIn(model.prompts.at(-1)).values()] }
}

const thrower = (make: () => unknown) => () => {
  throw make()
}

describe('a tool that fails', () => {
  test.each<[string, () => unknown]>([
    ['throws an error', thrower(() => new Error('no'))],
    ['throws an error without a message', thrower(() => new Error('  '))],
    ['throws a text', thrower(() => 'no')],
    ['throws undefined', thrower(() => undefined)],
    ['throws a symbol', thrower(() => Symbol('no'))],
    ['throws an object that cannot be a text', thrower(() => Object.create(null))],
    ['throws an error whose message is no text', thrower(() => Object.assign(new Error('x'), { message: { no: 1 } }))],
    ['throws an error whose message throws', thrower(() => Object.defineProperty(new Error('x'), 'message', { get: thrower(() => 'y') }))],
    ['throws half a surrogate pair', thrower(() => new Error('\ud83d'))],
    ['rejects', () => Promise.reject(new Error('no'))],
    ['throws an endless message', thrower(() => new Error('\u{1f600}'.repeat(1_000_000)))]
  ])('that %s gives the model an error, and the run goes on', async (_, execute) => {
    const { result, outcomes, shown } = await run([toolOf('bad', execute)])
    expect(result).toMatchObject({ status: 'completed', text: 'done' })
    expect(outcomes).toEqual(['error'])
    expect(shown).toMatchObject([{ type: 'error-text', value: expect.stringMatching(/\S/) }])
    expect(JSON.stringify(shown).length).toBeLessThan(10_000)
  })

  test('does not keep its siblings from their results', async () => {
    const { outcomes, shown } = await run([
      toolOf('good', () => 1),
      toolOf(
        'bad',
        thrower(() => new Error('no'))
      ),
      toolOf('other', () => 2)
    ])
    expect(outcomes.toSorted()).toEqual(['error', 'ok', 'ok'])
    expect(shown).toMatchObject([{ type: 'json', value: 1 }, { type: 'error-text' }, { type: 'json', value: 2 }])
  })

  test('that does not end by its deadline settles once as timed out, and its late output is dropped', async () => {
    const clock = fakeClock()
    const late = Promise.withResolvers<string>()
    let signal: AbortSignal | undefined
    const execute: Tool['execute'] = (_, context) => {
      signal = context.signal
      return late.promise
    }
    const slow = toolOf('slow', execute, { timeoutMs: 5_000 })
    const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'slow' }] } : { text: 'done' }))
    const handle = await runtimeFor(model, { clock }).start(agentOf({ tools: [slow] }), { input: 'go' })
    await until(() => signal)
    await clock.advance(4_999)
    expect(signal?.aborted).toBe(false)
    expect(await outcomesOf(handle)).toEqual([])
    await clock.advance(1)
    expect(signal?.aborted).toBe(true)
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
    late.resolve('late')
    await new Promise((resolve) => setImmediate(resolve))
    expect(await outcomesOf(handle)).toEqual(['timeout'])
    expect([...resultsIn(model.prompts.at(-1)).values()]).toMatchObject([{ type: 'error-text' }])
  })

  test('of an unknown name is an error that names the nearest, and repeated too often ends the run', async () => {
    // B012
    const search = toolOf('mcp__fs__search', () => 'found', { description: 'searches' })
    const model = recordingModel(({ request }) =>
      request <= 12 ? { toolCalls: [{ name: 'search', arguments: { q: 'a' } }] } : { text: 'done' }
    )
    const agent = agentOf({ tools: [search], limits: { maxRepeatedCalls: 5 } })
    const handle = await runtimeFor(model).start(agent, { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'stopped', stopReason: 'repeated_call' })
    expect(model.prompts).toHaveLength(5)
    expect(new Set(await outcomesOf(handle))).toEqual(new Set(['blocked']))
    expect((await factsOf(handle)).some((fact) => fact.type === 'call.started')).toBe(false)
    expect([...resultsIn(model.prompts[1]).values()]).toMatchObject([
      { type: 'error-text', value: expect.stringMatching(/search.*mcp__fs__search/s) }
    ])
  })

  test('of a call that is repeated with other arguments or after another call does not end the run', async () => {
    // B012
    const model = recordingModel(({ request }) => {
      if (request > 6) return { text: 'done' }
      return { toolCalls: [{ name: 'get', arguments: { k: request % 2 } }] }
    })
    const agent = agentOf({ tools: [toolOf('get', () => 1)], limits: { maxRepeatedCalls: 2 } })
    const handle = await runtimeFor(model).start(agent, { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
  })
})

describe('arguments', () => {
  test.each([
    ['empty text', ''],
    ['blank text', ' \n\t'],
    ['an empty object', '{}']
  ])('that are %s mean no arguments', async (_, input) => {
    // B001
    const given: unknown[] = []
    const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'now', arguments: input }] } : { text: 'done' }))
    const now = toolOf('now', (args) => given.push(args), { input: { type: 'object', properties: {} } })
    const handle = await runtimeFor(model).start(agentOf({ tools: [now] }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
    expect(given).toEqual([{}])
    const replayed = model.prompts[1]?.find((message) => message.role === 'assistant')
    expect(replayed?.content).toMatchObject([{ type: 'tool-call', input: {} }])
  })

  test.each([
    ['are no JSON', '{"k": '],
    ['are cut', '{"k":1'],
    ['are a list', '[1]'],
    ['are a number', '12'],
    ['are null', 'null'],
    ['are a text', '"k"'],
    ['are two objects', '{"k":1}{"k":2}'],
    ['are nested', `{"k":${'['.repeat(600)}${']'.repeat(600)}}`],
    ['are nested without end', `{"k":${'['.repeat(90_000)}${']'.repeat(90_000)}}`],
    ['hold a number that is too large', '{"k":1e999}'],
    ['hold a number of too many digits', `{"k":-${'9'.repeat(400)}}`],
    ['miss a field', '{}'],
    ['have a field of another type', '{"k":"1"}'],
    ['have a field too many', '{"k":1,"l":2}'],
    ['name a prototype', '{"__proto__":{"k":1}}']
  ])('that %s never reach the tool: the model reads what is wrong', async (_, input) => {
    let runs = 0
    const schema = { type: 'object', properties: { k: { type: 'number' } }, required: ['k'], additionalProperties: false }
    const { result, outcomes, shown } = await run([toolOf('get', () => ++runs, { input: schema })], [{ name: 'get', arguments: input }])
    expect(result).toMatchObject({ status: 'completed' })
    expect(runs).toBe(0)
    expect(outcomes).toEqual(['blocked'])
    expect(shown).toMatchObject([{ type: 'error-text', value: expect.stringMatching(/\S/) }])
  })

  test('with reserved names are data like any other', async () => {
    const given: unknown[] = []
    const input = '{"__proto__":{"polluted":1},"constructor":{"prototype":2}}'
    const { result, outcomes } = await run([toolOf('get', (args) => given.push(args))], [{ name: 'get', arguments: input }])
    expect(result).toMatchObject({ status: 'completed' })
    expect(outcomes).toEqual(['ok'])
    expect(JSON.stringify(given)).toBe(`[${input}]`)
    expect(Object.prototype).not.toHaveProperty('polluted')
  })

  test('with half a surrogate pair reach tool, store and provider well-formed', async () => {
    // B013
    const given: unknown[] = []
    const { result, handle } = await run([toolOf('find', (args) => given.push(args))], [{ name: 'find', arguments: '{"q":"x\\ud99c y"}' }])
    expect(result).toMatchObject({ status: 'completed' })
    expect(given).toEqual([{ q: 'x\ufffd y' }])
    const gated = await factsOfType(handle, 'call.gated')
    expect(gated[0]?.arguments).toEqual({ inline: { q: 'x\ufffd y' } })
  })

  test('beyond the calls that fit into one answer are refused, and the others run', async () => {
    let runs = 0
    const tools = [toolOf('get', () => ++runs)]
    const model = recordingModel(({ answers }) =>
      answers === 0 ? { toolCalls: [1, 2, 3].map((k) => ({ name: 'get', arguments: { k } })) } : { text: 'done' }
    )
    const handle = await runtimeFor(model).start(agentOf({ tools, limits: { maxToolCallsPerIteration: 2 } }), { input: 'go' })
    await within(handle.settled())
    expect(runs).toBe(2)
    expect((await outcomesOf(handle)).toSorted()).toEqual(['blocked', 'ok', 'ok'])
  })
})

describe('a result', () => {
  const cyclic: { self?: unknown } = {}
  cyclic.self = cyclic
  const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))

  test.each<[string, unknown, unknown]>([
    ['undefined', undefined, { type: 'text', value: expect.stringMatching(/\S/) }],
    ['an empty text', '', { type: 'text', value: expect.stringMatching(/\S/) }],
    ['blank text', ' \n ', { type: 'text', value: expect.stringMatching(/\S/) }],
    ['null', null, { type: 'json', value: null }],
    ['zero', 0, { type: 'json', value: 0 }],
    ['false', false, { type: 'json', value: false }],
    ['an empty list', [], { type: 'json', value: [] }],
    ['an empty object', {}, { type: 'json', value: {} }],
    ['an object with undefined', { a: undefined, b: [undefined] }, { type: 'json', value: { b: [null] } }],
    ['a date', new Date(0), { type: 'text', value: '1970-01-01T00:00:00.000Z' }],
    ['a big integer', 1n, { type: 'text', value: '1' }],
    ['a big integer inside', { a: [1n] }, { type: 'json', value: { a: ['1'] } }],
    ['a cycle', cyclic, { type: 'json', value: { self: '[refers to itself]' } }],
    ['a function', () => 1, { type: 'text', value: '[function]' }],
    ['an object that refuses', { toJSON: thrower(() => Object.create(null)) }, { type: 'text', value: '[cannot be read: unknown]' }]
  ])('that is %s is shown as what it is', async (_, value, expected) => {
    // B024
    const { result, outcomes, shown } = await run([toolOf('get', () => value)])
    expect(result).toMatchObject({ status: 'completed' })
    expect(outcomes).toEqual(['ok'])
    expect(shown).toMatchObject([expected as object])
  })

  test.each<[string, unknown]>([
    ['nested too deeply', nested(600)],
    ['nested far too deeply', nested(5_000)]
  ])('that is %s is an error that says so', async (_, value) => {
    const { result, outcomes, shown } = await run([toolOf('get', () => value)])
    expect(result).toMatchObject({ status: 'completed' })
    expect(outcomes).toEqual(['error'])
    expect(shown).toMatchObject([{ type: 'error-text' }])
  })

  test('that is too long is cut before a surrogate pair, the same on every replay', async () => {
    // B013
    const long = `${'a'.repeat(9)}\u{1f600}${'b'.repeat(10)}`
    const model = recordingModel(({ answers }) => (answers < 2 ? { toolCalls: [{ name: 'get' }] } : { text: 'done' }))
    const get = toolOf('get', () => long, { maxResultLength: 10 })
    const handle = await runtimeFor(model).start(agentOf({ tools: [get] }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
    const [first] = resultsIn(model.prompts[1]).values()
    expect(first?.value).toMatch(/^a{9}[^a\u{1f600}]/u)
    expect([...resultsIn(model.prompts[2]).values()][0]).toEqual(first)
    expect(JSON.stringify(await factsOf(handle))).not.toMatch(/\\ud83d/i)
  })

  test('with half a surrogate pair in a value or a key is stored and shown well-formed', async () => {
    // B013
    const { result, handle } = await run([toolOf('get', () => ({ 'k\ud800': ['\udc00'] }))])
    expect(result).toMatchObject({ status: 'completed' })
    const [settled] = await factsOfType(handle, 'call.settled')
    expect(settled?.result).toEqual({ inline: { value: { 'k\ufffd': ['\ufffd'] } } })
  })

  test('that a tool may make larger than a commit is cut to what fits', async () => {
    const { result, outcomes } = await run([toolOf('get', () => '\u0001'.repeat(2_000_000), { maxResultLength: 2_000_000 })])
    expect(result).toMatchObject({ status: 'completed' })
    expect(outcomes).toEqual(['ok'])
  })

  test('does not have to share a commit with others: many large ones at once are kept', async () => {
    const tools = Array.from({ length: 16 }, (_, k) => toolOf(`get${k}`, () => '\u20ac'.repeat(99_000)))
    const { result, outcomes } = await run(tools)
    expect(result).toMatchObject({ status: 'completed' })
    expect(outcomes).toEqual(tools.map(() => 'ok'))
  })
})
