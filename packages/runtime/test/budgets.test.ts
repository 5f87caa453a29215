import { describe, expect, test } from 'vitest'
import type { Budget } from '../src/contracts/budget.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { busy, extended, get, USAGE, waitOf, workerOf } from './budget-kit.ts'
import {
  agentOf,
  factsOfType,
  latch,
  outcomesOf,
  recordingModel,
  runtimeFor,
  streamingModel,
  until,
  userTexts,
  within
} from './runtime-kit.ts'
import { runtimeOf } from './approval-kit.ts'

describe('a budget of tokens', () => {
  test('holds the call that would go beyond, and the run goes on from there when a person extends it', async () => {
    // B017, B105
    const model = busy(3)
    const runtime = runtimeFor(model, { tools: [get()] })
    const handle = await runtime.start(workerOf({ maxTotalTokens: 1_000 }), { input: 'go' })
    const wait = await waitOf(handle)
    expect(model.prompts).toHaveLength(1)
    expect(await outcomesOf(handle)).toEqual(['ok'])
    expect(wait).toMatchObject({ kind: 'budget', subject: { reason: 'tokens', limit: { maxTotalTokens: 1_000 }, used: { tokens: 1_000 } } })
    expect((await handle.info()).row.status).toBe('waiting')
    // One that is not above what is used waits again, without a call.
    expect(await extended(handle, { maxTotalTokens: 900 })).toMatchObject({ status: 'waiting' })
    expect(model.prompts).toHaveLength(1)
    expect(await runtime.decide(wait?.id ?? '', { decision: 'extend', budget: { maxTotalTokens: 9_000 } })).toMatchObject({
      state: 'closed'
    })
    const again = await waitOf(handle)
    expect(await runtime.decide(again?.id ?? '', { decision: 'extend', budget: { maxTotalTokens: 10_000 } })).toMatchObject({
      state: 'accepted'
    })
    await until(async () => (await handle.info()).row.status === 'completed')
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: 'done' })
    expect(model.prompts).toHaveLength(4)
    expect(await handle.budget()).toMatchObject({
      limit: { maxTotalTokens: 10_000 },
      used: { tokens: 4_000, toolCalls: 3 },
      left: { tokens: 6_000 }
    })
    expect(await factsOfType(handle, 'budget.set')).toMatchObject([
      { limit: { maxTotalTokens: 900 }, by: { kind: 'host' } },
      { limit: { maxTotalTokens: 10_000 } }
    ])
    expect(await handle.verify()).toMatchObject({ problems: [] })
  })

  test('leaves a wait for it when the time of the run is over, also in another store', async () => {
    const limits = { runTimeoutMs: 3_600_000 }
    const first = runtimeFor(busy(3), { tools: [get()] })
    const handle = await first.start(workerOf({ maxTotalTokens: 1_000 }, { limits }), { input: 'go' })
    await waitOf(handle)
    const { timerAt } = await handle.info()
    expect(timerAt).toEqual(expect.any(Number))
    const second = runtimeFor(busy(3), { tools: [get()], concurrency: 0 })
    await second.import(handle.export())
    expect((await second.thread(handle.thread).info()).timerAt).toBe(timerAt)
  })

  test('reserves the input and the most that the model may answer', async () => {
    const model = recordingModel(() => ({ text: 'done', usage: USAGE }))
    const runtime = runtimeFor(model)
    const settings = { maxOutputTokens: 500 }
    const bounded = await runtime.start(agentOf({ model: { ref: 'main', settings }, budget: { maxTotalTokens: 10_000 } }), {
      input: 'x'.repeat(4_000)
    })
    await within(bounded.settled())
    const [first] = await factsOfType(bounded, 'turn.started')
    expect(first?.reservedTokens).toBeGreaterThanOrEqual(1_500)
    expect(first?.reservedTokens).toBeLessThan(1_600)
    // One that cannot end within the budget is not asked.
    const tight = await runtime.start(agentOf({ model: { ref: 'main', settings }, budget: { maxTotalTokens: 400 } }), { input: 'go' })
    expect(await waitOf(tight)).toMatchObject({ subject: { reason: 'tokens', used: { tokens: 0 }, needed: expect.any(Number) } })
    expect(model.prompts).toHaveLength(1)
    // What is not bounded takes what is left.
    const open = await runtime.start(agentOf({ budget: { maxTotalTokens: 400 } }), { input: 'go' })
    await within(open.settled())
    expect((await factsOfType(open, 'turn.started'))[0]?.reservedTokens).toBe(400)
  })

  test('that is hard stops the run and names the limit; retries start no call; a person who extends it has it tried again', async () => {
    // B105
    const model = busy(3)
    const runtime = runtimeFor(model, { tools: [get()] })
    const handle = await runtime.start(workerOf({ maxTotalTokens: 2_500, hard: true }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'stopped', stopReason: 'token_budget', waits: [] })
    await handle.retry()
    expect(await within(handle.settled())).toMatchObject({ status: 'stopped', stopReason: 'token_budget' })
    await handle.message('and now?')
    expect(await within(handle.settled())).toMatchObject({ status: 'stopped', stopReason: 'token_budget' })
    expect(model.prompts).toHaveLength(2)
    // Between runs, too.
    const { item } = await handle.extendBudget({ maxTotalTokens: 100_000 })
    expect(await handle.receipt(item, { wait: true })).toMatchObject({ state: 'taken' })
    await handle.retry()
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
    expect(userTexts(model.prompts.at(-1))).toEqual(['go', 'and now?'])
  })

  test('ends the run where a person refuses to extend it', async () => {
    const model = busy(3)
    const runtime = runtimeFor(model, { tools: [get()] })
    const handle = await runtime.start(workerOf({ maxTotalTokens: 1_000 }), { input: 'go' })
    const wait = await waitOf(handle)
    expect(await runtime.approve(wait?.id ?? '')).toMatchObject({ state: 'invalid' })
    expect(await runtime.answer(wait?.id ?? '', 5)).toMatchObject({ state: 'invalid' })
    expect(await runtime.deny(wait?.id ?? '')).toMatchObject({ state: 'accepted' })
    await until(async () => (await handle.info()).row.status === 'stopped')
    expect(await within(handle.settled())).toMatchObject({ status: 'stopped', stopReason: 'token_budget' })
  })

  test('of a start stands above that of its definition, by field, and is part of what a key is about', async () => {
    const runtime = runtimeFor(busy(0))
    const agent = agentOf({ budget: { maxTotalTokens: 50, maxCost: 3 } })
    const options = { input: 'go', budget: { maxTotalTokens: 60_000 }, idempotencyKey: 'k' }
    const handle = await runtime.start(agent, options)
    await within(handle.settled())
    expect((await handle.budget())?.limit).toEqual({ maxTotalTokens: 60_000, maxCost: 3 })
    expect((await runtime.start(agent, options)).created).toBe(false)
    await expect(runtime.start(agent, { ...options, budget: { maxTotalTokens: 70_000 } })).rejects.toMatchObject({ code: 'conflict' })
    // A fork pays for itself: it has what its definition says.
    const fork = await runtime.fork(handle.id)
    expect(await fork.budget()).toMatchObject({ limit: { maxTotalTokens: 50, maxCost: 3 }, used: { tokens: 0 } })
  })

  test('keeps messages until it is extended, and is closed by a cancel', async () => {
    const model = busy(1)
    const runtime = runtimeFor(model, { tools: [get()] })
    const handle = await runtime.start(workerOf({ maxTotalTokens: 1_000 }), { input: 'go' })
    await waitOf(handle)
    const { item } = await handle.message('wait, one thing')
    expect(await within(handle.settled())).toMatchObject({ status: 'waiting' })
    expect(await handle.receipt(item)).toMatchObject({ state: 'queued' })
    await handle.cancel({ reason: 'enough' })
    expect(await within(handle.settled())).toMatchObject({ status: 'cancelled' })
    expect(await handle.receipt(item)).toMatchObject({ state: 'returned' })
    expect((await runtime.waits({ thread: handle.id })).items).toEqual([])
  })

  test('holds in every process and attempt: the reserve of a call that is lost counts', async () => {
    const store = memoryStore()
    const never = latch()
    const hanging = recordingModel(async () => {
      await never.opened
      return { text: 'late' }
    })
    const dying = runtimeOf(store, { models: { main: hanging } })
    const agent = agentOf({ model: { ref: 'main', settings: { maxOutputTokens: 100 } }, budget: { maxTotalTokens: 180 } })
    const { id } = await dying.start(agent, { input: 'go' })
    await until(() => hanging.prompts.length === 1)
    const model = recordingModel(() => ({ text: 'done', usage: USAGE }))
    const heir = runtimeOf(store, { models: { main: model } }).thread(id)
    await heir.resume({ takeover: true })
    expect(await waitOf(heir)).toMatchObject({ subject: { reason: 'tokens' } })
    const [started] = await factsOfType(heir, 'turn.started')
    expect((await heir.budget())?.used.tokens).toBe(started?.reservedTokens)
    expect(model.prompts).toHaveLength(0)
    never.open()
  })
})

