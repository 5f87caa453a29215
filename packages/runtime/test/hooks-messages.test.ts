import { describe, expect, test } from 'vitest'
import type { Hook, HookedMessage, OnMessage } from '../src/contracts/hook.ts'
import { FORMAT } from '../src/contracts/fact.ts'
import type { Store } from '../src/contracts/store.ts'
import { createRuntime } from '../src/runtime.ts'
import { createSecretRegistry } from '../src/secrets.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { asked, asking } from './answer-hook-kit.ts'
import { pay, runtimeOf } from './approval-kit.ts'
import { agentOf, factsOf, factsOfType, latch, outcomesOf, recordingModel, runThrough, until, userTexts, within } from './runtime-kit.ts'

type On = NonNullable<Hook['onMessage']>

const on = (name: string, onMessage: On, more: Partial<Hook> = {}): Hook => ({ name, onMessage, ...more })
/** Sends messages back that say this. */
const against = (word: string): On => {
  return ({ text }) => (text.includes(word) ? { do: 'block', reason: `no ${word}` } : null)
}
const HELLO = [{ text: 'hello' }, { text: 'again' }]

describe('a hook on messages', () => {
  test('sees each message before the model does, and who has sent it', async () => {
    const seen: HookedMessage[] = []
    const look = on('look', (message) => {
      seen.push(message)
      return null
    })
    const { run, model, records } = await asked({ hooks: [look], answers: HELLO })
    await run.message('more')
    await until(() => model.prompts.length === 2)
    expect(seen).toMatchObject([
      { kind: 'start', text: 'go', source: { kind: 'host' }, parts: [{ type: 'text', text: 'go' }] },
      { kind: 'message', text: 'more' }
    ])
    expect(records).toEqual([])
    expect(userTexts(model.prompts[1])).toEqual(['go', 'more'])
    const types = (await factsOf(run)).map(({ type }) => type)
    expect(types.indexOf('message.admitted')).toBeLessThan(types.indexOf('message.received'))
  })

  test('changes what is seen; the log keeps what was said, and other parts stay', async () => {
    const mask = on('mask', ({ text }) => ({ do: 'modify', text: text.replaceAll(/\d/g, '#') }))
    const { run, model } = await asked({ hooks: [mask], answers: HELLO })
    await run.message([
      { type: 'text', text: 'my number is 42' },
      { type: 'file', mediaType: 'image/png', source: { data: 'QQ==' } }
    ])
    await until(() => model.prompts.length === 2)
    expect(model.prompts[1]?.at(-1)).toMatchObject({ content: [{ text: 'my number is ##' }, { type: 'file' }] })
    expect((await factsOfType(run, 'message.received'))[1]).toMatchObject({
      parts: { inline: [{ text: 'my number is 42' }, { type: 'file' }] },
      seen: { inline: [{ text: 'my number is ##' }, { type: 'file' }] }
    })
    expect((await factsOfType(run, 'hook.recorded')).at(-1)).toMatchObject({
      ...{ hook: 'mask', on: 'onMessage', did: 'modify', item: expect.any(String) },
      overlay: { inline: { text: 'my number is ##' } }
    })
    expect((await run.verify()).problems).toEqual([])
  })

  test('that blocks sends it back unread, with what it said; the thread stays as it is', async () => {
    const { run, model } = await asked({ hooks: [on('guard', against('bad'))], answers: HELLO })
    const { item } = await run.message('bad news')
    expect(await within(run.receipt(item, { wait: true }))).toMatchObject({ state: 'returned', why: 'blocked' })
    expect((await within(run.settled())).status).toBe('completed')
    expect(await factsOfType(run, 'message.returned')).toMatchObject([
      { item, why: 'blocked', parts: { inline: [{ text: 'bad news' }] }, source: { kind: 'host' } }
    ])
    await run.message('good news')
    await until(() => model.prompts.length === 2)
    expect(userTexts(model.prompts[1])).toEqual(['go', 'good news'])
    expect((await run.verify()).problems).toEqual([])
  })

  test('that blocks what a thread is made with ends its run; the next message begins the next one', async () => {
    const { run, model, result, facts } = await asked({ hooks: [on('guard', against('go'))], answers: HELLO, agent: { tools: [] } })
    expect(result).toMatchObject({ status: 'failed', error: { code: 'hook_blocked' } })
    expect(facts.map(({ type }) => type).slice(1)).toEqual([
      ...['attempt.claimed', 'hook.recorded', 'message.admitted', 'run.started', 'message.returned', 'run.ended']
    ])
    await expect(run.retry()).rejects.toMatchObject({ code: 'invalid_input', details: { why: 'unasked' } })
    await run.message('home')
    await until(() => model.prompts.length === 1)
    expect(userTexts(model.prompts[0])).toEqual(['home'])
    expect((await run.verify()).problems).toEqual([])
  })

  test('sees what comes while the model answers, and keeps the run going for it', async () => {
    const looked = latch()
    const go = latch()
    const slow = on('slow', async ({ kind }) => {
      if (kind === 'start') return null
      looked.open()
      await go.opened
      return null
    })
    const answering = latch()
    const model = recordingModel(async ({ request }) => {
      if (request === 1) await answering.opened
      return { text: `answer ${request}` }
    })
    const runtime = runtimeOf(memoryStore(), { models: { main: model }, hooks: [slow] })
    const run = await runtime.start(agentOf(), { input: 'go' })
    await until(() => model.prompts.length === 1)
    await run.message('more')
    answering.open()
    await within(looked.opened)
    expect((await run.info()).row.status).toBe('running')
    go.open()
    expect(await within(run.settled())).toMatchObject({ text: 'answer 2' })
    expect(await factsOfType(run, 'run.started')).toHaveLength(1)
  })

  test('is asked about an interrupt when the model has stopped', async () => {
    const model = recordingModel(({ request }) => (request === 1 ? new Promise(() => {}) : { text: 'fine' }))
    const runtime = runtimeOf(memoryStore(), {
      models: { main: model },
      hooks: [on('mask', ({ kind }) => (kind === 'interrupt' ? { do: 'modify', text: 'stop' } : null))]
    })
    const run = await runtime.start(agentOf(), { input: 'go' })
    await until(() => model.prompts.length === 1)
    await run.message('STOP!!!', { interrupt: true })
    expect(await within(run.settled())).toMatchObject({ text: 'fine' })
    expect(userTexts(model.prompts[1])).toEqual(['go', 'stop'])
  })

  test('sees a message that answers a question: the answer is what it leaves of it', async () => {
    const asks = { toolCalls: [{ name: 'ask_user', arguments: { question: 'Where?' } }] }
    const hooks = [
      on('mask', ({ text }) =>
        text === 'go' ? null : text === 'bad' ? { do: 'block', reason: 'no' } : { do: 'modify', text: text.toUpperCase() }
      )
    ]
    const { run, model } = await asking({ hooks, answers: [asks, { text: 'done' }], agent: { tools: ['ask_user'] } })
    await within(run.settled())
    const { item } = await run.message('bad')
    expect(await within(run.receipt(item, { wait: true }))).toMatchObject({ state: 'returned' })
    await run.message('here')
    expect(await within(run.settled())).toMatchObject({ text: 'done' })
    expect(JSON.stringify(model.prompts[1])).toContain('HERE')
    expect(await outcomesOf(run)).toEqual(['ok'])
  })

  test('of the host looks first, and once more when one of the definition has changed it', async () => {
    const seen: string[] = []
    const outer = on('outer', ({ text }) => {
      seen.push(text)
      return text.includes('!') ? null : { do: 'modify', text: `${text}!` }
    })
    const inner = on('inner', ({ text }, { options }) => ({ do: 'modify', text: `${text} ${String(options?.['n'])}` }))
    const { model } = await asked({
      ...{ hooks: [outer], answers: HELLO, options: { registeredHooks: [inner] } },
      agent: { hooks: [{ name: 'inner', options: { n: 'one' } }] }
    })
    expect(seen).toEqual(['go', 'go! one'])
    expect(userTexts(model.prompts[0])).toEqual(['go! one'])
  })

  test('is asked by the next owner when this one goes, and its word goes with a fork', async () => {
    const looked = latch()
    const hang = on('mask', () => {
      looked.open()
      return new Promise(() => {})
    })
    const first = await asking({ hooks: [hang], answers: HELLO })
    await within(looked.opened)
    await first.runtime.close({ graceMs: 0 })
    const model = recordingModel(() => ({ text: 'hello' }))
    const hooks = [on('mask', ({ text }) => ({ do: 'modify', text: `[${text}]` }))]
    const runtime = runtimeOf(first.store, { tools: [pay(first.ledger)], models: { main: model }, hooks })
    const handle = runtime.thread(first.run.thread)
    await handle.resume()
    expect((await within(handle.settled())).status).toBe('completed')
    const fork = await runtime.fork(handle.id, { change: { message: 'more' } })
    await within(fork.settled())
    expect(model.prompts.map((prompt) => userTexts(prompt))).toEqual([['[go]'], ['[go]', '[more]']])
    expect((await fork.verify()).problems).toEqual([])
  })

  test('leaves no secret, and no commits where none looks', async () => {
    const secrets = createSecretRegistry()
    secrets.add('TOKEN', 'hunter2hunter2')
    const { facts, model } = await asked({
      hooks: [on('leak', () => ({ do: 'modify', text: 'hunter2hunter2' }))],
      answers: HELLO,
      options: { secrets }
    })
    expect(JSON.stringify([facts, model.prompts])).not.toContain('hunter2')
    const plain = await asked({ hooks: [], answers: HELLO, options: { registeredHooks: [on('look', () => null)] } })
    expect(plain.facts.some(({ type }) => type === 'message.admitted')).toBe(false)
  })
})

