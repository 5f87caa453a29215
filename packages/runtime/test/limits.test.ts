import { describe, expect, test } from 'vitest'
import type { AgentDefinition } from '../src/contracts/api.ts'
import { defineTool } from '../src/define-tool.ts'
import { createRuntime } from '../src/runtime.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import {
  agentOf,
  factsOfType,
  latch,
  outcomesOf,
  recordingModel,
  runThrough,
  runtimeFor,
  streamingModel,
  toolOf,
  until,
  within
} from './runtime-kit.ts'
import { finish, text } from './stream-parts.ts'

const WRONG: readonly unknown[] = [0, -0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5m', '1h30m', '10', '', null, true, {}, 1n]
/** More than a timer of the system takes at once. */
const LONG_MS = 3_000_000_000

describe('a limit', () => {
  const fields = [
    'maxTurns',
    'maxToolCallsPerIteration',
    'maxOutputBytes',
    'maxInputBytes',
    'providerTimeoutMs',
    'toolTimeoutMs',
    'runTimeoutMs',
    'maxRepeatedCalls',
    'maxParallelCalls'
  ]

  test.each(fields)('%s is a whole number above zero, or absent', async (field) => {
    // B108
    const runtime = runtimeFor(recordingModel(() => ({ text: 'done' })))
    for (const value of WRONG) {
      const agent = agentOf({ limits: { [field]: value } } as Partial<AgentDefinition>)
      await expect(runtime.publish(agent), String(value)).rejects.toMatchObject({ code: 'invalid_manifest' })
      await expect(runtime.start(agent, { input: 'go' }), String(value)).rejects.toMatchObject({ code: 'invalid_manifest' })
    }
    expect((await runtime.threads()).items).toEqual([])
    for (const value of [1, 1e9]) expect(await runtime.publish(agentOf({ limits: { [field]: value } }))).toMatchObject({ definition: {} })
  })

  test('of retries may be zero', async () => {
    // B108
    const model = recordingModel(() => ({ error: { status: 503 } }))
    const handle = await runtimeFor(model).start(agentOf({ limits: { maxRetries: 0 } }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'failed', error: { code: 'provider_overloaded' } })
    expect(model.prompts).toHaveLength(1)
  })

  test.each(['timeoutMs', 'maxResultLength'])('%s of a tool is a whole number above zero, or absent', (field) => {
    // B108
    for (const value of WRONG) {
      const declare = () => defineTool({ name: 'get', description: '', input: { type: 'object' }, execute: () => 1, [field]: value })
      expect(declare, String(value)).toThrow(expect.objectContaining({ code: 'invalid_tools' }))
    }
  })

  test.each(['leaseMs', 'concurrency'])('%s of a runtime is a whole number, or absent', (field) => {
    // B108
    for (const value of WRONG.filter((each) => each !== 0)) {
      const make = () => createRuntime({ store: memoryStore(), [field]: value })
      expect(make, String(value)).toThrow(expect.objectContaining({ code: 'invalid_input' }))
    }
  })

  test('of the grace of a cancel or a close is a whole number, or absent', async () => {
    // B108
    const runtime = runtimeFor(recordingModel(() => ({ text: 'done' })))
    const handle = await runtime.start(agentOf(), { input: 'go' })
    await within(handle.settled())
    for (const value of WRONG.filter((each) => each !== 0)) {
      await expect(handle.cancel({ graceMs: value as number }), String(value)).rejects.toMatchObject({ code: 'invalid_input' })
      await expect(runtime.close({ graceMs: value as number }), String(value)).rejects.toMatchObject({ code: 'invalid_input' })
    }
    expect((await handle.info()).pending).toBe(0)
  })
})

describe('a timeout', () => {
  test.each([1, 200, 60_000])('of a tool of %i ms fires then and not before', async (timeoutMs) => {
    // B108
    const clock = fakeClock()
    const begun = latch()
    const slow = toolOf('slow', () => {
      begun.open()
      return new Promise(() => {})
    })
    const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'slow' }] } : { text: 'done' }))
    const agent = agentOf({ tools: [slow], limits: { toolTimeoutMs: timeoutMs } })
    const handle = await runtimeFor(model, { clock }).start(agent, { input: 'go' })
    await within(begun.opened)
    await clock.advance(timeoutMs - 1)
    expect(await outcomesOf(handle)).toEqual([])
    await clock.advance(1)
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
    expect(await outcomesOf(handle)).toEqual(['timeout'])
  })

  test('beyond what a timer of the system takes does not fire at once', async () => {
    // B108
    const slow = toolOf('slow', () => new Promise((resolve) => setTimeout(resolve, 60, 'fine')))
    const model = streamingModel(async function* ({ answers }) {
      await new Promise((resolve) => setTimeout(resolve, 30))
      if (answers === 0) yield { type: 'tool-call', toolCallId: 'c', toolName: 'slow', input: '{}' }
      else yield text('t', 'done')
      yield finish('stop')
    })
    const limits = { toolTimeoutMs: LONG_MS, providerTimeoutMs: LONG_MS, runTimeoutMs: LONG_MS }
    const handle = await runtimeFor(model).start(agentOf({ tools: [slow], limits }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
    expect(await outcomesOf(handle)).toEqual(['ok'])
  })

  test('of the tool and of the definition: the shorter one holds', async () => {
    const clock = fakeClock()
    const execute = () => new Promise(() => {})
    const tools = [toolOf('short', execute, { timeoutMs: 1_000 }), toolOf('long', execute, { timeoutMs: 90_000 })]
    const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'short' }, { name: 'long' }] } : { text: 'done' }))
    const handle = await runtimeFor(model, { clock }).start(agentOf({ tools, limits: { toolTimeoutMs: 5_000 } }), { input: 'go' })
    await until(async () => (await factsOfType(handle, 'call.started')).length === 2)
    expect((await factsOfType(handle, 'call.started')).map((fact) => fact.deadlineMs)).toEqual([1_000, 5_000])
    await runThrough(clock, handle.settled())
    expect(await outcomesOf(handle)).toEqual(['timeout', 'timeout'])
  })

  test.each([
    ['does not begin', 0],
    ['stops in the middle', 1]
  ])('of the provider ends a stream that %s, and it is tried again', async (_, parts) => {
    const clock = fakeClock()
    const model = streamingModel(async function* ({ request }) {
      for (let part = 0; part < parts; part++) yield text('t', 'the beginning')
      if (request === 1) await new Promise(() => {})
      yield text('t', 'done')
      yield finish('stop')
    })
    const handle = await runtimeFor(model, { clock }).start(agentOf({ limits: { providerTimeoutMs: 3_000 } }), { input: 'go' })
    await until(() => model.prompts.length === 1)
    await clock.advance(2_999)
    expect(await factsOfType(handle, 'model.failed')).toEqual([])
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'completed' })
    expect(await factsOfType(handle, 'model.failed')).toMatchObject([{ why: 'transient', error: { code: 'provider_timeout' } }])
  })

  test('of the provider that always strikes fails the run', async () => {
    const clock = fakeClock()
    const model = { ...recordingModel(() => ({ text: '' })), doStream: () => new Promise<never>(() => {}) }
    const handle = await runtimeFor(model, { clock }).start(agentOf({ limits: { providerTimeoutMs: 3_000, maxRetries: 1 } }), {
      input: 'go'
    })
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'failed', error: { code: 'provider_timeout' } })
  })

  test('of a run stops it at the next boundary and cuts no call', async () => {
    const clock = fakeClock()
    const slow = toolOf('slow', async () => {
      await clock.sleep(10_000)
      return 'whole'
    })
    const model = recordingModel(() => ({ toolCalls: [{ name: 'slow' }] }))
    const handle = await runtimeFor(model, { clock }).start(agentOf({ tools: [slow], limits: { runTimeoutMs: 5_000 } }), { input: 'go' })
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'stopped', stopReason: 'time_limit' })
    expect(await outcomesOf(handle)).toEqual(['ok'])
    expect(model.prompts).toHaveLength(1)
  })
})

