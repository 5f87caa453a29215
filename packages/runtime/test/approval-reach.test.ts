// What an approval does not reach: what more people must approve, what is asked for today, and another tool of the same name.
import { describe, expect, test } from 'vitest'
import type { ApprovalFunction } from '../src/contracts/tool.ts'
import type { Tool } from '../src/contracts/tool.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import type { Ledger } from './approval-kit.ts'
import { agent, caller, pay, runtimeOf } from './approval-kit.ts'
import { agentOf, factsOf, latch, recordingModel, toolOf, until, userTexts, within } from './runtime-kit.ts'

const ann = { kind: 'person', id: 'ann' } as const
const bob = { kind: 'person', id: 'bob' } as const

/** Small amounts need one person, large ones two. */
const byAmount = (({ amount }: { readonly amount: number }) => (amount > 100 ? { quorum: 2 } : true)) as ApprovalFunction<never>

// I6, I8
describe('an approval by fewer people than a call needs', () => {
  test('that was remembered does not let it run', async () => {
    const ledger: Ledger = { ran: [] }
    const model = recordingModel(({ answers }) =>
      answers < 2 ? { toolCalls: [{ name: 'pay', arguments: { amount: answers === 0 ? 5 : 5_000 } }] } : { text: 'done' }
    )
    const store = memoryStore()
    const options = { tools: [pay(ledger, { approval: byAmount })], models: { main: model } }
    const runtime = runtimeOf(store, { ...options, principal: ann })
    const run = await runtime.start(agent('pay'), { input: 'go' })
    await runtime.approve((await within(run.settled())).waits[0]?.id ?? '', { remember: 'thread' })
    const { waits } = await within(run.settled())
    expect(waits).toMatchObject([{ needed: 2, subject: { arguments: { amount: 5_000 } } }])
    expect(await runtime.approve(waits[0]?.id ?? '', { remember: 'thread' })).toMatchObject({ state: 'counted' })
    expect(ledger.ran).toHaveLength(1)
    const other = runtimeOf(store, { ...options, concurrency: 0, principal: bob })
    expect(await other.approve(waits[0]?.id ?? '', { remember: 'thread' })).toMatchObject({ state: 'accepted' })
    await run.resume()
    expect((await within(run.settled())).status).toBe('completed')
    expect((await factsOf(run)).filter((fact) => fact.type === 'approval.remembered').map(({ rule }) => rule.needed ?? 1)).toEqual([1, 2])
  })

  test('that edited it into one does not let it run', async () => {
    const ledger: Ledger = { ran: [] }
    const runtime = runtimeOf(memoryStore(), {
      tools: [pay(ledger, { approval: byAmount })],
      models: { main: caller({ name: 'pay', arguments: { amount: 5 } }) }
    })
    const run = await runtime.start(agent('pay'), { input: 'go' })
    await runtime.approve((await within(run.settled())).waits[0]?.id ?? '', { arguments: { amount: 5_000 } })
    expect((await within(run.settled())).waits).toMatchObject([{ needed: 2, subject: { arguments: { amount: 5_000 }, changed: true } }])
    expect(ledger.ran).toEqual([])
  })

  test('does not do where its tool has come to need more', async () => {
    const ledger: Ledger = { ran: [] }
    const store = memoryStore()
    const models = { main: caller({ name: 'pay', arguments: { amount: 5 } }) }
    const one = runtimeOf(store, { tools: [pay(ledger)], models })
    const run = await one.start(agent('pay'), { input: 'go' })
    const id = (await within(run.settled())).waits[0]?.id ?? ''
    await one.close()
    const two = runtimeOf(store, { tools: [pay(ledger, { approval: { quorum: 2 } })], models })
    await two.approve(id)
    expect((await within(two.thread(run.thread).settled())).waits).toMatchObject([{ needed: 2 }])
    expect(ledger.ran).toEqual([])
  })
})

// I8
describe('a tool that asks for an approval of every call', () => {
  test.each([
    { before: 'did not', approval: false },
    { before: 'said so of some', approval: (() => false) as ApprovalFunction<never> }
  ])('is asked about in threads that were made when it $before', async ({ approval }) => {
    const ledger: Ledger = { ran: [] }
    const store = memoryStore()
    const model = recordingModel(({ prompt, answers }) => {
      if (userTexts(prompt).at(-1) === 'go') return { text: 'ok' }
      return answers === 1 ? { toolCalls: [{ name: 'pay', arguments: { amount: 5 } }] } : { text: 'done' }
    })
    const one = runtimeOf(store, { tools: [pay(ledger, { approval })], models: { main: model } })
    const run = await one.start(agent('pay'), { input: 'go' })
    await within(run.settled())
    await one.close()
    const two = runtimeOf(store, { tools: [pay(ledger, { approval: true })], models: { main: model } })
    const thread = two.thread(run.thread)
    await thread.message('pay')
    expect((await within(thread.settled())).waits).toMatchObject([{ kind: 'approval', subject: { asks: ['tool'] } }])
    expect(ledger.ran).toEqual([])
  })

  test('needs as many people as its code says, whatever the definition asks for', async () => {
    const runtime = runtimeOf(memoryStore(), {
      tools: [pay({ ran: [] }, { approval: byAmount })],
      models: { main: caller({ name: 'pay', arguments: { amount: 5_000 } }) }
    })
    const run = await runtime.start(agentOf({ tools: [{ ref: 'pay', approval: true }] }), { input: 'go' })
    expect((await within(run.settled())).waits).toMatchObject([{ needed: 2 }])
  })
})

