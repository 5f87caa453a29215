import { describe, expect, test } from 'vitest'
import type { AfterToolCall, Hook, HookedResult } from '../src/contracts/hook.ts'
import { createSecretRegistry } from '../src/secrets.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { caller, look, pay, runtimeOf } from './approval-kit.ts'
import { paid, paying } from './hook-kit.ts'
import { agentOf, factsOf, factsOfType, latch, resultsIn, runThrough, toolOf, until, within } from './runtime-kit.ts'

type After = NonNullable<Hook['afterToolCall']>

const after = (name: string, afterToolCall: After, more: Partial<Hook> = {}): Hook => ({ name, afterToolCall, ...more })
/** Adds a word to what stands now. */
const sign = (word: string): After => {
  return ({ result }) => ({ do: 'modify', result: `${'value' in result ? String(result.value) : result.error} ${word}` })
}
const PAID = { value: 'paid {"amount":12}' }

describe('a hook after a call', () => {
  test('sees what the tool gave, and the model sees what the hook makes of it: the log keeps both', async () => {
    const seen: HookedResult[] = []
    const hook = after('mask', (call) => {
      seen.push(call)
      return { do: 'modify', result: { paid: true } }
    })
    const { facts, told, result } = await paid({ hooks: [hook] })
    expect(result.status).toBe('completed')
    expect(seen).toMatchObject([
      { tool: 'pay', identity: 'host:pay', effect: 'once', arguments: { amount: 12 }, outcome: 'ok', result: PAID }
    ])
    expect(told).toEqual([{ type: 'json', value: { paid: true } }])
    const { call } = seen[0] ?? {}
    expect(facts.filter((fact) => fact.type === 'call.settled')).toMatchObject([
      { call, outcome: 'ok', result: { inline: PAID }, review: true }
    ])
    expect(facts.filter((fact) => fact.type === 'hook.recorded')).toMatchObject([
      { hook: 'mask', on: 'afterToolCall', did: 'modify', call, overlay: { inline: { value: { paid: true } } } }
    ])
    expect(facts.filter((fact) => fact.type === 'call.reviewed')).toMatchObject([{ call, seen: { inline: { value: { paid: true } } } }])
  })

  test('that blocks hides the result: the model reads the reason, and nothing of what happened is undone', async () => {
    const hook = after('shy', () => ({ do: 'block', reason: 'That is nobody’s business.' }))
    const later = after('later', () => ({ do: 'modify', result: 'never asked' }))
    const { ledger, told, records, facts } = await paid({ hooks: [hook, later] })
    expect(ledger.ran).toHaveLength(1)
    expect(told).toEqual([{ type: 'error-text', value: 'That is nobody’s business.' }])
    expect(records).toEqual(['shy block'])
    expect(facts.filter((fact) => fact.type === 'call.settled')).toMatchObject([{ outcome: 'ok', result: { inline: PAID } }])
  })

  test('that finds nothing to say leaves the result and no record', async () => {
    const { told, records, facts } = await paid({
      hooks: [after('a', () => null), after('b', () => ({ do: 'modify', result: PAID.value }))]
    })
    expect(told).toEqual([{ type: 'text', value: PAID.value }])
    expect(records).toEqual([])
    expect(facts.filter((fact) => fact.type === 'call.reviewed')).toEqual([expect.not.objectContaining({ seen: expect.anything() })])
  })

  test('is bounded as the tool is in what it has the model shown', async () => {
    const long = after('long', () => ({ do: 'modify', result: 'x'.repeat(1_000) }))
    const brief = toolOf('brief', () => 'ok', { maxResultLength: 10 })
    const model = caller({ name: 'brief', arguments: {} })
    const runtime = runtimeOf(memoryStore(), { tools: [brief], models: { main: model }, hooks: [long] })
    const run = await runtime.start(agentOf({ tools: ['brief'] }), { input: 'go' })
    await within(run.settled())
    const [{ value } = { value: '' }] = resultsIn(model.prompts[1]).values()
    expect(String(value).match(/x/g)).toHaveLength(10)
  })

  test('of the definition looks before those of the host, each in its order, and is told its options', async () => {
    const told: unknown[] = []
    const named = after('inner', (call, { options }) => {
      told.push(options)
      return sign('inner')(call, {} as never)
    })
    const setting = { hooks: [after('one', sign('one')), after('two', sign('two'))], registered: [named] }
    const done = await paid({ ...setting, named: [{ name: 'inner', options: { level: 'high' } }] })
    expect(done.told).toEqual([{ type: 'text', value: `${PAID.value} inner one two` }])
    expect(told).toEqual([{ level: 'high' }])
  })

  test('is given a copy, and looks at errors of tools too', async () => {
    const seen: unknown[] = []
    const hook = after('spoil', (call) => {
      seen.push(structuredClone([call.outcome, call.result]))
      Object.assign(call.result, { error: 'spoilt', value: 'spoilt' })
      return undefined
    })
    const model = caller({ name: 'broken', arguments: {} })
    const broken = toolOf('broken', () => {
      throw new Error('it broke')
    })
    const runtime = runtimeOf(memoryStore(), { tools: [broken], models: { main: model }, hooks: [hook] })
    const run = await runtime.start(agentOf({ tools: ['broken'] }), { input: 'go' })
    await within(run.settled())
    expect(seen).toEqual([['error', { error: 'it broke' }]])
    expect([...resultsIn(model.prompts[1]).values()]).toEqual([{ type: 'error-text', value: 'it broke' }])
  })

  test('is not asked about calls that did not run', async () => {
    const asked: string[] = []
    const hook = after('look', ({ tool }) => {
      asked.push(tool)
      return undefined
    })
    const model = caller({ name: 'look', arguments: {} }, { name: 'unheard_of', arguments: {} }, { name: 'pay', arguments: { amount: 0 } })
    const tools = [look, pay({ ran: [] }, { approval: false })]
    const runtime = runtimeOf(memoryStore(), { tools, models: { main: model }, hooks: [hook] })
    const run = await runtime.start(agentOf({ tools: ['look', 'pay'] }), { input: 'go' })
    await within(run.settled())
    expect(asked).toEqual(['look'])
    expect((await factsOfType(run, 'call.settled')).map(({ outcome, review }) => [outcome, review])).toEqual(
      expect.arrayContaining([
        ['ok', true],
        ['blocked', undefined],
        ['blocked', undefined]
      ])
    )
  })

  test('keeps secrets out of the log, also those that it brings itself', async () => {
    const secrets = createSecretRegistry()
    secrets.add('TOKEN', 'hunter2hunter2')
    const leak = after('leak', () => ({ do: 'modify', result: { key: 'hunter2hunter2' } }))
    const why = after('why', () => ({ do: 'block', reason: 'it says hunter2hunter2' }))
    const { facts, told } = await paid({ hooks: [leak, why], options: { secrets } })
    expect(JSON.stringify([facts, told])).not.toContain('hunter2')
    expect(told).toMatchObject([{ type: 'error-text' }])
  })
})