describe('a bound', () => {
  test.each([1, 3])('of %i turns stops the run after as many requests', async (maxTurns) => {
    const model = recordingModel(({ request }) => ({ toolCalls: [{ name: 'get', arguments: { k: request } }] }))
    const handle = await runtimeFor(model).start(agentOf({ tools: [toolOf('get', () => 1)], limits: { maxTurns } }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'stopped', stopReason: 'turn_limit' })
    expect(model.prompts).toHaveLength(maxTurns)
    expect(await outcomesOf(handle)).toHaveLength(maxTurns)
    expect((await handle.info()).row.turns).toBe(maxTurns)
  })

  test('of turns leaves the last one for an answer: tools are shown, and what is called all the same does not run', async () => {
    const get = toolOf('get', () => 1, { effect: 'read' })
    const again = recordingModel(({ request }) => ({ toolCalls: [{ name: 'get', arguments: { k: request } }] }))
    const handle = await runtimeFor(again, { tools: [get] }).start(agentOf({ tools: ['get'], limits: { maxTurns: 2 } }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'stopped', stopReason: 'turn_limit' })
    expect(await outcomesOf(handle)).toEqual(['ok', 'blocked'])
    expect(again.calls.map((call) => [call.tools?.length, call.toolChoice?.type])).toEqual([
      [1, undefined],
      [1, 'none']
    ])
    const { request } = await handle.prompt(2)
    expect(request.toolChoice).toEqual({ type: 'none' })
    const answering = recordingModel(({ call }) =>
      call.toolChoice?.type === 'none' ? { text: 'so far' } : { toolCalls: [{ name: 'get' }] }
    )
    const other = await runtimeFor(answering, { tools: [get] }).start(agentOf({ tools: ['get'], limits: { maxTurns: 3 } }), { input: 'go' })
    expect(await within(other.settled())).toMatchObject({ status: 'completed', text: 'so far' })
  })

  test('of turns lets the last one use tools where the definition says so', async () => {
    const model = recordingModel(({ request }) => ({ toolCalls: [{ name: 'get', arguments: { k: request } }] }))
    const limits = { maxTurns: 2, lastTurn: 'tools' } as const
    const handle = await runtimeFor(model).start(agentOf({ tools: [toolOf('get', () => 1)], limits }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'stopped', stopReason: 'turn_limit' })
    expect(await outcomesOf(handle)).toEqual(['ok', 'ok'])
    expect(model.calls.map((call) => call.toolChoice)).toEqual([undefined, undefined])
  })

  test('of turns holds for each run by itself', async () => {
    const model = recordingModel(({ request }) => (request < 2 ? { toolCalls: [{ name: 'get' }] } : { text: 'done' }))
    const handle = await runtimeFor(model).start(agentOf({ tools: [toolOf('get', () => 1)], limits: { maxTurns: 1 } }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'stopped' })
    await handle.message('go on')
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
  })

  test.each([
    [9, 'stopped'],
    [10, 'completed']
  ])('of %i output bytes: an output of ten bytes is %s', async (maxOutputBytes, status) => {
    const handle = await runtimeFor(recordingModel(() => ({ text: '\u00e4\u00e4\u00e4\u00e4' }))).start(
      agentOf({ limits: { maxOutputBytes } }),
      { input: 'go' }
    )
    const result = await within(handle.settled())
    expect(result.status).toBe(status)
    expect(result.stopReason).toBe(status === 'stopped' ? 'output_limit' : undefined)
  })

  test('of input bytes keeps a larger request from being made', async () => {
    const model = recordingModel(() => ({ text: 'done' }))
    const handle = await runtimeFor(model).start(agentOf({ limits: { maxInputBytes: 1_000 } }), { input: 'x'.repeat(1_000) })
    const result = await within(handle.settled())
    expect(['failed', 'stopped']).toContain(result.status)
    expect(model.prompts).toHaveLength(0)
  })

  test('of calls at the same time is kept', async () => {
    let now = 0
    let most = 0
    const get = toolOf('get', async () => {
      now += 1
      most = Math.max(most, now)
      await new Promise((resolve) => setImmediate(resolve))
      now -= 1
    })
    const toolCalls = Array.from({ length: 10 }, (_, k) => ({ name: 'get', arguments: { k } }))
    const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls } : { text: 'done' }))
    const handle = await runtimeFor(model).start(agentOf({ tools: [get], limits: { maxParallelCalls: 3 } }), { input: 'go' })
    await within(handle.settled())
    expect(most).toBe(3)
    expect(await outcomesOf(handle)).toHaveLength(10)
  })

  test('of one call at a time holds for a turn with a tool that is not safe beside others, in call order', async () => {
    const log: string[] = []
    const tool = (name: string, parallelSafe: boolean) =>
      toolOf(
        name,
        async (args) => {
          log.push(`+${name}${(args as { k: number }).k}`)
          await new Promise((resolve) => setImmediate(resolve))
          log.push(`-${name}${(args as { k: number }).k}`)
        },
        { parallelSafe }
      )
    const toolCalls = [
      ['a', 1],
      ['b', 2],
      ['a', 3]
    ].map(([name, k]) => ({ name: String(name), arguments: { k: Number(k) } }))
    const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls } : { text: 'done' }))
    const handle = await runtimeFor(model).start(agentOf({ tools: [tool('a', true), tool('b', false)] }), { input: 'go' })
    await within(handle.settled())
    expect(log).toEqual(['+a1', '-a1', '+b2', '-b2', '+a3', '-a3'])
  })
})