describe('a provider that reports no usage', () => {
  const called = [
    { type: 'tool-input-start', id: 'a', toolName: 'get' },
    { type: 'tool-input-delta', id: 'a', delta: '{}' },
    { type: 'tool-input-end', id: 'a' },
    { type: 'tool-call', toolCallId: 'a', toolName: 'get', input: '{}' }
  ] as const
  const said = [
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'x'.repeat(4_000) },
    { type: 'text-end', id: '0' }
  ] as const
  const silent = () =>
    streamingModel(({ answers }) => [
      ...(answers > 0 ? said : called),
      {
        type: 'finish',
        finishReason: { unified: answers === 0 ? 'tool-calls' : 'stop', raw: undefined },
        usage: {
          inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: undefined, text: undefined, reasoning: undefined }
        }
      }
    ])

  test('is an error before the second call under a budget, until a person sets the budget again', async () => {
    // B017
    const model = silent()
    const handle = await runtimeFor(model, { tools: [get()] }).start(workerOf({ maxTotalTokens: 100_000 }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'failed', error: { code: 'usage_missing' } })
    expect(model.prompts).toHaveLength(1)
    await handle.retry()
    expect(await within(handle.settled())).toMatchObject({ status: 'failed', error: { code: 'usage_missing' } })
    expect(model.prompts).toHaveLength(1)
    const { item } = await handle.extendBudget({ maxTotalTokens: 100_000 })
    await handle.receipt(item, { wait: true })
    await handle.retry()
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
    const status = await handle.budget()
    expect(status?.used.tokens).toBeGreaterThan(1_000)
  })

  test('is none without a budget of tokens or cost', async () => {
    const handle = await runtimeFor(silent(), { tools: [get()] }).start(workerOf({ maxToolCalls: 5 }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', usage: { estimated: true } })
  })
})