// I9
describe('a hook that cannot judge sends a message back, as a fault:', () => {
  const broken: readonly (readonly [string, () => unknown])[] = [
    [
      'it throws',
      () => {
        throw new Error('boom')
      }
    ],
    ['it rejects', () => Promise.reject(new Error('boom'))],
    ['it answers a text', () => 'fine'],
    ['it names an act of another place', () => ({ do: 'respond', text: 'x' })],
    ['it blocks without a reason', () => ({ do: 'block' })],
    ['it modifies without a text', () => ({ do: 'modify', text: ' ' })],
    ['it says more than belongs to the act', () => ({ do: 'modify', text: 'x', parts: [] })],
    ['its text is too large', () => ({ do: 'modify', text: 'x'.repeat(300_000) })]
  ]

  test.each(broken)('%s', async (_title, act) => {
    const { model, result, records, facts } = await asked({ hooks: [on('broken', act as () => OnMessage)] })
    expect(records).toEqual(['broken failed'])
    expect(result).toMatchObject({ status: 'failed', error: { code: 'hook_failed' } })
    expect(facts.filter(({ type }) => type === 'message.returned')).toMatchObject([{ why: 'blocked' }])
    expect(model.prompts).toEqual([])
  })

  test('it hangs, and its signal aborts at the time limit', async () => {
    const clock = fakeClock()
    const signals: AbortSignal[] = []
    const hang = on('hang', (_message, { signal }) => {
      signals.push(signal)
      return new Promise(() => {})
    })
    const { run } = await asking({ hooks: [hang], store: memoryStore({ clock }), options: { clock } })
    expect(await runThrough(clock, run.settled())).toMatchObject({ status: 'failed', error: { code: 'hook_failed' } })
    expect(signals[0]?.aborted).toBe(true)
  })

  test('its thread is cancelled meanwhile: it is aborted, and the message goes back', async () => {
    const looked = latch<AbortSignal>()
    const hang = on('hang', (_message, { signal }) => {
      looked.open(signal)
      return new Promise(() => {})
    })
    const { run, model } = await asking({ hooks: [hang] })
    const signal = await within(looked.opened)
    await run.cancel()
    expect((await within(run.settled())).status).toBe('cancelled')
    expect(signal.aborted).toBe(true)
    expect(model.prompts).toEqual([])
    expect(await factsOfType(run, 'message.returned')).toMatchObject([{ why: 'cancelled', parts: { inline: [{ text: 'go' }] } }])
    expect((await run.verify()).problems).toEqual([])
  })
})

