import { describe, expect, onTestFinished, test } from 'vitest'
import { createRuntime } from '../src/runtime.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import type { Ledger } from './approval-kit.ts'
import { agent, caller, leftHeld, look, pay, paying, runtimeOf } from './approval-kit.ts'
import { factsOf, folder, recordingModel, resultsIn, runThrough, within } from './runtime-kit.ts'

describe('a call that is held', () => {
  test('runs after an approval in another process, exactly as it was shown, and once', async () => {
    const ledger: Ledger = { ran: [] }
    const path = `${await folder()}/holdfast.db`
    const model = caller({ name: 'pay', arguments: { amount: 12 } }, { name: 'look', arguments: {} })
    const first = await sqliteStore(path, { durability: 'process' })
    const one = createRuntime({ store: first, tools: [pay(ledger), look], models: { main: model } })
    const run = await one.start(agent('pay', 'look'), { input: 'go' })
    const held = await within(run.settled())
    expect(held.status).toBe('waiting')
    expect(held.waits).toMatchObject([
      { kind: 'approval', subject: { tool: 'pay', arguments: { amount: 12 }, effect: 'once', asks: ['tool'] } }
    ])
    // The other call of the turn has run meanwhile.
    expect((await factsOf(run)).filter((fact) => fact.type === 'call.settled')).toHaveLength(1)
    await one.close()
    await first[Symbol.asyncDispose]()

    const second = await sqliteStore(path, { durability: 'process' })
    onTestFinished(() => second[Symbol.asyncDispose]())
    const two = runtimeOf(second, { tools: [pay(ledger), look], models: { main: model }, principal: { kind: 'person', id: 'ann' } })
    const [wait] = (await two.waits()).items
    expect(await two.approve(wait?.id ?? '', { note: 'fine' })).toMatchObject({ state: 'accepted' })
    expect((await within(two.thread(run.thread).settled())).status).toBe('completed')
    expect(ledger.ran).toMatchObject([{ input: { amount: 12 } }])
    expect(await two.approve(wait?.id ?? '', { note: 'fine' })).toMatchObject({ state: 'repeated' })
    expect(await two.deny(wait?.id ?? '')).toMatchObject({ state: 'conflict', recorded: { decision: 'approve' } })
    expect((await factsOf(two.thread(run.thread))).find((fact) => fact.type === 'wait.resolved')).toMatchObject({
      as: 'decided',
      by: { kind: 'person', id: 'ann' }
    })
  })

  test.each(['pending', 'waits'] as const)('is not taken to wait by who looks while another process goes on with it: %s', async (read) => {
    const ledger: Ledger = { ran: [] }
    const store = memoryStore()
    const { thread, wait } = await leftHeld(store, ledger)
    const driver = runtimeOf(store, paying(ledger))
    const approve = () => store.decide(wait, { decision: 'approve' }, { kind: 'person', id: 'ann' })
    // Between two reads of one look the other process takes the decision, and ends the run.
    const between = async (...asked: unknown[]): Promise<unknown> => {
      await approve()
      await driver.thread(thread).resume()
      await within(driver.thread(thread).settled())
      return (store[read] as (...asked: unknown[]) => Promise<unknown>)(...asked)
    }
    const reader = runtimeOf({ ...store, [read]: between }, { concurrency: 0 })
    if (read === 'pending') await approve()
    expect(await within(reader.thread(thread).settled())).toMatchObject({ status: 'completed', waits: [] })
    expect(ledger.ran).toHaveLength(1)
  })

  test('is settled with the reason of the person who refuses it, and never runs', async () => {
    const ledger: Ledger = { ran: [] }
    const model = caller({ name: 'pay', arguments: { amount: 12 } })
    const runtime = runtimeOf(memoryStore(), { tools: [pay(ledger)], models: { main: model } })
    const run = await runtime.start(agent('pay'), { input: 'go' })
    const { waits } = await within(run.settled())
    expect(await runtime.deny(waits[0]?.id ?? '', { reason: 'not this month' })).toMatchObject({ state: 'accepted' })
    expect((await within(run.settled())).status).toBe('completed')
    expect(ledger.ran).toEqual([])
    expect([...resultsIn(model.prompts[1]).values()]).toEqual([
      { type: 'error-text', value: 'Not run. A person refused this call: not this month' }
    ])
  })

  // B037
  test.each([
    { reason: undefined, told: '.' },
    { reason: '  ', told: '.' },
    { reason: 'use the test account "\u00e4" <b>', told: ': use the test account "\u00e4" <b>' },
    { reason: 'x'.repeat(100_000), told: `: ${'x'.repeat(1_900)}` }
  ])('tells its model of a refusal that it is one, and not whose', async ({ reason, told }) => {
    const model = caller({ name: 'pay', arguments: { amount: 12 } })
    const options = { tools: [pay({ ran: [] })], models: { main: model }, principal: { kind: 'person', id: 'ann' } as const }
    const runtime = runtimeOf(memoryStore(), options)
    const run = await runtime.start(agent('pay'), { input: 'go' })
    await runtime.deny((await within(run.settled())).waits[0]?.id ?? '', reason === undefined ? {} : { reason })
    await within(run.settled())
    const [shown] = [...resultsIn(model.prompts[1]).values()]
    expect(String(shown?.value).slice(0, 2_000)).toContain(`Not run. A person refused this call${told}`)
    expect(String(shown?.value).length).toBeLessThan(2_100)
    expect(JSON.stringify(model.prompts)).not.toContain('ann')
  })

  // B030
  test('waits by itself beside others with the same arguments, and what was free does not wait for it', async () => {
    const ledger: Ledger = { ran: [] }
    const path = `${await folder()}/holdfast.db`
    const store = await sqliteStore(path, { durability: 'process' })
    onTestFinished(() => store[Symbol.asyncDispose]())
    const model = caller(
      { name: 'pay', arguments: { amount: 7 } },
      { name: 'look', arguments: {} },
      { name: 'pay', arguments: { amount: 7 } },
      { name: 'pay', arguments: { amount: 9 } }
    )
    const runtime = runtimeOf(store, { tools: [pay(ledger), look], models: { main: model } })
    const run = await runtime.start(agent('pay', 'look'), { input: 'go' })
    const [a, c, d] = (await within(run.settled())).waits.map(({ id }) => id).toSorted()
    expect((await factsOf(run)).flatMap((fact) => (fact.type === 'call.settled' ? [fact.call.at(-1)] : []))).toEqual(['1'])
    for (const decide of [
      () => runtime.approve(d ?? ''),
      () => runtime.deny(c ?? '', { reason: 'wrong file' }),
      () => runtime.approve(a ?? '')
    ]) {
      // Nobody asks the model before the last of them.
      expect(model.prompts).toHaveLength(1)
      expect(await decide()).toMatchObject({ state: 'accepted' })
      await within(run.settled())
    }
    expect(ledger.ran.map(({ input, key }) => [input, key.at(-1)])).toEqual([
      [{ amount: 9 }, '3'],
      [{ amount: 7 }, '0']
    ])
    expect(model.prompts).toHaveLength(2)
    expect([...resultsIn(model.prompts[1]).values()].map(({ value }) => value)).toEqual([
      'paid {"amount":7}',
      'seen',
      'Not run. A person refused this call: wrong file',
      'paid {"amount":9}'
    ])
  })

  test('is looked at again by the rules of the day on which it is approved', async () => {
    const ledger: Ledger = { ran: [] }
    const store = memoryStore()
    const { thread, wait } = await leftHeld(store, ledger)
    const strict = runtimeOf(store, {
      ...paying(ledger),
      permissions: [{ effect: 'deny', tool: 'pay', when: { path: 'amount', gt: 10 } }]
    })
    await strict.approve(wait)
    expect((await within(strict.thread(thread).settled())).status).toBe('completed')
    expect(ledger.ran).toEqual([])
    expect((await factsOf(strict.thread(thread))).find((fact) => fact.type === 'call.settled')).toMatchObject({ outcome: 'blocked' })
  })

  test('is held once more, saying what is new, when somebody else asks by then', async () => {
    const ledger: Ledger = { ran: [] }
    const store = memoryStore()
    const { thread, wait } = await leftHeld(store, ledger)
    const two = runtimeOf(store, { ...paying(ledger), permissions: [{ effect: 'ask', tool: '*' }] })
    await two.approve(wait)
    const { waits } = await within(two.thread(thread).settled())
    expect(waits).toMatchObject([{ subject: { asks: [expect.stringMatching(/^rule:host:/)], answered: ['tool'] } }])
    expect(waits[0]?.id).not.toBe(wait)
    expect(ledger.ran).toEqual([])
    await two.approve(waits[0]?.id ?? '')
    expect((await within(two.thread(thread).settled())).status).toBe('completed')
    expect(ledger.ran).toHaveLength(1)
  })

  // I6
  test('is held once more when its tool has become another one', async () => {
    const ledger: Ledger = { ran: [] }
    const store = memoryStore()
    const { thread, wait } = await leftHeld(store, ledger)
    const two = runtimeOf(store, { ...paying(ledger), tools: [{ ...pay(ledger), version: 'in euros' }] })
    await two.approve(wait, { remember: 'thread' })
    const { waits } = await within(two.thread(thread).settled())
    expect(waits).toMatchObject([{ subject: { arguments: { amount: 12 }, asks: ['tool', 'changed'] } }])
    expect(ledger.ran).toEqual([])
    await two.approve(waits[0]?.id ?? '')
    expect((await within(two.thread(thread).settled())).status).toBe('completed')
    expect(ledger.ran).toHaveLength(1)
  })

  test('expires by the clock of the store, is told so, and is never approved by silence', async () => {
    const clock = fakeClock()
    const ledger: Ledger = { ran: [] }
    const model = caller({ name: 'pay', arguments: { amount: 12 } })
    const tools = [pay(ledger, { approval: { expiresInMs: 60_000 } })]
    const runtime = runtimeOf(memoryStore({ clock }), { clock, tools, models: { main: model } })
    const run = await runtime.start(agent('pay'), { input: 'go' })
    const { waits } = await within(run.settled())
    await clock.advance(60_001)
    expect(await runtime.approve(waits[0]?.id ?? '')).toMatchObject({ state: expect.stringMatching(/expired|closed/) })
    expect((await within(run.settled())).status).toBe('completed')
    expect(ledger.ran).toEqual([])
    expect((await factsOf(run)).find((fact) => fact.type === 'call.settled')).toMatchObject({ outcome: 'expired' })
  })

  test('needs as many people as its tool says', async () => {
    const ledger: Ledger = { ran: [] }
    const store = memoryStore()
    const options = {
      tools: [pay(ledger, { approval: { quorum: 2 } })],
      models: { main: caller({ name: 'pay', arguments: { amount: 12 } }) }
    }
    const ann = runtimeOf(store, { ...options, principal: { kind: 'person', id: 'ann' } })
    const bob = runtimeOf(store, { ...options, concurrency: 0, principal: { kind: 'person', id: 'bob' } })
    const run = await ann.start(agent('pay'), { input: 'go' })
    const id = (await within(run.settled())).waits[0]?.id ?? ''
    // I1
    expect((await run.verify()).problems).toEqual([])
    expect(await ann.approve(id)).toMatchObject({ state: 'counted' })
    expect(await ann.approve(id)).toMatchObject({ state: 'repeated' })
    expect(await bob.approve(id, { note: 'me too' })).toMatchObject({ state: 'accepted' })
    await ann.thread(run.thread).resume()
    expect((await within(run.settled())).status).toBe('completed')
    expect(ledger.ran).toHaveLength(1)
  })

  // I9
  test.each([
    {
      name: 'throws',
      approval: () => {
        throw new Error('no idea')
      }
    },
    {
      name: 'rejects',
      approval: async () => {
        throw new Error('no idea')
      }
    },
    { name: 'says what is none', approval: () => 'yes' as never },
    { name: 'never says anything', approval: () => new Promise<never>(() => {}) }
  ])('is blocked as a fault when its tool $name', async ({ approval }) => {
    const clock = fakeClock()
    const ledger: Ledger = { ran: [] }
    const model = caller({ name: 'pay', arguments: { amount: 12 } })
    const runtime = runtimeOf(memoryStore({ clock }), { clock, tools: [pay(ledger, { approval })], models: { main: model } })
    const run = await runtime.start(agent('pay'), { input: 'go' })
    expect((await runThrough(clock, run.settled())).status).toBe('completed')
    expect(ledger.ran).toEqual([])
    expect((await factsOf(run)).find((fact) => fact.type === 'call.gated')).toMatchObject({ verdict: 'block', by: 'fault' })
  })
})