// I9
describe('a hook that cannot judge hides the result, as a fault:', () => {
  const broken: readonly (readonly [string, () => unknown])[] = [
    [
      'it throws',
      () => {
        throw new Error('boom')
      }
    ],
    ['it rejects', () => Promise.reject(new Error('boom'))],
    ['it answers true', () => true],
    ['it answers a list', () => [{ do: 'block', reason: 'x' }]],
    ['it names no act', () => ({ result: 1 })],
    ['it names an act of another place', () => ({ do: 'respond', result: 1 })],
    ['it asks for an approval of what has happened', () => ({ do: 'requireApproval' })],
    ['it names what every object has', () => ({ do: 'toString' })],
    ['it blocks without a reason', () => ({ do: 'block', reason: '' })],
    ['it says more than belongs to the act', () => ({ do: 'modify', result: 1, reason: 'x' })],
    ['it modifies without a result', () => ({ do: 'modify' })],
    ['its result is no data', () => ({ do: 'modify', result: () => 1 })]
  ]

  test.each(broken)('%s', async (_title, act) => {
    const { ledger, facts, told, result, records } = await paid({ hooks: [after('broken', act as () => AfterToolCall)] })
    expect(ledger.ran).toHaveLength(1)
    expect(records).toEqual(['broken failed'])
    expect(told).toMatchObject([{ type: 'error-text' }])
    expect(JSON.stringify(told)).not.toContain('12')
    expect(facts.filter((fact) => fact.type === 'call.settled')).toMatchObject([{ outcome: 'ok', result: { inline: PAID } }])
    expect(result.status).toBe('completed')
  })

  test('it hangs, and its signal aborts at the time limit', async () => {
    const clock = fakeClock()
    const signals: AbortSignal[] = []
    const hang = after('hang', (_call, { signal }) => {
      signals.push(signal)
      return new Promise(() => {})
    })
    const { run, model } = await paying({ hooks: [hang], store: memoryStore({ clock }), options: { clock } })
    expect((await runThrough(clock, run.settled())).status).toBe('completed')
    expect(signals[0]?.aborted).toBe(true)
    expect(await factsOfType(run, 'hook.recorded')).toMatchObject([{ hook: 'hang', did: 'failed' }])
    expect([...resultsIn(model.prompts[1]).values()]).toMatchObject([{ type: 'error-text' }])
  })

  test('its run is cancelled meanwhile: it is aborted, the call stays done, and no later run shows what nobody has checked', async () => {
    const asked = latch<AbortSignal>()
    const hang = after('hang', (_call, { signal }) => {
      asked.open(signal)
      return new Promise(() => {})
    })
    const { run, model, ledger } = await paying({ hooks: [hang] })
    const signal = await within(asked.opened)
    expect((await run.info()).row.status).toBe('running')
    await run.cancel()
    expect((await within(run.settled())).status).toBe('cancelled')
    expect(signal.aborted).toBe(true)
    expect(ledger.ran).toHaveLength(1)
    expect(await factsOfType(run, 'call.settled')).toMatchObject([{ outcome: 'ok', result: { inline: PAID } }])
    expect((await factsOf(run)).map(({ type }) => type).slice(-2)).toEqual(['call.reviewed', 'run.ended'])
    await run.message('and now?')
    await until(() => model.prompts.length === 2)
    expect([...resultsIn(model.prompts[1]).values()]).toMatchObject([{ type: 'error-text' }])
    expect(JSON.stringify(model.prompts[1])).not.toContain('paid')
  })
})