// B040
describe('a hook whose processes end each time is not asked again by itself:', () => {
  const ASKS = { toolCalls: [{ name: 'ask_user', arguments: { question: 'Where?' } }] }
  const model = () => recordingModel(({ answers, prompt }) => (answers === 0 && userTexts(prompt)[0] === 'ask' ? ASKS : { text: 'hello' }))
  /** Owners that end, as often as they may; then one whose hook lets all pass. */
  const worn = async (store: Store, thread: string) => {
    for (const worker of ['one', 'two']) {
      const can = { format: FORMAT, needs: [] }
      const claimed = () => store.claim({ worker, leaseMs: 1, max: 1, only: [thread], not: [], can, takeover: true })
      await until(async () => (await claimed()).length === 1)
    }
    const options = { models: { main: model() }, hooks: [on('look', () => null)], recover: true, crashBudget: 2 }
    return runtimeOf(store, options).thread(thread)
  }

  test('what a thread was made with goes back, and what comes next is looked at', async () => {
    const store = memoryStore()
    const { thread } = await runtimeOf(store, { concurrency: 0 }).start(agentOf(), { input: 'go' })
    const run = await worn(store, thread)
    expect(await within(run.settled())).toMatchObject({ status: 'failed', error: { code: 'hook_failed' } })
    expect(await factsOfType(run, 'message.returned')).toMatchObject([{ why: 'blocked' }])
    await run.message('again')
    expect(await within(run.settled())).toMatchObject({ status: 'completed', text: 'hello' })
    expect((await run.verify()).problems).toEqual([])
  })

  test('a run that is under way waits for a person', async () => {
    const store = memoryStore()
    const first = createRuntime({ store, models: { main: model() } })
    const { thread, settled } = await first.start(agentOf({ tools: ['ask_user'] }), { input: 'ask' })
    await within(settled())
    await first.close()
    await runtimeOf(store, { concurrency: 0 }).thread(thread).message('there')
    const run = await worn(store, thread)
    await until(async () => (await run.settled()).waits.some(({ kind }) => kind === 'quarantine'))
    expect(await factsOfType(run, 'message.admitted')).toEqual([])
  })
})
