import { describe, expect, test } from 'vitest'
import type { AfterInference, Hook, HookedAnswer } from '../src/contracts/hook.ts'
import type { ScriptTurn } from '../src/models/script-turn.ts'
import { createSecretRegistry } from '../src/secrets.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { after, asked, asking, PAYS, say } from './answer-hook-kit.ts'
import { before } from './hook-kit.ts'
import { factsOfType, latch, outcomesOf, runThrough, until, within } from './runtime-kit.ts'

describe('a hook after inference', () => {
  test('sees the whole answer, with its calls, before any of it is judged or run', async () => {
    const seen: HookedAnswer[] = []
    const { ledger, result, records, facts } = await asked({
      hooks: [
        after('look', (answer) => {
          seen.push(answer)
          return undefined
        })
      ]
    })
    expect(result).toMatchObject({ status: 'completed', text: 'done' })
    expect(ledger.ran).toHaveLength(1)
    expect(records).toEqual([])
    expect(seen).toMatchObject([
      {
        text: 'I pay 12.',
        finish: 'tool-calls',
        calls: [{ tool: 'pay', input: '{"amount":12}' }],
        usage: { inputTokens: expect.any(Number) }
      },
      { text: 'done', calls: [] }
    ])
    const types = facts.map(({ type }) => type)
    expect(types.indexOf('turn.reviewed')).toBeLessThan(types.indexOf('call.gated'))
  })

  test('changes what is seen: by the model later, as the output; the log keeps what was said', async () => {
    const { model, result, facts, run } = await asked({ hooks: [after('tone', ({ text }) => ({ do: 'modify', text: `[${text}]` }))] })
    expect(result.text).toBe('[done]')
    expect(model.prompts[1]?.find(({ role }) => role === 'assistant')).toMatchObject({
      content: [
        { type: 'text', text: '[I pay 12.]' },
        { type: 'tool-call', toolName: 'pay' }
      ]
    })
    const [first] = facts.flatMap((fact) => (fact.type === 'model.responded' ? [fact] : []))
    expect(first).toMatchObject({ review: true, parts: { inline: [{ text: 'I pay 12.' }, { type: 'tool-call' }] } })
    expect(facts.filter((fact) => fact.type === 'hook.recorded')).toMatchObject([
      { hook: 'tone', on: 'afterInference', did: 'modify', turn: first?.turn, overlay: { inline: { text: '[I pay 12.]' } } },
      { did: 'modify' }
    ])
    const records = []
    for await (const record of run.records()) records.push(record)
    expect(records[1]?.answer).toMatchObject({ parts: { inline: [{ text: 'done' }] }, seen: { inline: [{ text: '[done]' }] } })
  })

  test('leaves no trace of what it replaces: reasoning and what the provider attached to the text go, other parts stay', async () => {
    const hooks = [after('tone', say('fine'))]
    const { model, run, runtime } = await asked({ hooks, answers: [{ reasoning: 'secretly', text: 'rude' }, { text: 'rude' }] })
    await runtime.thread(run.thread).message('again')
    await until(() => model.prompts.length === 2)
    expect(model.prompts[1]?.find(({ role }) => role === 'assistant')).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'fine' }]
    })
  })

  test('has what it makes of an answer held to the output schema', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
    const setting = { answers: [{ text: '{"n":"one"}' }], agent: { outputSchema, tools: [] } }
    const mended = await asked({ ...setting, hooks: [after('mend', say('{"n":1}'))] })
    expect(mended.result).toMatchObject({ status: 'completed', output: { n: 1 } })
    const spoilt = await asked({ agent: setting.agent, answers: [{ text: '{"n":1}' }], hooks: [after('spoil', say('{}'))] })
    expect(spoilt.result).toMatchObject({ status: 'failed', error: { code: 'output_invalid' } })
  })

  test('that blocks ends the run: nothing of the answer is seen or run, and it is paid for', async () => {
    const { ledger, model, result, facts, run, runtime } = await asked({
      hooks: [after('shy', ({ text }) => (text.startsWith('I pay') ? { do: 'block', reason: 'Nobody pays.' } : null))],
      answers: [PAYS]
    })
    expect(result).toMatchObject({ status: 'failed', error: { code: 'hook_blocked' } })
    expect(result.usage.outputTokens).toBeGreaterThan(0)
    expect(ledger.ran).toEqual([])
    expect(await outcomesOf(run)).toEqual(['blocked'])
    expect(facts.filter((fact) => fact.type === 'call.gated' || fact.type === 'call.started')).toEqual([])
    expect((await run.verify()).problems).toEqual([])
    await runtime.thread(run.thread).message('why?')
    await until(() => model.prompts.length === 2)
    expect(model.prompts[1]?.map(({ role }) => role)).toEqual(['user', 'user'])
    expect(JSON.stringify(model.prompts[1])).not.toContain('I pay')
  })

  test('that blocks leaves a run that can be tried again', async () => {
    let isOpen = false
    const hooks = [after('shy', () => (isOpen ? null : { do: 'block', reason: 'not yet' }))]
    const { run, runtime } = await asked({ hooks, answers: [{ text: 'hello' }] })
    isOpen = true
    await runtime.thread(run.thread).retry()
    expect(await within(runtime.thread(run.thread).settled())).toMatchObject({ status: 'completed', text: 'hello' })
  })

  test('has each call of the answer held, and one decision about it is enough', async () => {
    const { run, runtime, ledger } = await asking({
      hooks: [after('careful', ({ calls }) => (calls.length > 0 ? { do: 'requireApproval', expiresInMs: 60_000 } : null))]
    })
    const { waits } = await within(run.settled())
    expect(waits).toMatchObject([{ kind: 'approval', subject: { asks: ['hook:careful'], arguments: { amount: 12 } } }])
    expect(waits[0]?.expiresAt).toBeGreaterThan(0)
    await runtime.approve(waits[0]?.id ?? '')
    expect((await within(run.settled())).status).toBe('completed')
    expect(ledger.ran).toHaveLength(1)
    expect((await factsOfType(run, 'turn.reviewed'))[0]).toMatchObject({ asks: [{ hook: 'careful', expiresInMs: 60_000 }] })
  })

  test('asks beside hooks that look at each call: both stand in the wait, and widen nothing', async () => {
    const hooks: Hook[] = [
      after('one', ({ calls }) => (calls.length > 0 ? { do: 'requireApproval' } : null)),
      before('two', () => ({ do: 'requireApproval', quorum: 2 }))
    ]
    const { run } = await asking({ hooks })
    const { waits } = await within(run.settled())
    expect(waits).toMatchObject([{ needed: 2, subject: { asks: ['hook:one', 'hook:two'] } }])
    const denied = await asked({
      hooks: [after('one', ({ calls }) => (calls.length > 0 ? { do: 'requireApproval' } : null))],
      options: { permissions: [{ effect: 'deny', tool: 'pay' }] }
    })
    expect(denied.facts.filter((fact) => fact.type === 'call.gated')).toMatchObject([{ verdict: 'block', by: 'rule' }])
  })

  test('of the definition looks before those of the host, and is told its options', async () => {
    const inner = after('inner', ({ text }, { options }) => ({ do: 'modify', text: `${text} ${String(options?.['word'])}` }))
    const outer = after('outer', ({ text }) => ({ do: 'modify', text: `${text} outer` }))
    const { result } = await asked({
      hooks: [outer],
      options: { registeredHooks: [inner] },
      agent: { hooks: [{ name: 'inner', options: { word: 'inner' } }] },
      answers: [{ text: 'hi' }]
    })
    expect(result.text).toBe('hi inner outer')
  })

  test('is shown no secret and leaves none', async () => {
    const secrets = createSecretRegistry()
    secrets.add('TOKEN', 'hunter2hunter2')
    const shown: string[] = []
    const hooks = [
      after('leak', (answer) => {
        shown.push(JSON.stringify(answer))
        return { do: 'modify', text: 'it is hunter2hunter2' }
      })
    ]
    const paysIt: ScriptTurn = { text: 'hunter2hunter2', toolCalls: [{ name: 'pay', arguments: { amount: 1, note: 'hunter2hunter2' } }] }
    const { facts, ledger, result } = await asked({ hooks, answers: [paysIt, { text: 'done' }], options: { secrets } })
    expect(JSON.stringify([facts, shown, result])).not.toContain('hunter2')
    expect(ledger.ran).toEqual([])
    expect(facts.filter((fact) => fact.type === 'call.gated')).toMatchObject([{ by: 'secret_in_arguments' }])
  })
})

