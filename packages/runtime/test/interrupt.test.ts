import { describe, expect, test } from 'vitest'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { agentOf, factsOfType, latch, recordingModel, runtimeFor, streamingModel, toolOf, until, userTexts, within } from './runtime-kit.ts'
import { finish, text } from './stream-parts.ts'

/** A model that says the beginning of an answer and no more, until it was asked `patience` times; then it answers. */
function hesitating(patience = 1) {
  const aborted = latch()
  const model = streamingModel(async function* ({ request, call }) {
    yield text('t', `answer ${request}`)
    if (request > patience) return yield finish('stop')
    call.abortSignal?.addEventListener('abort', () => aborted.open())
    await new Promise(() => {})
  })
  return { model, aborted: aborted.opened }
}

describe('an interrupt', () => {
  test('aborts the answer that comes, keeps none of it, and is read at once', async () => {
    const { model, aborted } = hesitating()
    const handle = await runtimeFor(model).start(agentOf(), { input: 'go' })
    await until(() => model.prompts.length === 1)
    expect(await handle.message('stop that', { id: 'm1', interrupt: true })).toEqual({ item: 'm1', state: 'queued' })
    await within(aborted)
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: 'answer 2' })
    expect(userTexts(model.prompts[1])).toEqual(['go', 'stop that'])
    expect(model.prompts[1]?.map((message) => message.role)).toEqual(['user', 'user'])
    const [{ turn, ...failed } = { turn: '' }] = await factsOfType(handle, 'model.failed')
    expect(failed).toMatchObject({ try: 1, why: 'interrupted' })
    expect(failed).not.toHaveProperty('error')
    expect((await factsOfType(handle, 'message.received')).at(-1)).toMatchObject({ cause: 'm1', interrupts: turn })
    expect(await factsOfType(handle, 'turn.started')).toMatchObject([
      { turn, try: 1 },
      { turn, try: 2 }
    ])
    expect(await factsOfType(handle, 'model.responded')).toHaveLength(1)
  })

  test('counts what the aborted call has used, as far as that is known', async () => {
    const watched = latch()
    const model = streamingModel(async function* ({ request }) {
      await watched.opened
      yield text('t', `answer ${request}`)
      if (request === 1) await new Promise(() => {})
      yield finish('stop')
    })
    const prices = { main: { input: 1_000_000, output: 1_000_000 } }
    const handle = await runtimeFor(model, { prices }).start(agentOf(), { input: 'go' })
    // What has come so far is all that can be counted.
    for await (const event of handle.events()) {
      if (event.type === 'turn.started') watched.open()
      if (event.type === 'text.delta') break
    }
    await handle.message('stop that', { interrupt: true })
    const result = await within(handle.settled())
    const [failed] = await factsOfType(handle, 'model.failed')
    expect(failed?.usage).toMatchObject({ estimated: true })
    expect(failed?.cost).toBeGreaterThan(0)
    const [responded] = await factsOfType(handle, 'model.responded')
    expect(result.usage.outputTokens).toBe((failed?.usage?.outputTokens ?? 0) + (responded?.usage.outputTokens ?? 0))
    expect(result.cost).toBe(Number(failed?.cost) + Number(responded?.cost))
  })

  test('tells who watches that what was shown of the answer does not count', async () => {
    // B091
    const { model } = hesitating()
    const handle = await runtimeFor(model).start(agentOf(), { input: 'go' })
    let shown = ''
    const events = (async () => {
      for await (const event of handle.events()) {
        if (event.type === 'try.reset') shown = ''
        else if (event.type === 'text.delta') shown += event.text
      }
    })()
    await until(() => shown === 'answer 1')
    await handle.message('stop that', { interrupt: true })
    await within(events)
    expect(shown).toBe('answer 2')
  })

  test('while tools run aborts none of them and stands behind their results', async () => {
    // B028
    const gate = latch()
    let isAborted = false
    const tools = [
      toolOf('wait', (_, { signal }) => {
        signal.addEventListener('abort', () => (isAborted = true))
        return gate.opened.then(() => 'waited')
      })
    ]
    const model = recordingModel(({ request }) => (request === 1 ? { toolCalls: [{ name: 'wait' }] } : { text: 'done' }))
    const handle = await runtimeFor(model).start(agentOf({ tools }), { input: 'go' })
    await until(async () => (await factsOfType(handle, 'call.started')).length === 1)
    await handle.message('hurry', { id: 'm1', interrupt: true })
    await until(async () => (await handle.info()).pending === 1)
    expect(await handle.receipt('m1')).toEqual({ item: 'm1', state: 'queued' })
    gate.open()
    await within(handle.settled())
    expect(isAborted).toBe(false)
    expect(model.prompts[1]?.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(await factsOfType(handle, 'model.failed')).toEqual([])
  })

  test('reaches a thread that another runtime drives', async () => {
    const store = memoryStore()
    const { model, aborted } = hesitating()
    const handle = await runtimeFor(model, { store }).start(agentOf(), { input: 'go' })
    await until(() => model.prompts.length === 1)
    const other = runtimeFor(model, { store, concurrency: 0 }).thread(handle.id)
    await other.message('stop that', { id: 'm1', interrupt: true })
    await within(aborted)
    const receipt = await within(other.receipt('m1', { wait: true }))
    expect(receipt).toMatchObject({ state: 'taken', run: handle.run })
    expect(await within(other.settled())).toMatchObject({ status: 'completed', text: 'answer 2' })
  })

  test('of a model that does not listen does not wait for it', async () => {
    const gate = latch()
    const model = recordingModel(({ request }) => ({ text: `answer ${request}` }))
    const deaf = {
      ...model,
      doStream: async (call: Parameters<typeof model.doStream>[0]) => {
        if (model.prompts.length === 0) await Promise.all([model.doStream(call), gate.opened])
        return model.doStream(call)
      }
    }
    const handle = await runtimeFor(deaf).start(agentOf(), { input: 'go' })
    await until(() => model.prompts.length === 1)
    await handle.message('stop that', { interrupt: true })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: 'answer 2' })
    expect(await factsOfType(handle, 'model.failed')).toMatchObject([{ why: 'interrupted' }])
    gate.open()
  })

  test('between the start of a turn and its request makes one request, which holds it', async () => {
    const finding = latch()
    const found = latch()
    const model = recordingModel(() => ({ text: 'done' }))
    let asked = 0
    const models = async () => {
      if (++asked === 1) {
        finding.open()
        await found.opened
      }
      return model
    }
    const handle = await runtimeFor(model, { models }).start(agentOf(), { input: 'go' })
    await within(finding.opened)
    await handle.message('not so', { id: 'm1', interrupt: true })
    await until(async () => (await handle.info()).pending === 0)
    found.open()
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: 'done' })
    expect(model.prompts.map(userTexts)).toEqual([['go', 'not so']])
  })

  test('of a thread that rests is a message like any other', async () => {
    const model = recordingModel(({ request }) => (request === 1 ? { error: { transient: false } } : { text: 'better' }))
    const handle = await runtimeFor(model).start(agentOf(), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'failed' })
    await handle.message('again', { interrupt: true })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: 'better' })
    expect(await factsOfType(handle, 'model.failed')).toHaveLength(1)
  })

  test('sent twice is one; the same id as a message is a conflict', async () => {
    const { model } = hesitating()
    const handle = await runtimeFor(model).start(agentOf(), { input: 'go' })
    await until(() => model.prompts.length === 1)
    const [first, second] = await Promise.all([
      handle.message('stop that', { id: 'm1', interrupt: true }),
      handle.message('stop that', { id: 'm1', interrupt: true })
    ])
    expect([first.state, second.state].toSorted()).toEqual(['queued', 'repeated'])
    await within(handle.settled())
    expect(model.prompts).toHaveLength(2)
    await expect(handle.message('stop that', { id: 'm1' })).rejects.toMatchObject({ code: 'conflict' })
  })

  test.each([1, 3])('%d times over leaves one request for each, and the last one is answered', async (times) => {
    const { model } = hesitating(times)
    const handle = await runtimeFor(model).start(agentOf({ limits: { maxTurns: 1, maxRetries: 0 } }), { input: 'go' })
    for (let count = 1; count <= times; count++) {
      await until(() => model.prompts.length === count)
      await handle.message(`m${count}`, { interrupt: true })
    }
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: `answer ${times + 1}` })
    expect(model.prompts).toHaveLength(times + 1)
  })

  test('during the pause that a provider asked for waits for its end', async () => {
    const clock = fakeClock()
    const model = recordingModel(({ request }) => (request === 1 ? { error: { status: 429, retryAfter: 60 } } : { text: 'done' }))
    const handle = await runtimeFor(model, { clock }).start(agentOf(), { input: 'go' })
    await until(async () => (await factsOfType(handle, 'model.failed')).length === 1)
    await handle.message('hurry', { id: 'm1', interrupt: true })
    expect(await within(handle.receipt('m1', { wait: true }))).toMatchObject({ state: 'taken' })
    expect(model.prompts).toHaveLength(1)
    const settled = within(handle.settled())
    await until(async () => {
      await clock.advance(1_000)
      return model.prompts.length === 2
    })
    expect(await settled).toMatchObject({ status: 'completed' })
    expect(userTexts(model.prompts[1])).toEqual(['go', 'hurry'])
  })
})
