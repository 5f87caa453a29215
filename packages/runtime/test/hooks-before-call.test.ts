import { describe, expect, test } from 'vitest'
import type { BeforeToolCall, Hook, HookedCall } from '../src/contracts/hook.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { caller, runtimeOf } from './approval-kit.ts'
import { add, before, paid, paying, set } from './hook-kit.ts'
import { agentOf, factsOfType, latch, recordingModel, toolOf, until, within } from './runtime-kit.ts'

describe('a hook before a call', () => {
  test('that says nothing changes nothing, and leaves no trace', async () => {
    const seen: HookedCall[] = []
    const { ledger, records, run } = await paid({ hooks: [before('watch', (call) => void seen.push(call) as undefined)] })
    expect(ledger.ran).toMatchObject([{ input: { amount: 12 } }])
    expect(records).toEqual([])
    expect(seen).toMatchObject([{ tool: 'pay', identity: 'host:pay', effect: 'once', arguments: { amount: 12 } }])
    expect(seen[0]?.digest).toBe((await factsOfType(run, 'call.gated'))[0]?.digest)
  })

  test('changes the arguments, and what it changed stands in the commit of the verdict', async () => {
    const { ledger, gated, run } = await paid({ hooks: [before('cap', set(5))] })
    expect(ledger.ran).toMatchObject([{ input: { amount: 5 } }])
    expect(gated).toMatchObject({ verdict: 'run', arguments: { inline: { amount: 5 } } })
    const commit = (await run.log()).find(({ facts }) => facts.some((fact) => fact.type === 'call.gated'))
    expect(commit?.facts.map((fact) => fact.type)).toEqual(['hook.recorded', 'call.gated', 'call.started'])
    expect(commit?.facts[0]).toMatchObject({
      hook: 'cap',
      on: 'beforeToolCall',
      did: 'modify',
      call: gated?.call,
      overlay: { inline: { amount: 5 } }
    })
  })

  test('cannot change what it is shown', async () => {
    const vandal = before('vandal', (call) => {
      Object.assign(call.arguments, { amount: 1_000 })
      return undefined
    })
    expect((await paid({ hooks: [vandal] })).ledger.ran).toMatchObject([{ input: { amount: 12 } }])
  })

  test('runs around those that the definition names, in their order, and the host has the last word', async () => {
    const order: string[] = []
    const note = (name: string, act: NonNullable<Hook['beforeToolCall']> = () => undefined): Hook =>
      before(name, (call, context) => {
        order.push(`${name}:${String(call.arguments['amount'])}:${JSON.stringify(context.options ?? null)}`)
        return act(call, context)
      })
    const { ledger, records } = await paid({
      hooks: [
        note('h1'),
        note('h2', (call) => (Number(call.arguments['amount']) > 20 ? { do: 'modify', arguments: { amount: 20 } } : undefined))
      ],
      registered: [note('unused'), note('d2', add(100)), note('d1', add(1))],
      named: [{ name: 'd1', options: { tone: 'calm' } }, 'd2']
    })
    expect(order).toEqual(['h1:12:null', 'h2:12:null', 'd1:12:{"tone":"calm"}', 'd2:13:null', 'h1:113:null', 'h2:113:null'])
    expect(records).toEqual(['d1 modify', 'd2 modify', 'h2 modify'])
    expect(ledger.ran).toMatchObject([{ input: { amount: 20 } }])
  })

  test('blocks a call, and the model reads why', async () => {
    const { ledger, records, gated, told, result } = await paid({
      hooks: [before('no', () => ({ do: 'block', reason: 'not on a Sunday' }))]
    })
    expect(ledger.ran).toEqual([])
    expect(records).toEqual(['no block'])
    expect(gated).toMatchObject({ verdict: 'block', by: 'hook:no' })
    expect(told).toEqual([{ type: 'error-text', value: 'not on a Sunday' }])
    expect(result.status).toBe('completed')
  })

  test('responds in place of the tool, and hooks after it are not asked', async () => {
    const later: string[] = []
    const hooks = [
      before('cache', () => ({ do: 'respond', result: { id: 7 } })),
      before('later', () => {
        later.push('asked')
        return undefined
      })
    ]
    const { ledger, records, gated, told } = await paid({ hooks })
    expect({ ran: ledger.ran, later }).toEqual({ ran: [], later: [] })
    expect(records).toEqual(['cache respond'])
    expect(gated).toMatchObject({ verdict: 'respond', by: 'hook:cache' })
    expect(told).toEqual([{ type: 'json', value: { id: 7 } }])
  })
})