// I9
describe('a hook that cannot judge withholds the answer, as a fault:', () => {
  const broken: readonly (readonly [string, () => unknown])[] = [
    [
      'it throws',
      () => {
        throw new Error('boom')
      }
    ],
    ['it rejects', () => Promise.reject(new Error('boom'))],
    ['it answers a number', () => 0],
    ['it names an act of another place', () => ({ do: 'respond', text: 'x' })],
    ['it blocks without a reason', () => ({ do: 'block' })],
    ['it modifies without a text', () => ({ do: 'modify', text: ' ' })],
    ['it changes arguments', () => ({ do: 'modify', arguments: {} })],
    ['its text is half a surrogate', () => ({ do: 'modify', text: '\ud800' })],
    ['its text is too large', () => ({ do: 'modify', text: 'x'.repeat(400_001) })],
    ['it asks for nobody', () => ({ do: 'requireApproval', quorum: 0 })]
  ]

  test.each(broken)('%s', async (_title, act) => {
    const { ledger, facts, result, records, model } = await asked({ hooks: [after('broken', act as () => AfterInference)] })
    expect(ledger.ran).toEqual([])
    expect(records).toEqual(['broken failed'])
    expect(result).toMatchObject({ status: 'failed', error: { code: 'hook_failed' } })
    expect(result.text ?? '').toBe('')
    expect(model.prompts).toHaveLength(1)
    expect(facts.filter((fact) => fact.type === 'call.settled')).toMatchObject([{ outcome: 'blocked' }])
  })

  test('it has calls held where there are none', async () => {
    const { result, records } = await asked({ hooks: [after('careful', () => ({ do: 'requireApproval' }))], answers: [{ text: 'hi' }] })
    expect(records).toEqual(['careful failed'])
    expect(result).toMatchObject({ status: 'failed', error: { code: 'hook_failed' } })
  })

  test('it hangs, and its signal aborts at the time limit', async () => {
    const clock = fakeClock()
    const signals: AbortSignal[] = []
    const hang = after('hang', (_answer, { signal }) => {
      signals.push(signal)
      return new Promise(() => {})
    })
    const { run } = await asking({ hooks: [hang], store: memoryStore({ clock }), options: { clock } })
    expect(await runThrough(clock, run.settled())).toMatchObject({ status: 'failed', error: { code: 'hook_failed' } })
    expect(signals[0]?.aborted).toBe(true)
  })

  test('its run is cancelled meanwhile: it is aborted, its calls end, and no later run shows the answer', async () => {
    const looked = latch<AbortSignal>()
    let isOpen = false
    const hang = after('hang', (_answer, { signal }) => {
      looked.open(signal)
      return isOpen ? null : new Promise(() => {})
    })
    const { run, model, ledger } = await asking({ hooks: [hang] })
    const signal = await within(looked.opened)
    expect((await run.info()).row.status).toBe('running')
    await run.cancel()
    expect((await within(run.settled())).status).toBe('cancelled')
    expect(signal.aborted).toBe(true)
    expect(ledger.ran).toEqual([])
    expect(await outcomesOf(run)).toEqual(['cancelled'])
    isOpen = true
    await run.message('and now?')
    await until(() => model.prompts.length >= 2)
    expect(model.prompts[1]?.map(({ role }) => role)).toEqual(['user', 'user'])
  })
})
