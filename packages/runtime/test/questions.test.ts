import { describe, expect, test } from 'vitest'
import type { DecisionPolicy } from '../src/contracts/decision.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import type { Ledger } from './approval-kit.ts'
import { agent, caller, pay, runtimeOf } from './approval-kit.ts'
import { refusalOf } from './refusal.ts'
import { outcomesOf, resultsIn, userTexts, within } from './runtime-kit.ts'

describe('a question', () => {
  const asker = (question: object) => caller({ name: 'ask_user', arguments: question })

  test('waits for its answer, which is what the model reads', async () => {
    const model = asker({ question: 'Which one?', options: ['red', 'blue'] })
    const runtime = runtimeOf(memoryStore(), { models: { main: model } })
    const run = await runtime.start(agent('ask_user'), { input: 'go' })
    const { waits } = await within(run.settled())
    expect(waits).toMatchObject([{ kind: 'question', subject: { question: 'Which one?', options: ['red', 'blue'] } }])
    const id = waits[0]?.id ?? ''
    expect(await runtime.answer(id, 'green')).toMatchObject({ state: 'invalid' })
    expect(await runtime.approve(id)).toMatchObject({ state: 'invalid' })
    expect(await runtime.answer(id, 'blue')).toMatchObject({ state: 'accepted' })
    expect((await within(run.settled())).status).toBe('completed')
    expect([...resultsIn(model.prompts[1]).values()]).toEqual([{ type: 'text', value: 'blue' }])
  })

  test('with a schema takes only what fits', async () => {
    const model = asker({ question: 'How many?', schema: { type: 'integer', minimum: 1 } })
    const runtime = runtimeOf(memoryStore(), { models: { main: model } })
    const run = await runtime.start(agent('ask_user'), { input: 'go' })
    const id = (await within(run.settled())).waits[0]?.id ?? ''
    expect(await runtime.answer(id, 0)).toMatchObject({ state: 'invalid' })
    expect(await runtime.answer(id, 3)).toMatchObject({ state: 'accepted' })
    await within(run.settled())
    expect([...resultsIn(model.prompts[1]).values()]).toEqual([{ type: 'json', value: 3 }])
  })

  test('may be answered with nothing at all, where its schema takes that', async () => {
    const model = asker({ question: 'Which tag?', schema: { type: ['string', 'null'] } })
    const runtime = runtimeOf(memoryStore(), { models: { main: model } })
    const run = await runtime.start(agent('ask_user'), { input: 'go' })
    expect(await runtime.answer((await within(run.settled())).waits[0]?.id ?? '', null)).toMatchObject({ state: 'accepted' })
    expect((await within(run.settled())).status).toBe('completed')
    expect([...resultsIn(model.prompts[1]).values()]).toEqual([{ type: 'json', value: null }])
  })

  test.each([
    [undefined, 'A person declined to answer this question.'],
    ['I would rather not say.', 'A person declined to answer this question: I would rather not say.']
  ])('that a person declines is refused by a person, with the reason word for word: %s', async (reason, read) => {
    const model = asker({ question: 'Your age?', schema: { type: 'integer' } })
    const runtime = runtimeOf(memoryStore(), { models: { main: model } })
    const run = await runtime.start(agent('ask_user'), { input: 'go' })
    const id = (await within(run.settled())).waits[0]?.id ?? ''
    expect(await runtime.deny(id, reason === undefined ? {} : { reason })).toMatchObject({ state: 'accepted' })
    expect(await runtime.answer(id, 7)).toMatchObject({ state: 'conflict' })
    expect((await within(run.settled())).status).toBe('completed')
    expect(await outcomesOf(run)).toEqual(['denied'])
    expect([...resultsIn(model.prompts[1]).values()]).toEqual([{ type: 'error-text', value: read }])
  })

  // I12
  test.each([
    { kind: 'person', answers: true },
    { kind: 'host', answers: true },
    { kind: 'agent', answers: false },
    { kind: 'runtime', answers: false }
  ] as const)('is answered by a message of a $kind: $answers', async ({ kind, answers }) => {
    const store = memoryStore()
    const model = asker({ question: 'Your name?' })
    const runtime = runtimeOf(store, { models: { main: model } })
    const other = runtimeOf(store, { concurrency: 0, principal: { kind, id: 'x' } })
    const run = await runtime.start(agent('ask_user'), { input: 'go' })
    await within(run.settled())
    await other.thread(run.thread).message('Ada')
    await runtime.thread(run.thread).resume()
    expect((await within(run.settled())).status).toBe(answers ? 'completed' : 'waiting')
  })

  test('passes over a message that does not fit it, which is read when it is answered', async () => {
    const model = asker({ question: 'Which one?', options: ['red', 'blue'] })
    const runtime = runtimeOf(memoryStore(), { models: { main: model } })
    const run = await runtime.start(agent('ask_user'), { input: 'go' })
    await within(run.settled())
    await run.message('green')
    await run.message('BLUE')
    expect((await within(run.settled())).status).toBe('completed')
    expect([...resultsIn(model.prompts[1]).values()]).toEqual([{ type: 'text', value: 'blue' }])
    expect(userTexts(model.prompts[1])).toEqual(['go', 'green'])
  })

  test('is not answered by a message while another one is open', async () => {
    const model = caller({ name: 'ask_user', arguments: { question: 'A?' } }, { name: 'ask_user', arguments: { question: 'B?' } })
    const runtime = runtimeOf(memoryStore(), { models: { main: model } })
    const run = await runtime.start(agent('ask_user'), { input: 'go' })
    const { waits } = await within(run.settled())
    await run.message('to whom?')
    expect((await within(run.settled())).waits).toHaveLength(2)
    await runtime.answer(waits[0]?.id ?? '', 'a')
    // Now there is one, and the message has waited for it.
    expect((await within(run.settled())).status).toBe('completed')
    expect([...resultsIn(model.prompts[1]).values()].map(({ value }) => value)).toEqual(['a', 'to whom?'])
  })
})

