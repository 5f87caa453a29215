import { describe, expect, test } from 'vitest'
import { createSecretRegistry } from '../src/secrets.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { faultyStore } from '../src/testing/faulty-store.ts'
import { paidThread, paying, till } from './fork-kit.ts'
import { agentOf, factsOf, factsOfType, outcomesOf, recordingModel, resultsIn, runtimeFor, until } from './runtime-kit.ts'

describe('what is changed', () => {
  test('a result: the model is shown the given one, and the log keeps both', async () => {
    const { keys, runtime, run, model } = await paidThread()
    const [call] = await factsOfType(run, 'call.settled')
    const fork = await runtime.fork(run.thread, { change: { callResult: { call: call?.call ?? '', result: { error: 'no money' } } } })
    expect((await fork.settled()).text).toContain('no money')
    expect([...resultsIn(model.prompts.at(-1)).values()]).toEqual([{ type: 'error-text', value: 'no money' }])
    expect(await factsOfType(fork, 'thread.forked')).toMatchObject([{ results: [{ call: call?.call, result: { error: 'no money' } }] }])
    expect(await factsOfType(fork, 'call.settled')).toEqual([call])
    expect(keys).toHaveLength(1)
    expect((await fork.prompt(2, { try: 1 })).request.prompt).toEqual((await run.prompt(2)).request.prompt)
    expect((await fork.prompt(2)).request.prompt).toEqual(model.prompts.at(-1))
  })

  test('a result of an open call ends it', async () => {
    const { keys, runtime, run } = await paidThread()
    const started = (await run.log()).find(({ facts }) => facts.some((fact) => fact.type === 'call.started'))
    const [call] = await factsOfType(run, 'call.settled')
    const given = { call: call?.call ?? '', result: { value: { paid: 7 } } }
    const fork = await runtime.fork(run.thread, { at: started?.sequence ?? 0, change: { callResult: [given] } })
    expect((await fork.settled()).text).toContain('7')
    expect(await outcomesOf(fork)).toEqual(['ok'])
    expect(keys).toHaveLength(1)
  })

  test.each([
    ['that the model has answered to', { at: 5 }],
    ['of no call', { call: 'run_x//1.0' }],
    ['of no shape', { result: { value: 1, error: 'x' } }]
  ])('a result %s is refused', async (_what, { at, call, result: given }: { at?: number; call?: string; result?: unknown }) => {
    const { runtime, run } = await paidThread()
    const [settled] = await factsOfType(run, 'call.settled')
    const head = (await run.info()).head
    const callResult = { call: call ?? settled?.call ?? '', result: (given ?? { value: 1 }) as { value: number } }
    await expect(runtime.fork(run.thread, { ...(at === undefined ? {} : { at: head }), change: { callResult } })).rejects.toMatchObject({
      code: 'invalid_input'
    })
    expect((await runtime.threads()).items).toHaveLength(1)
  })

  test('the model: the next turn asks it, and the past keeps the one that it had', async () => {
    const first = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'pay' }] } : { text: 'first' }))
    const second = recordingModel(() => ({ text: 'second' }))
    const { tool } = till()
    const runtime = runtimeFor(first, { tools: [tool], models: { main: first, second } })
    const run = await runtime.start(agentOf({ tools: ['pay'] }), { input: 'pay' })
    await run.settled()
    const fork = await runtime.fork(run.thread, { at: { turn: 2 }, change: { model: { ref: 'second' } } })
    expect(await fork.settled()).toMatchObject({ text: 'second', run: run.run })
    expect((await factsOfType(fork, 'turn.started')).map(({ model }) => model)).toEqual(['main', 'main', 'second'])
    expect(second.prompts).toEqual([first.prompts.at(-1)])
    await expect(runtime.fork(run.thread, { change: { model: { ref: '' } } })).rejects.toMatchObject({ code: 'invalid_manifest' })
    await expect(runtime.fork(run.thread, { change: { publication: `sha256:${'0'.repeat(64)}` } })).rejects.toMatchObject({
      code: 'publication_missing'
    })
  })

  test('a secret in a message or a result is not kept', async () => {
    const secrets = createSecretRegistry()
    secrets.add('KEY', 'very-secret-value')
    const { runtime, run } = await paidThread({ secrets })
    const [call] = await factsOfType(run, 'call.settled')
    const fork = await runtime.fork(run.thread, {
      change: { message: 'use very-secret-value', callResult: { call: call?.call ?? '', result: { value: 'very-secret-value' } } }
    })
    expect(fork.redacted).toEqual(['KEY'])
    await fork.settled()
    expect(JSON.stringify(await factsOf(fork))).not.toContain('very-secret-value')
  })
})

