import { describe, expect, test } from 'vitest'
import { NO_USAGE } from '../src/contracts/usage.ts'
import type { BeforeInference, Hook, HookedRequest } from '../src/contracts/hook.ts'
import { createSecretRegistry } from '../src/secrets.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { asked, asking } from './answer-hook-kit.ts'
import { pay, runtimeOf } from './approval-kit.ts'
import { agentOf, factsOfType, latch, recordingModel, runThrough, until, userTexts, within } from './runtime-kit.ts'

type Before = NonNullable<Hook['beforeInference']>

const before = (name: string, beforeInference: Before, more: Partial<Hook> = {}): Hook => ({ name, beforeInference, ...more })
const add =
  (context: string): Before =>
  () => ({ do: 'modify', context })
const HELLO = [{ text: 'hello' }]

describe('a hook before inference', () => {
  test('sees the request as it would be sent, and may leave it as it is', async () => {
    const seen: HookedRequest[] = []
    const look = before('look', (request) => {
      seen.push(request)
      return null
    })
    const { model, result, records, facts } = await asked({ hooks: [look], agent: { systemPrompt: 'Be brief.' } })
    expect(result).toMatchObject({ status: 'completed', text: 'done' })
    expect(records).toEqual([])
    expect(seen.map(({ model: name }) => name)).toEqual(['main', 'main'])
    expect(seen.map(({ prompt }) => prompt)).toEqual(model.prompts)
    const types = facts.map(({ type }) => type)
    expect(types.filter((type) => type === 'turn.prepared')).toHaveLength(2)
    expect(types.indexOf('turn.prepared')).toBeLessThan(types.indexOf('turn.started'))
  })

  // I19
  test('adds what stands in this request alone, and what was sent can be shown again, also by another process', async () => {
    let count = 0
    const clock = before('clock', () => ({ do: 'modify', context: `It is ${++count} o’clock.` }))
    const { model, run, store, facts } = await asked({ hooks: [clock, before('name', add('They are called Ann.'))] })
    expect(userTexts(model.prompts[0])).toEqual(['go', 'It is 1 o’clock.\n\nThey are called Ann.'])
    expect(model.prompts[1]?.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(userTexts(model.prompts[1])).toEqual(['go', 'It is 2 o’clock.\n\nThey are called Ann.'])
    expect(facts.filter((fact) => fact.type === 'hook.recorded')[0]).toMatchObject({
      ...{ hook: 'clock', on: 'beforeInference', did: 'modify', turn: expect.any(String) },
      overlay: { inline: { context: 'It is 1 o’clock.' } }
    })
    const other = runtimeOf(store, { models: {} }).thread(run.thread)
    for (const turn of [1, 2]) expect((await other.prompt(turn)).request.prompt).toEqual(model.prompts[turn - 1])
    expect((await other.verify()).problems).toEqual([])
  })

  test('is given a copy', async () => {
    const spoil = before('spoil', ({ prompt }) => {
      for (const message of prompt) Object.assign(message, { content: 'spoilt' })
      prompt.splice(0)
      return undefined
    })
    const { model } = await asked({ hooks: [spoil], answers: HELLO })
    expect(userTexts(model.prompts[0])).toEqual(['go'])
  })

  test('that blocks ends the run before anything is asked; a retry asks the hook again', async () => {
    let isOpen = false
    const guard = before('guard', () => (isOpen ? null : { do: 'block', reason: 'not now' }))
    const { model, result, run, facts, records } = await asked({ hooks: [guard], answers: HELLO })
    expect(result).toMatchObject({ status: 'failed', error: { code: 'hook_blocked' } })
    expect((await run.info()).row.turns).toBe(0)
    expect(records).toEqual(['guard block'])
    expect(model.prompts).toEqual([])
    expect(facts.some(({ type }) => type === 'turn.started')).toBe(false)
    isOpen = true
    await run.retry()
    expect(await within(run.settled())).toMatchObject({ status: 'completed', text: 'hello' })
  })

  test('that responds answers in place of the model: it is told as an answer, costs nothing and is shown later', async () => {
    const faq = before('faq', ({ prompt }) => (userTexts(prompt).at(-1) === 'go' ? { do: 'respond', text: 'Go where?' } : null))
    const { model, result, run, facts } = await asked({ hooks: [faq], answers: HELLO })
    expect(result).toMatchObject({ status: 'completed', text: 'Go where?', cost: 0, usage: { inputTokens: 0, outputTokens: 0 } })
    expect((await run.info()).row.turns).toBe(1)
    expect(model.prompts).toEqual([])
    expect(facts.filter(({ type }) => type === 'turn.started' || type === 'model.responded')).toMatchObject([
      { hook: 'faq', model: 'hook:faq', try: 1 },
      { model: 'hook:faq', cost: 0 }
    ])
    await expect(run.prompt(1)).rejects.toMatchObject({ code: 'invalid_input' })
    const records = []
    for await (const record of run.records()) records.push(record)
    expect(records).toMatchObject([{ prompt: null, answer: { model: 'hook:faq' }, usage: NO_USAGE, cost: 0 }])
    await run.message('home')
    await within(run.settled())
    expect(model.prompts[0]?.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(await factsOfType(run, 'turn.started')).toMatchObject([
      { hook: 'faq' },
      expect.not.objectContaining({ moved: expect.anything() })
    ])
    expect((await run.verify()).problems).toEqual([])
  })

  test('has its answer held to the output schema like any other', async () => {
    const agent = { outputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }, tools: [] } as const
    const say = (text: string) => asked({ hooks: [before('faq', () => ({ do: 'respond', text }))], agent })
    expect((await say('{"n":1}')).result).toMatchObject({ status: 'completed', output: { n: 1 } })
    expect((await say('{}')).result).toMatchObject({ status: 'failed', error: { code: 'output_invalid' } })
  })

  test('of the host looks first, and once more when one of the definition has added something', async () => {
    const orders: string[][] = []
    const outer = before('outer', ({ prompt }) => {
      orders.push(['outer', ...userTexts(prompt).slice(1)])
      return userTexts(prompt).join().includes('forbidden') ? { do: 'block', reason: 'no' } : { do: 'modify', context: 'outer' }
    })
    const inner = (context: string) =>
      before('inner', (_request, { options }) => ({ do: 'modify', context: `${context} ${String(options?.['n'])}` }))
    const run = (context: string) =>
      asked({
        ...{ hooks: [outer], answers: HELLO, options: { registeredHooks: [inner(context)] } },
        agent: { hooks: [{ name: 'inner', options: { n: 'one' } }] }
      })
    const fine = await run('inner')
    expect(orders).toEqual([['outer'], ['outer', 'outer\n\ninner one']])
    expect(userTexts(fine.model.prompts[0])).toEqual(['go', 'outer\n\ninner one'])
    expect(fine.records).toEqual(['outer modify', 'inner modify'])
    const refused = await run('forbidden')
    expect(refused.result).toMatchObject({ status: 'failed', error: { code: 'hook_blocked' } })
  })

  test('has what it adds counted before the model is asked', async () => {
    const long = 'x'.repeat(4_000)
    const budget = { maxTotalTokens: 500, hard: true }
    const plain = await asked({ hooks: [before('look', () => null)], agent: { budget, tools: [] }, answers: HELLO })
    expect(plain.result.status).toBe('completed')
    const added = await asked({ hooks: [before('long', add(long))], agent: { budget, tools: [] }, answers: HELLO })
    expect(added.result.status).toBe('stopped')
    expect((await added.run.info()).row.why).toBe('token_budget')
    expect(added.model.prompts).toEqual([])
    const reserved = await asked({
      hooks: [before('long', add(long))],
      agent: { budget: { maxTotalTokens: 50_000 }, tools: [] },
      answers: HELLO
    })
    const [started] = reserved.facts.flatMap((fact) => (fact.type === 'turn.started' ? [fact] : []))
    expect(started?.reservedTokens).toBeGreaterThan(1_000)
  })

  test('is asked once for a turn, however often the model is tried', async () => {
    let count = 0
    const look = before('look', () => {
      count++
      return { do: 'modify', context: 'by the way' }
    })
    const clock = fakeClock()
    const model = recordingModel(({ request }) => (request < 3 ? { error: { message: 'busy', status: 503 } } : { text: 'hello' }))
    const runtime = runtimeOf(memoryStore({ clock }), { models: { main: model }, hooks: [look], clock })
    const run = await runtime.start(agentOf(), { input: 'go' })
    expect((await runThrough(clock, run.settled())).status).toBe('completed')
    expect(count).toBe(1)
    expect(model.prompts.map((prompt) => userTexts(prompt))).toEqual(Array(3).fill(['go', 'by the way']))
    expect((await run.prompt(1, { try: 2 })).request.prompt).toEqual(model.prompts[1])
  })

  test('sees a message that comes while it looks, before any model does', async () => {
    const looked = latch()
    const go = latch()
    const shown: (readonly string[])[] = []
    const look = before('look', async ({ prompt }) => {
      shown.push(userTexts(prompt))
      looked.open()
      if (shown.length === 1) await go.opened
      return null
    })
    const { run, model } = await asking({ hooks: [look], answers: HELLO })
    await within(looked.opened)
    await run.message('and more')
    await until(() => shown.length === 2)
    go.open()
    await within(run.settled())
    expect(shown).toEqual([['go'], ['go', 'and more']])
    expect(model.prompts.map((prompt) => userTexts(prompt))).toEqual([['go', 'and more']])
  })

  test('sees a message that interrupts the model, before that is asked again', async () => {
    const shown: (readonly string[])[] = []
    const look = before('look', ({ prompt }) => {
      shown.push(userTexts(prompt))
      return { do: 'modify', context: `look ${shown.length}` }
    })
    const model = recordingModel(({ request }) => (request > 1 ? { text: 'hello' } : new Promise(() => {})))
    const run = await runtimeOf(memoryStore(), { models: { main: model }, hooks: [look] }).start(agentOf(), { input: 'go' })
    await until(() => model.prompts.length === 1)
    await run.message('stop', { interrupt: true })
    await within(run.settled())
    expect(shown).toEqual([['go'], ['go', 'stop']])
    expect(userTexts(model.prompts[1])).toEqual(['go', 'stop', 'look 2'])
  })

  test('keeps secrets out of the log', async () => {
    const secrets = createSecretRegistry()
    secrets.add('TOKEN', 'hunter2hunter2')
    const { facts, model } = await asked({ hooks: [before('leak', add('it is hunter2hunter2'))], answers: HELLO, options: { secrets } })
    expect(JSON.stringify([facts, model.prompts])).not.toContain('hunter2')
  })

  test('takes one commit more, and where none looks none', async () => {
    const plain = await asked({ hooks: [] })
    const hooked = await asked({ hooks: [before('look', () => null)] })
    expect(hooked.facts.filter(({ type }) => type !== 'turn.prepared').map(({ type }) => type)).toEqual(plain.facts.map(({ type }) => type))
    expect((await hooked.run.log(1, 8_000_000)).length).toBe((await plain.run.log(1, 8_000_000)).length + 2)
    const elsewhere = await asked({ hooks: [], options: { registeredHooks: [before('look', () => null)] } })
    expect(elsewhere.facts.map(({ type }) => type)).toEqual(plain.facts.map(({ type }) => type))
  })
})

// I9
describe('a hook that cannot judge lets nobody be asked, as a fault:', () => {
  const broken: readonly (readonly [string, () => unknown])[] = [
    [
      'it throws',
      () => {
        throw new Error('boom')
      }
    ],
    ['it rejects', () => Promise.reject(new Error('boom'))],
    ['it answers a text', () => 'by the way'],
    ['it names an act of another place', () => ({ do: 'requireApproval' })],
    ['it blocks without a reason', () => ({ do: 'block', reason: ' ' })],
    ['it adds nothing', () => ({ do: 'modify', context: '' })],
    ['it adds what is no text', () => ({ do: 'modify', context: ['x'] })],
    ['it adds too much', () => ({ do: 'modify', context: 'x'.repeat(300_000) })],
    ['it responds with nothing', () => ({ do: 'respond' })],
    ['it responds with too much', () => ({ do: 'respond', text: 'x'.repeat(300_000) })]
  ]

  test.each(broken)('%s', async (_title, act) => {
    const { model, result, records } = await asked({ hooks: [before('broken', act as () => BeforeInference)] })
    expect(records).toEqual(['broken failed'])
    expect(result).toMatchObject({ status: 'failed', error: { code: 'hook_failed' } })
    expect(model.prompts).toEqual([])
  })

  test('it hangs, and its signal aborts at the time limit', async () => {
    const clock = fakeClock()
    const signals: AbortSignal[] = []
    const hang = before('hang', (_request, { signal }) => {
      signals.push(signal)
      return new Promise(() => {})
    })
    const { run, model } = await asking({ hooks: [hang], store: memoryStore({ clock }), options: { clock } })
    expect(await runThrough(clock, run.settled())).toMatchObject({ status: 'failed', error: { code: 'hook_failed' } })
    expect(signals[0]?.aborted).toBe(true)
    expect(model.prompts).toEqual([])
  })

  test('its run is cancelled meanwhile: it is aborted, and nobody is asked', async () => {
    const looked = latch<AbortSignal>()
    const hang = before('hang', (_request, { signal }) => {
      looked.open(signal)
      return new Promise(() => {})
    })
    const { run, model } = await asking({ hooks: [hang] })
    const signal = await within(looked.opened)
    expect((await run.info()).row.status).toBe('running')
    await run.cancel()
    expect((await within(run.settled())).status).toBe('cancelled')
    expect(signal.aborted).toBe(true)
    expect(model.prompts).toEqual([])
  })
})

test('a request that hooks are to look at waits for the next owner, who asks them again, and a fork asks its own', async () => {
  const looked = latch()
  const hang = before('look', () => {
    looked.open()
    return new Promise(() => {})
  })
  const first = await asking({ hooks: [hang], answers: HELLO })
  await within(looked.opened)
  await first.runtime.close({ graceMs: 0 })
  const model = recordingModel(() => ({ text: 'hello' }))
  let count = 0
  const hooks = [before('look', () => ({ do: 'modify', context: `look ${++count}` }))]
  const runtime = runtimeOf(first.store, { tools: [pay(first.ledger)], models: { main: model }, hooks })
  const handle = runtime.thread(first.run.thread)
  await handle.resume()
  expect((await within(handle.settled())).status).toBe('completed')
  const commits = await handle.log(1, 8_000_000)
  const at = commits.find(({ facts }) => facts.some(({ type }) => type === 'turn.started'))?.sequence ?? 0
  const fork = await runtime.fork(handle.id, { at })
  expect((await within(fork.settled())).status).toBe('completed')
  expect(model.prompts.map((prompt) => userTexts(prompt))).toEqual([
    ['go', 'look 1'],
    ['go', 'look 2']
  ])
  expect((await fork.prompt(1)).request.prompt).toEqual(model.prompts[1])
})