// I6
test('a call that was approved and not begun does not run with another version of its tool', async () => {
  const ledger: Ledger = { ran: [] }
  const store = memoryStore()
  const work = latch<void>()
  const busy = toolOf('busy', () => work.opened, { parallelSafe: false, effect: 'read' })
  const models = { main: caller({ name: 'busy', arguments: {} }, { name: 'pay', arguments: { amount: 5 } }) }
  const version = (text: string): Tool<never> => ({ ...pay(ledger), version: text }) as Tool<never>
  const one = runtimeOf(store, { tools: [busy, version('1')], models })
  const run = await one.start(agent('busy', 'pay'), { input: 'go' })
  await until(async () => (await one.waits()).items.length === 1)
  await one.approve((await one.waits()).items[0]?.id ?? '')
  await until(async () => (await factsOf(run)).filter((fact) => fact.type === 'call.gated').length === 3)
  await one.close({ graceMs: 0 })
  work.open()
  const two = runtimeOf(store, { tools: [busy, version('2')], models })
  await two.thread(run.thread).resume()
  expect((await within(two.thread(run.thread).settled())).status).toBe('completed')
  expect(ledger.ran).toEqual([])
  const settled = (await factsOf(run)).filter((fact) => fact.type === 'call.settled')
  expect(settled.map(({ outcome }) => outcome)).toEqual(['ok', 'error'])
})

// I5, I6
test('a call that was approved and is lost is not repeated with another version of its tool', async () => {
  const store = memoryStore()
  const keys: string[] = []
  const begun = latch<void>()
  const version = (text: string, execute: Tool['execute']): Tool<never> =>
    ({ ...toolOf('put', execute, { effect: 'idempotent', approval: true }), version: text }) as Tool<never>
  const hang: Tool['execute'] = (_, { idempotencyKey }) => {
    keys.push(idempotencyKey)
    begun.open()
    return new Promise(() => {})
  }
  const models = { main: caller({ name: 'put', arguments: {} }) }
  const one = runtimeOf(store, { tools: [version('1', hang)], models })
  const run = await one.start(agent('put'), { input: 'go' })
  await one.approve((await within(run.settled())).waits[0]?.id ?? '')
  await within(begun.opened)
  await one.close({ graceMs: 0 })
  const two = runtimeOf(store, { tools: [version('2', (_, { idempotencyKey }) => void keys.push(idempotencyKey))], models })
  await two.thread(run.thread).resume()
  expect((await within(two.thread(run.thread).settled())).status).toBe('completed')
  expect(keys).toHaveLength(1)
  const settled = (await factsOf(run)).filter((fact) => fact.type === 'call.settled')
  expect(settled.map(({ outcome }) => outcome)).toEqual(['unknown'])
})

// I6
test('an approval of another version of a tool is not remembered for the one that the thread began with', async () => {
  const ledger: Ledger = { ran: [] }
  const store = memoryStore()
  const model = recordingModel(({ prompt }) =>
    prompt.at(-1)?.role === 'user' ? { toolCalls: [{ name: 'pay', arguments: { amount: 5 } }] } : { text: 'done' }
  )
  const version = (text: string): Tool<never> => ({ ...pay(ledger), version: text }) as Tool<never>
  const one = runtimeOf(store, { tools: [version('1')], models: { main: model } })
  const run = await one.start(agent('pay'), { input: 'go' })
  await within(run.settled())
  await one.close()
  const two = runtimeOf(store, { tools: [version('2')], models: { main: model } })
  const thread = two.thread(run.thread)
  for (let result = await within(thread.settled()); result.status === 'waiting'; result = await within(thread.settled()))
    await two.approve(result.waits[0]?.id ?? '', { remember: 'thread' })
  await thread.message('again')
  await two.approve((await within(thread.settled())).waits[0]?.id ?? '', { remember: 'thread' })
  await within(thread.settled())
  await two.close()
  const three = runtimeOf(store, { tools: [version('1')], models: { main: model } })
  await three.thread(run.thread).message('and again')
  // The first approval was of what this is: only what that one showed is covered.
  const shown = (await factsOf(run)).filter((fact) => fact.type === 'approval.remembered')
  expect(shown.map(({ rule }) => rule.tool)).toEqual(['host:pay@1'])
  expect((await within(three.thread(run.thread).settled())).status).toBe('completed')
})