describe('a hook that requires an approval', () => {
  const careful = before('careful', () => ({ do: 'requireApproval', quorum: 1, expiresInMs: 60_000 }))

  test('holds the call, and is satisfied by the decision', async () => {
    const { ledger, run, runtime } = await paying({ hooks: [careful] })
    const { waits, status } = await within(run.settled())
    expect(status).toBe('waiting')
    expect(waits).toMatchObject([{ subject: { arguments: { amount: 12 }, asks: ['hook:careful'] } }])
    expect(waits[0]?.expiresAt).toBeTypeOf('number')
    await runtime.approve(waits[0]?.id ?? '')
    expect((await within(run.settled())).status).toBe('completed')
    expect(ledger.ran).toHaveLength(1)
    const gated = await factsOfType(run, 'call.gated')
    expect(gated.map(({ verdict, by }) => [verdict, by])).toEqual([
      ['hold', 'approval'],
      ['run', 'decision']
    ])
  })

  test('is never enough where a rule denies', async () => {
    const { gated, ledger } = await paid({ hooks: [careful], options: { permissions: [{ effect: 'deny', tool: 'pay' }] } })
    expect(gated).toMatchObject({ verdict: 'block', by: 'rule' })
    expect(ledger.ran).toEqual([])
  })

  test('asks anew when only a rule had asked before', async () => {
    const store = memoryStore()
    const one = await paying({ store, options: { permissions: [{ effect: 'ask', tool: 'pay' }] } })
    const [wait] = (await within(one.run.settled())).waits
    await one.runtime.close()
    const { runtime, ledger } = await paying({ store, hooks: [careful], options: { permissions: [{ effect: 'ask', tool: 'pay' }] } })
    await runtime.approve(wait?.id ?? '')
    const handle = runtime.thread(one.run.thread)
    await until(async () => (await handle.settled()).waits[0]?.id !== wait?.id)
    const { waits } = await within(handle.settled())
    expect(waits).toMatchObject([{ subject: { asks: ['hook:careful'] } }])
    await runtime.approve(waits[0]?.id ?? '')
    await until(() => ledger.ran.length === 1)
  })
})

describe('after an approval a hook', () => {
  async function approvedWith(hook: Hook, edited?: { readonly amount: number }) {
    const store = memoryStore()
    const one = await paying({ store, options: { permissions: [{ effect: 'ask', tool: 'pay' }] } })
    const [wait] = (await within(one.run.settled())).waits
    await one.runtime.close()
    const two = await paying({ store, hooks: [hook], options: { permissions: [{ effect: 'ask', tool: 'pay' }] } })
    await two.runtime.approve(wait?.id ?? '', edited ? { arguments: edited } : {})
    const handle = two.runtime.thread(one.run.thread)
    await until(async () => (await factsOfType(handle, 'call.gated')).length === 2)
    return { ...two, handle, gated: (await factsOfType(handle, 'call.gated'))[1] }
  }

  test('that would change the arguments blocks the call, as a fault', async () => {
    const { gated, ledger, handle } = await approvedWith(before('cap', set(5)))
    expect(gated).toMatchObject({ verdict: 'block', by: 'fault', arguments: { inline: { amount: 12 } } })
    expect(await factsOfType(handle, 'hook.recorded')).toMatchObject([{ hook: 'cap', did: 'failed' }])
    expect(ledger.ran).toEqual([])
  })

  test('that gives the arguments as they are, in another order, changes nothing', async () => {
    const { gated } = await approvedWith(before('same', (call) => ({ do: 'modify', arguments: { ...call.arguments } })))
    expect(gated).toMatchObject({ verdict: 'run', by: 'decision' })
  })

  test('that blocks wins, and is told that it looks again', async () => {
    const { gated } = await approvedWith(before('no', (call) => (call.again ? { do: 'block', reason: 'no more' } : undefined)))
    expect(gated).toMatchObject({ verdict: 'block', by: 'hook:no' })
  })

  test('may change the arguments of whoever approved once, and then they are asked again', async () => {
    const { gated, handle, runtime, ledger } = await approvedWith(before('cap', set(5)), { amount: 4 })
    expect(gated).toMatchObject({ verdict: 'hold', arguments: { inline: { amount: 5 } } })
    expect(gated?.asks).toContain('changed')
    const { waits } = await within(handle.settled())
    expect(waits).toMatchObject([{ subject: { arguments: { amount: 5 } } }])
    await runtime.approve(waits[0]?.id ?? '')
    await until(() => ledger.ran.length === 1)
    expect(ledger.ran).toMatchObject([{ input: { amount: 5 } }])
  })
})

test('hooks hold task_complete and cannot respond to it', async () => {
  const complete = () =>
    recordingModel(({ request }) =>
      request === 1 ? { toolCalls: [{ name: 'task_complete', arguments: { result: 'x' } }] } : { text: 'done' }
    )
  const start = (act: BeforeToolCall) => {
    const runtime = runtimeOf(memoryStore(), { models: { main: complete() }, hooks: [before('h', () => act)] })
    return runtime.start(agentOf({ tools: ['task_complete'] }), { input: 'go' })
  }
  const held = await start({ do: 'requireApproval' })
  expect((await within(held.settled())).waits).toMatchObject([{ kind: 'approval', subject: { tool: 'task_complete', asks: ['hook:h'] } }])
  const answered = await start({ do: 'respond', result: 'y' })
  expect((await within(answered.settled())).text).toBe('done')
  expect(await factsOfType(answered, 'call.gated')).toMatchObject([{ verdict: 'block', by: 'fault' }])
})

test('calls of one turn that hooks look at run together', async () => {
  const both = latch()
  let begun = 0
  const wait = toolOf('wait', async () => {
    begun++
    if (begun === 2) both.open()
    await both.opened
    return 'ok'
  })
  const model = caller({ name: 'wait', arguments: {} }, { name: 'wait', arguments: { n: 2 } })
  const runtime = runtimeOf(memoryStore(), { models: { main: model }, tools: [wait], hooks: [before('watch', () => undefined)] })
  const run = await runtime.start(agentOf({ tools: ['wait'] }), { input: 'go' })
  expect((await within(run.settled())).status).toBe('completed')
})
