import { describe, expect, test } from 'vitest'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { busy, extended, get, USAGE, waitOf, workerOf } from './budget-kit.ts'
import { agentOf, outcomesOf, recordingModel, runThrough, runtimeFor, toolOf, until, within } from './runtime-kit.ts'

describe('a budget of cost', () => {
  test('holds the next call when it is used up; retries and failed tries count', async () => {
    // B105
    const clock = fakeClock()
    const model = recordingModel(({ request, answers }) =>
      request === 2 ? { error: { status: 503 } } : { toolCalls: [{ name: 'get', arguments: { k: answers } }], usage: USAGE }
    )
    const prices = { main: { input: 1_000, output: 1_000 } }
    const runtime = runtimeFor(model, { tools: [get()], prices, clock })
    const handle = await runtime.start(workerOf({ maxCost: 2 }), { input: 'go' })
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'waiting', cost: 2 })
    expect(model.prompts).toHaveLength(3)
    expect(await handle.budget()).toMatchObject({ used: { cost: 2, unpriced: 0 }, left: { cost: 0 } })
  })

  test('waits for a person when nobody knows what an answer cost: unknown is not nothing', async () => {
    // The scripted model costs nothing; this one is somebody's.
    const model = { ...busy(3), provider: 'acme' }
    const runtime = runtimeFor(model, { tools: [get()] })
    const handle = await runtime.start(workerOf({ maxCost: 2 }), { input: 'go' })
    expect(await waitOf(handle)).toMatchObject({ subject: { reason: 'cost_unknown', used: { unpriced: 1, cost: 0 } } })
    // Whoever sets it again has seen that, for the answers so far.
    expect(await extended(handle, { maxCost: 5 })).toMatchObject({ status: 'waiting', waits: [{ subject: { reason: 'cost_unknown' } }] })
    expect(model.prompts).toHaveLength(2)
    expect(await extended(handle, { maxCost: null, maxTotalTokens: 50_000 })).toMatchObject({ status: 'completed', cost: 'unknown' })
    const hard = await runtime.start(workerOf({ maxCost: 2, hard: true }), { input: 'go' })
    expect(await within(hard.settled())).toMatchObject({ status: 'stopped', stopReason: 'cost_unknown' })
  })
})

describe('a budget of time', () => {
  test('counts work and not waiting, and never cuts a call', async () => {
    const clock = fakeClock()
    // Long beside what the clock runs on while something else happens.
    const slow = toolOf('get', () => clock.sleep(20_000), { effect: 'read' })
    const held = toolOf('pay', () => 'paid', { approval: true })
    const model = recordingModel(({ answers }) => ({
      ...(answers === 0
        ? { toolCalls: [{ name: 'pay' }] }
        : answers < 5
          ? { toolCalls: [{ name: 'get', arguments: { answers } }] }
          : { text: 'done' }),
      usage: USAGE
    }))
    const runtime = runtimeFor(model, { tools: [slow, held], clock })
    const handle = await runtime.start(agentOf({ tools: ['get', 'pay'], budget: { maxDurationMs: 30_000 } }), { input: 'go' })
    const approval = (await runThrough(clock, handle.settled())).waits[0]
    await clock.advance(3_600_000)
    await runtime.approve(approval?.id ?? '')
    await runThrough(
      clock,
      until(async () => (await runtime.waits({ thread: handle.id })).items[0]?.kind === 'budget')
    )
    const [wait] = (await runThrough(clock, handle.settled())).waits
    expect(wait).toMatchObject({ kind: 'budget', subject: { reason: 'time' } })
    expect(await outcomesOf(handle)).toEqual(['ok', 'ok', 'ok'])
    await clock.advance(3_600_000)
    const used = (await handle.budget())?.used.durationMs ?? 0
    expect(used).toBeGreaterThanOrEqual(40_000)
    expect(used).toBeLessThan(60_000)
    const { item } = await handle.extendBudget({ maxDurationMs: 600_000 })
    await runThrough(clock, handle.receipt(item, { wait: true }))
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'completed' })
  })
})

describe('a budget of tool calls', () => {
  const wide = () =>
    recordingModel(({ answers }) =>
      answers === 0
        ? { toolCalls: [1, 2, 3].map((k) => ({ name: 'get', arguments: { k } })), usage: USAGE }
        : { text: 'done', usage: USAGE }
    )

  test('starts as many as there are left, and the others wait with their place kept', async () => {
    const model = wide()
    const handle = await runtimeFor(model, { tools: [get()] }).start(workerOf({ maxToolCalls: 2 }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({
      status: 'waiting',
      waits: [{ kind: 'budget', subject: { reason: 'tool_calls' } }]
    })
    expect(await outcomesOf(handle)).toEqual(['ok', 'ok'])
    expect(model.prompts).toHaveLength(1)
    expect(await extended(handle, { maxToolCalls: 3 })).toMatchObject({ status: 'completed' })
    expect(await outcomesOf(handle)).toEqual(['ok', 'ok', 'ok'])
    expect(await handle.budget()).toMatchObject({ used: { toolCalls: 3 }, left: { toolCalls: 0 } })
  })

  test('that is hard does not run the others, says so, and stops the run', async () => {
    const model = wide()
    const handle = await runtimeFor(model, { tools: [get()] }).start(workerOf({ maxToolCalls: 2, hard: true }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'stopped', stopReason: 'tool_call_budget' })
    expect((await outcomesOf(handle)).toSorted()).toEqual(['blocked', 'ok', 'ok'])
    // What a model says without tools costs no tool call.
    await handle.retry()
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
  })
})