describe('who may decide', () => {
  test('is never an agent or the runtime, whatever the host says, and whom else the host names', async () => {
    const ledger: Ledger = { ran: [] }
    const store = memoryStore()
    const runtime = runtimeOf(store, { tools: [pay(ledger)], models: { main: caller({ name: 'pay', arguments: { amount: 12 } }) } })
    const run = await runtime.start(agent('pay'), { input: 'go' })
    const id = (await within(run.settled())).waits[0]?.id ?? ''
    for (const kind of ['agent', 'runtime'] as const) {
      const other = runtimeOf(store, { concurrency: 0, principal: { kind, id: 'x' }, mayDecide: () => true })
      await refusalOf('forbidden', () => other.approve(id))
    }
    const stranger = runtimeOf(store, {
      concurrency: 0,
      principal: { kind: 'person', id: 'eve' },
      mayDecide: (_, { id: who }) => who === 'ann'
    })
    await refusalOf('forbidden', () => stranger.deny(id))
    expect((await runtime.waits()).items).toHaveLength(1)
  })

  // I12
  test('is asked of messages that would answer, too; a repeat is one whatever is asked by then', async () => {
    const store = memoryStore()
    const model = caller({ name: 'ask_user', arguments: { question: 'Which account?' } })
    const mayDecide: DecisionPolicy = (_, { id }) => id === 'ann'
    const ann = runtimeOf(store, { models: { main: model }, principal: { kind: 'person', id: 'ann' }, mayDecide })
    const eve = runtimeOf(store, { concurrency: 0, principal: { kind: 'person', id: 'eve' }, mayDecide })
    const run = await ann.start(agent('ask_user'), { input: 'go' })
    await within(run.settled())
    await eve.thread(run.thread).message('mine', { id: 'm1' })
    await run.resume()
    expect((await within(run.settled())).status).toBe('waiting')
    await run.message('the usual one')
    expect((await within(run.settled())).status).toBe('completed')
    expect([...resultsIn(model.prompts[1]).values()]).toEqual([{ type: 'text', value: 'the usual one' }])
    expect(userTexts(model.prompts[1])).toEqual(['go', 'mine'])
    expect(await eve.thread(run.thread).message('mine', { id: 'm1' })).toMatchObject({ state: 'repeated' })
    const anybody = runtimeOf(store, { concurrency: 0, principal: { kind: 'person', id: 'eve' } })
    expect(await anybody.thread(run.thread).message('mine', { id: 'm1' })).toMatchObject({ state: 'repeated' })
    await refusalOf('conflict', () => anybody.thread(run.thread).message('yours', { id: 'm1' }))
  })

  test('may say that a message is no answer', async () => {
    const model = caller({ name: 'ask_user', arguments: { question: 'Which account?' } })
    const runtime = runtimeOf(memoryStore(), { models: { main: model } })
    const run = await runtime.start(agent('ask_user'), { input: 'go' })
    const id = (await within(run.settled())).waits[0]?.id ?? ''
    await run.message('By the way, it is raining.', { answers: false })
    expect((await within(run.settled())).status).toBe('waiting')
    await runtime.answer(id, 'the usual one')
    expect((await within(run.settled())).status).toBe('completed')
    expect([...resultsIn(model.prompts[1]).values()]).toEqual([{ type: 'text', value: 'the usual one' }])
    expect(userTexts(model.prompts[1])).toEqual(['go', 'By the way, it is raining.'])
  })

  test('is somebody of the same tenant', async () => {
    const store = memoryStore()
    const runtime = runtimeOf(store, { tools: [pay({ ran: [] })], models: { main: caller({ name: 'pay', arguments: { amount: 12 } }) } })
    const run = await runtime.start(agent('pay'), { input: 'go' })
    const id = (await within(run.settled())).waits[0]?.id ?? ''
    const other = runtimeOf(store, { concurrency: 0, tenant: 'elsewhere' })
    expect(await other.approve(id)).toEqual({ wait: id, state: 'unknown' })
  })
})