describe('an approval that is remembered', () => {
  const often = () =>
    recordingModel(({ answers }) =>
      answers < 3 ? { toolCalls: [{ name: 'pay', arguments: { amount: answers < 2 ? 5 : 6 } }] } : { text: 'done' }
    )

  test.each([
    { remember: 'thread', waits: 1 },
    { remember: 'run', waits: 1 },
    { remember: 'arguments', waits: 2 },
    { remember: undefined, waits: 3 }
  ] as const)('for $remember lets later calls run without asking', async ({ remember, waits }) => {
    const ledger: Ledger = { ran: [] }
    const runtime = runtimeOf(memoryStore(), { tools: [pay(ledger)], models: { main: often() } })
    const run = await runtime.start(agent('pay'), { input: 'go' })
    let asked = 0
    for (let result = await within(run.settled()); result.status === 'waiting'; result = await within(run.settled())) {
      asked += 1
      await runtime.approve(result.waits[0]?.id ?? '', remember === undefined ? {} : { remember })
    }
    expect(asked).toBe(waits)
    expect(ledger.ran).toHaveLength(3)
  })

  test('for a run is over with it', async () => {
    const ledger: Ledger = { ran: [] }
    const model = recordingModel(({ prompt }) =>
      prompt.at(-1)?.role === 'user' ? { toolCalls: [{ name: 'pay', arguments: { amount: 5 } }] } : { text: 'done' }
    )
    const runtime = runtimeOf(memoryStore(), { tools: [pay(ledger)], models: { main: model } })
    const run = await runtime.start(agent('pay'), { input: 'go' })
    await runtime.approve((await within(run.settled())).waits[0]?.id ?? '', { remember: 'run' })
    expect((await within(run.settled())).status).toBe('completed')
    await run.message('again')
    expect((await within(run.settled())).status).toBe('waiting')
  })

  // I8
  test('covers nobody who did not ask then', async () => {
    const ledger: Ledger = { ran: [] }
    const store = memoryStore()
    const model = recordingModel(({ prompt }) =>
      prompt.at(-1)?.role === 'user' ? { toolCalls: [{ name: 'pay', arguments: { amount: 5 } }] } : { text: 'done' }
    )
    const one = createRuntime({ store, tools: [pay(ledger)], models: { main: model } })
    const run = await one.start(agent('pay'), { input: 'go' })
    await one.approve((await within(run.settled())).waits[0]?.id ?? '', { remember: 'thread' })
    await within(run.settled())
    await one.close()
    const two = runtimeOf(store, { tools: [pay(ledger)], models: { main: model }, permissions: [{ effect: 'ask', tool: 'pay' }] })
    await two.thread(run.thread).message('again')
    expect((await within(two.thread(run.thread).settled())).status).toBe('waiting')
    expect(ledger.ran).toHaveLength(1)
  })
})
