import { describe, expect, test } from 'vitest'
import { createSecretRegistry } from '../src/secrets.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import type { Ledger } from './approval-kit.ts'
import { agent, caller, pay, runtimeOf } from './approval-kit.ts'
import { factsOf, recordingModel, resultsIn, toolOf, within } from './runtime-kit.ts'

describe('a call that is approved with other arguments', () => {
  test('runs with the arguments of whoever approves it, and the model is told', async () => {
    const ledger: Ledger = { ran: [] }
    const model = caller({ name: 'pay', arguments: { amount: 12 } })
    const runtime = runtimeOf(memoryStore(), { tools: [pay(ledger)], models: { main: model } })
    const run = await runtime.start(agent('pay'), { input: 'go' })
    const id = (await within(run.settled())).waits[0]?.id ?? ''
    expect(await runtime.approve(id, { arguments: { amount: 0 } })).toMatchObject({ state: 'invalid' })
    expect(await runtime.approve(id, { arguments: { sum: 4 } })).toMatchObject({ state: 'invalid' })
    expect(await runtime.approve(id, { arguments: { amount: 4 } })).toMatchObject({ state: 'accepted' })
    await within(run.settled())
    expect(ledger.ran).toMatchObject([{ input: { amount: 4 } }])
    expect([...resultsIn(model.prompts[1]).values()]).toEqual([
      { type: 'text', value: 'A person changed the arguments of this call to {"amount":4}\npaid {"amount":4}' }
    ])
  })

  // I6, I14
  test('does not run with a secret in its arguments, and not with something else in place of it', async () => {
    const ran: unknown[] = []
    const secrets = createSecretRegistry()
    secrets.add('KEY', 'a-value-that-nobody-reads')
    const send = toolOf('send', (input) => void ran.push(input), { effect: 'once', approval: true })
    const runtime = runtimeOf(memoryStore(), { tools: [send], models: { main: caller({ name: 'send', arguments: { to: 'a' } }) }, secrets })
    const run = await runtime.start(agent('send'), { input: 'go' })
    const id = (await within(run.settled())).waits[0]?.id ?? ''
    const receipt = await runtime.approve(id, { arguments: { to: 'Bearer a-value-that-nobody-reads' } })
    expect(receipt).toMatchObject({ state: 'invalid', errors: expect.stringContaining('KEY') })
    expect(JSON.stringify(receipt)).not.toContain('nobody-reads')
    expect((await within(run.settled())).status).toBe('waiting')
    expect(await runtime.approve(id, { arguments: { to: 'b' } })).toMatchObject({ state: 'accepted' })
    await within(run.settled())
    expect(ran).toEqual([{ to: 'b' }])
  })

  // B038
  test('takes no edited arguments that its schema refuses, and stays open', async () => {
    const ledger: Ledger = { ran: [] }
    const runtime = runtimeOf(memoryStore(), {
      tools: [pay(ledger)],
      models: { main: caller({ name: 'pay', arguments: { amount: 100 } }) }
    })
    const run = await runtime.start(agent('pay'), { input: 'go' })
    const id = (await within(run.settled())).waits[0]?.id ?? ''
    for (const edited of [
      '{"amount":"ten"}',
      '{"amount":50,"x":1}',
      '{"amount":50,"__proto__":{"amount":1}}',
      '{"amount":50,"constructor":1}'
    ]) {
      expect(await runtime.approve(id, { arguments: JSON.parse(edited) })).toMatchObject({ state: 'invalid' })
    }
    expect(await runtime.approve(id, { arguments: { amount: 50 } })).toMatchObject({ state: 'accepted' })
    await within(run.settled())
    expect(ledger.ran).toMatchObject([{ input: { amount: 50 } }])
    // The record keeps what was proposed and what ran.
    expect((await factsOf(run)).flatMap((fact) => (fact.type === 'call.gated' ? [fact.arguments] : []))).toEqual([
      { inline: { amount: 100 } },
      { inline: { amount: 50 } }
    ])
  })

  test('is remembered with those, and not with the ones of the model', async () => {
    const ledger: Ledger = { ran: [] }
    const amounts = [12, 4, 12]
    const model = recordingModel(({ answers }) => {
      const amount = amounts[answers]
      return amount === undefined ? { text: 'done' } : { toolCalls: [{ name: 'pay', arguments: { amount } }] }
    })
    const runtime = runtimeOf(memoryStore(), { tools: [pay(ledger)], models: { main: model } })
    const run = await runtime.start(agent('pay'), { input: 'go' })
    await runtime.approve((await within(run.settled())).waits[0]?.id ?? '', { arguments: { amount: 4 }, remember: 'arguments' })
    expect((await within(run.settled())).waits).toMatchObject([{ subject: { arguments: { amount: 12 } } }])
    expect(ledger.ran.map(({ input }) => input)).toEqual([{ amount: 4 }, { amount: 4 }])
  })

  // I7, I10
  test('is run with long ones, also when there are several and their time is over before anybody reads them', async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const ran: unknown[] = []
    const write = toolOf('write', (input) => void ran.push(input), { effect: 'once', approval: { expiresInMs: 1_000 } })
    const call = { name: 'write', arguments: { text: 'short' } }
    const options = { clock, tools: [write], models: { main: caller(call, call, call) } }
    const one = runtimeOf(store, options)
    const run = await one.start(agent('write'), { input: 'go' })
    const { waits } = await within(run.settled())
    await one.close()
    const decider = runtimeOf(store, { ...options, concurrency: 0 })
    const texts = waits.map((_, index) => String(index).repeat(240_000))
    for (const [index, { id }] of waits.entries())
      expect(await decider.approve(id, { arguments: { text: texts[index] ?? '' } })).toMatchObject({ state: 'accepted' })
    await clock.advance(10_000)
    const two = runtimeOf(store, options)
    await two.thread(run.thread).resume()
    expect((await within(two.thread(run.thread).settled())).status).toBe('completed')
    expect(ran).toEqual(texts.map((text) => ({ text })))
  })
})