describe('what a fork costs', () => {
  test('counts from the fork on, so that the sums of both threads are what was spent', async () => {
    const { runtime, run } = await paidThread({ prices: { main: { input: 1, output: 1 } } })
    const source = await run.info()
    const idle = await runtime.fork(run.thread)
    expect((await idle.info()).row).toMatchObject({ usage: { inputTokens: 0, outputTokens: 0 }, cost: 0, status: 'completed' })
    expect((await idle.runs()).map(({ cost }) => cost)).toEqual([0])
    const fork = await runtime.fork(run.thread, { at: { turn: 2 } })
    await fork.settled()
    const [again] = (await factsOfType(fork, 'model.responded')).slice(-1)
    const { row } = await fork.info()
    expect(row.usage).toEqual(again?.usage)
    expect(row.runUsage).toEqual(again?.usage)
    expect(source.row.usage.inputTokens).toBeGreaterThan(row.usage.inputTokens)
  })

  test('gives a run its time anew', async () => {
    const clock = fakeClock()
    const model = paying()
    const { tool } = till()
    const runtime = runtimeFor(model, { clock, tools: [tool] })
    const run = await runtime.start(agentOf({ tools: ['pay'], limits: { runTimeoutMs: 60_000 } }), { input: 'pay' })
    const settled = run.settled()
    await until(async () => {
      await clock.advance(100)
      return (await run.info()).row.status === 'completed'
    })
    await settled
    await clock.advance(120_000)
    const fork = await runtime.fork(run.thread, { at: { turn: 2 } })
    await until(async () => {
      await clock.advance(100)
      return (await fork.info()).row.status !== 'running'
    })
    expect((await fork.info()).row.status).toBe('completed')
    const [forked] = (await fork.log(fork.at + 1)).map(({ at }) => at)
    expect(forked).toBeGreaterThanOrEqual((await run.info()).at + 120_000)
  })
})

// One transaction: the store's failure before or after it leaves no thread or the whole one, and the same key finds it.
test.each(['before', 'after'] as const)('a store that fails %s a fork leaves nothing half', async (when) => {
  let failing = 0
  const store = faultyStore(memoryStore(), { fail: ({ method }) => (method === 'import' && failing++ === 0 ? when : null) })
  const { runtime, run } = await paidThread({ store })
  const options = { change: { message: 'more' }, idempotencyKey: 'k' }
  await expect(runtime.fork(run.thread, options)).rejects.toMatchObject({ code: 'store_unavailable' })
  const made = (await runtime.threads()).items.filter(({ id }) => id !== run.thread)
  expect(made).toHaveLength(when === 'before' ? 0 : 1)
  const fork = await runtime.fork(run.thread, options)
  expect(fork.created).toBe(when === 'before')
  expect(await fork.settled()).toMatchObject({ status: 'completed' })
  expect((await fork.verify()).problems).toEqual([])
})

test('sinks hear of a fork', async () => {
  const heard: string[] = []
  const sink = {
    name: 'test',
    batchMs: 1,
    write: (events: readonly { readonly type: string }[]) => void heard.push(...events.map((e) => e.type))
  }
  const { runtime, run } = await paidThread({ sinks: [sink] })
  const fork = await runtime.fork(run.thread)
  await fork.settled()
  await runtime.close()
  expect(heard.filter((type) => type === 'thread.forked')).toHaveLength(1)
})