describe('a budget is refused', () => {
  // B108
  const WRONG: readonly unknown[] = [
    { maxTotalTokens: 0 },
    { maxTotalTokens: -0 },
    { maxTotalTokens: 1.5 },
    { maxTotalTokens: '5' },
    { maxCost: 'free' },
    { maxCost: 0 },
    { maxCost: Number.NaN },
    { maxCost: Number.POSITIVE_INFINITY },
    { maxDurationMs: '5m' },
    { maxToolCalls: -1 },
    { hard: 'yes' },
    { tokens: 5 },
    [],
    null,
    'free'
  ]

  test.each(WRONG)('that says %j', async (budget) => {
    const runtime = runtimeFor(busy(0))
    const given = budget as Budget
    await expect(runtime.publish(agentOf({ budget: given }))).rejects.toMatchObject({ code: 'invalid_manifest' })
    if (budget !== null)
      await expect(runtime.start(agentOf(), { input: 'go', budget: given })).rejects.toMatchObject({ code: 'invalid_input' })
    const handle = await runtime.start(agentOf(), { input: 'go' })
    await expect(handle.extendBudget(given)).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(runtime.decide('thr_x:w', { decision: 'extend', budget: given })).resolves.toMatchObject({ state: 'unknown' })
  })

  test('by whoever may not decide', async () => {
    // I12
    const store = memoryStore()
    const model = busy(3)
    const runtime = runtimeOf(store, { models: { main: model }, tools: [get()] })
    const handle = await runtime.start(workerOf({ maxTotalTokens: 1_000 }), { input: 'go' })
    const wait = await waitOf(handle)
    const agent = runtimeOf(store, { models: { main: model }, principal: { kind: 'agent', id: 'thr_2' }, concurrency: 0 })
    const clerk = runtimeOf(store, { models: { main: model }, mayDecide: ({ kind }) => kind !== 'budget', concurrency: 0 })
    for (const other of [agent, clerk]) {
      await expect(other.thread(handle.id).extendBudget({ maxTotalTokens: 5_000 })).rejects.toMatchObject({ code: 'forbidden' })
      const decision = { decision: 'extend', budget: { maxTotalTokens: 5_000 } } as const
      await expect(other.decide(wait?.id ?? '', decision)).rejects.toMatchObject({ code: 'forbidden' })
    }
    expect(model.prompts).toHaveLength(1)
  })
})