describe('what a hook has to look at', () => {
  test('waits for the next owner, who asks again, when this one goes', async () => {
    const store = memoryStore()
    const asked = latch()
    const hang = after('mask', () => {
      asked.open()
      return new Promise(() => {})
    })
    const first = await paying({ hooks: [hang], store })
    await within(asked.opened)
    await first.runtime.close({ graceMs: 0 })
    const model = caller()
    const options = {
      tools: [pay(first.ledger), look],
      models: { main: model },
      hooks: [after('mask', () => ({ do: 'modify', result: 'masked' }))]
    }
    const handle = runtimeOf(store, options).thread(first.run.thread)
    await handle.resume()
    expect((await within(handle.settled())).status).toBe('completed')
    expect(first.ledger.ran).toHaveLength(1)
    expect([...resultsIn(model.prompts[0]).values()]).toEqual([{ type: 'text', value: 'masked' }])
    expect((await handle.verify()).problems).toEqual([])
  })

  test('goes with a fork, whose own hooks look at it: at a result that stands there, and at one that came later', async () => {
    const hooks = [after('mask', () => ({ do: 'modify', result: 'masked' }))]
    const { run, model, runtime, ledger } = await paid({ hooks })
    const commits = await run.log(1, 8_000_000)
    const sequenceOf = (type: string): number => commits.find(({ facts }) => facts.some((fact) => fact.type === type))?.sequence ?? 0
    for (const at of [sequenceOf('call.settled'), sequenceOf('call.started')]) {
      const asked = model.prompts.length
      const fork = await runtime.fork(run.thread, { at })
      expect((await within(fork.settled())).status).toBe('completed')
      const shown = model.prompts.slice(asked).at(-1)
      expect([...resultsIn(shown).values()]).toEqual([{ type: 'text', value: 'masked' }])
      expect((await fork.verify()).problems).toEqual([])
      const reviews = await factsOfType(fork, 'call.reviewed')
      expect(reviews).toHaveLength(1)
    }
    expect(ledger.ran).toHaveLength(1)
  })

  test('stays unseen in a fork that goes on as another agent', async () => {
    const hooks = [after('mask', () => ({ do: 'modify', result: 'masked' }))]
    const { run, model, runtime } = await paid({ hooks })
    const commits = await run.log(1, 8_000_000)
    const at = commits.find(({ facts }) => facts.some((fact) => fact.type === 'call.settled'))?.sequence ?? 0
    const { digest: publication } = await runtime.publish(agentOf({ name: 'other', tools: ['pay'] }))
    const fork = await runtime.fork(run.thread, { at, change: { publication } })
    expect((await within(fork.settled())).status).toBe('completed')
    expect(JSON.stringify(model.prompts.at(-1))).not.toContain('paid')
    expect([...resultsIn(model.prompts.at(-1)).values()]).toMatchObject([{ type: 'error-text' }])
  })

  test('stands in the record of its turn', async () => {
    const { run } = await paid({ hooks: [after('mask', () => ({ do: 'modify', result: 'masked' }))] })
    const records = []
    for await (const record of run.records()) records.push(record)
    expect(records[0]?.calls).toMatchObject([{ outcome: 'ok', result: { inline: PAID }, seen: { inline: { value: 'masked' } } }])
  })
})
