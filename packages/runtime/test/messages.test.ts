import { describe, expect, test } from 'vitest'
import type { ThreadHandle } from '../src/contracts/thread-handle.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import {
  agentOf,
  faultOf,
  factsOf,
  factsOfType,
  latch,
  recordingModel,
  runtimeFor,
  streamingModel,
  toolOf,
  until,
  userTexts,
  within
} from './runtime-kit.ts'
import { finish, text } from './stream-parts.ts'

/** What became of every message: received in this order, or returned. */
async function fatesOf(handle: ThreadHandle): Promise<{ readonly received: readonly string[]; readonly returned: readonly string[] }> {
  const facts = await factsOf(handle)
  return {
    received: facts.flatMap((fact) => (fact.type === 'message.received' && fact.cause?.startsWith('m') ? [fact.cause] : [])),
    returned: facts.flatMap((fact) => (fact.type === 'message.returned' ? [fact.item] : []))
  }
}

describe('a message', () => {
  test('that comes while tools run stands behind their results, in the request and in the log', async () => {
    // B028
    const store = memoryStore()
    const gates = [latch(), latch()]
    const tools = ['a', 'b'].map((name, index) => toolOf(name, () => gates[index]?.opened.then(() => name), { effect: 'read' }))
    const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'a' }, { name: 'b' }] } : { text: 'done' }))
    const runtime = runtimeFor(model, { store })
    const handle = await runtime.start(agentOf({ tools }), { input: 'go' })
    await until(async () => (await factsOfType(handle, 'call.started')).length === 2)
    gates[1]?.open()
    await until(async () => (await factsOfType(handle, 'call.settled')).length === 1)
    expect(await handle.message('use staging', { id: 'm1' })).toEqual({ item: 'm1', state: 'queued' })
    gates[0]?.open()
    await within(handle.settled())
    expect(model.prompts[1]?.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(userTexts(model.prompts[1])).toEqual(['go', 'use staging'])
    expect(await fatesOf(handle)).toEqual({ received: ['m1'], returned: [] })
    const types = (await factsOf(handle)).map((fact) => fact.type)
    expect(types.lastIndexOf('message.received')).toBeGreaterThan(types.lastIndexOf('call.settled'))
    // Another process is told the same history.
    await runtime.close()
    const later = recordingModel(() => ({ text: 'again' }))
    const thread = runtimeFor(later, { store, tools }).thread(handle.id)
    await thread.message('more')
    await within(thread.settled())
    expect(later.prompts[0]?.slice(0, 4)).toEqual(model.prompts[1])
  })

  test('sent twice under one id is one message; other content under it is a conflict', async () => {
    const model = recordingModel(() => ({ text: 'done' }))
    const handle = await runtimeFor(model).start(agentOf(), { input: 'go' })
    await within(handle.settled())
    expect(await handle.message('again', { id: 'm1' })).toEqual({ item: 'm1', state: 'queued' })
    expect(await handle.message('again', { id: 'm1' })).toEqual({ item: 'm1', state: 'repeated' })
    await within(handle.settled())
    expect(await handle.message('again', { id: 'm1' })).toEqual({ item: 'm1', state: 'repeated' })
    await expect(handle.message('other', { id: 'm1' })).rejects.toMatchObject({ code: 'conflict' })
    await within(handle.settled())
    expect(userTexts(model.prompts.at(-1))).toEqual(['go', 'again'])
    expect(model.prompts).toHaveLength(2)
  })

  test.each([
    ['is empty', ''],
    ['is blank', ' \n'],
    ['has no parts', []],
    ['has only blank parts', [{ type: 'text' as const, text: ' ' }]]
  ])('that %s is refused before it is accepted', async (_, input) => {
    const handle = await runtimeFor(recordingModel(() => ({ text: 'done' }))).start(agentOf(), { input: 'go' })
    await expect(handle.message(input)).rejects.toMatchObject({ code: 'invalid_input' })
    await within(handle.settled())
    expect((await handle.info()).pending).toBe(0)
  })

  test('that is too large is refused before it is accepted', async () => {
    const handle = await runtimeFor(recordingModel(() => ({ text: 'done' }))).start(agentOf(), { input: 'go' })
    await expect(handle.message('x'.repeat(16_777_216))).rejects.toMatchObject({ code: 'value_too_large' })
    await within(handle.settled())
    expect((await handle.info()).pending).toBe(0)
  })

  test('to an unknown thread is refused', async () => {
    const runtime = runtimeFor(recordingModel(() => ({ text: 'done' })))
    await expect(runtime.thread('thr_nobody').message('hello')).rejects.toMatchObject({ code: 'thread_not_found' })
  })

  test('with half a surrogate pair reaches the model well-formed', async () => {
    // B013
    const model = recordingModel(() => ({ text: 'done' }))
    const handle = await runtimeFor(model).start(agentOf(), { input: 'x\ud800' })
    await within(handle.settled())
    await handle.message('\udc00y')
    await within(handle.settled())
    expect(userTexts(model.prompts.at(-1))).toEqual(['x\ufffd', '\ufffdy'])
    expect(model.prompts.map(faultOf)).toEqual([null, null])
  })

  test('does not have to share a commit with others: several large ones are all delivered, in order', async () => {
    const gate = latch()
    const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'wait' }] } : { text: 'done' }))
    const handle = await runtimeFor(model).start(agentOf({ tools: [toolOf('wait', () => gate.opened)] }), { input: 'go' })
    await until(async () => (await factsOfType(handle, 'call.started')).length === 1)
    const large = ['m1', 'm2', 'm3', 'm4'].map((id) => `${id} ${'x'.repeat(450_000)}`)
    for (const input of large) await handle.message(input, { id: input.slice(0, 2) })
    gate.open()
    await within(handle.settled())
    expect(await fatesOf(handle)).toEqual({ received: ['m1', 'm2', 'm3', 'm4'], returned: [] })
    expect(userTexts(model.prompts.at(-1))).toEqual(['go', ...large])
  })
})

describe('every accepted message', () => {
  test('is delivered once and in order, or returned, whenever it comes', async () => {
    // B060
    const store = memoryStore()
    const tool = latch()
    const streaming = latch()
    const streamed = latch()
    const model = streamingModel(async function* ({ answers, prompt, request }) {
      if (answers === 0) {
        yield { type: 'tool-call', toolCallId: 'c1', toolName: 'wait', input: '{}' }
        yield finish('tool-calls')
        return
      }
      if (userTexts(prompt).at(-1) === 'm2') {
        streaming.open()
        await streamed.opened
      }
      yield text('t', `answer ${request}`)
      yield finish('stop')
    })
    const tools = [toolOf('wait', () => tool.opened, { effect: 'read' })]
    const runtime = runtimeFor(model, { store })
    const handle = await runtime.start(agentOf({ tools, limits: { maxTurns: 3 } }), { input: 'go' })
    const say = (id: string) => handle.message(id, { id })
    // While a tool runs, and between its result and the next request.
    await until(async () => (await factsOfType(handle, 'call.started')).length === 1)
    await say('m1')
    tool.open()
    await say('m2')
    // While the answer streams; it is answered in the last turn that the limit allows.
    await within(streaming.opened)
    await say('m3')
    streamed.open()
    await until(async () => userTexts(model.prompts.at(-1)).includes('m3'))
    // With the turn limit reached: it begins the next run.
    await say('m4')
    await within(handle.settled())
    // After the end, and just before a cancel.
    await say('m5')
    await say('m6')
    await handle.cancel()
    await within(handle.settled())
    const m7 = say('m7')
    await runtime.close({ graceMs: 0 })
    await m7
    // After a restart everything is answered.
    const later = recordingModel(() => ({ text: 'done' }))
    const thread = runtimeFor(later, { store, tools }).thread(handle.id)
    await thread.resume({ takeover: true })
    await thread.message('m8', { id: 'm8' })
    await within(thread.settled())
    const { received, returned } = await fatesOf(thread)
    expect([...received, ...returned].toSorted()).toEqual(['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8'])
    expect(userTexts(later.prompts.at(-1))).toEqual(['go', ...received])
    expect(received).toEqual(received.toSorted())
    expect((await thread.info()).pending).toBe(0)
  })

  test('that comes in the last turn of the limit begins the next run', async () => {
    // B060
    const model = recordingModel(({ request }) => ({ text: `answer ${request}` }))
    const said = latch()
    const slow = streamingModel(async function* (asked) {
      if (asked.request === 1) await said.opened
      yield text('t', `answer ${asked.request}`)
      yield finish('stop')
    })
    const handle = await runtimeFor(slow).start(agentOf({ limits: { maxTurns: 1 } }), { input: 'go' })
    await until(() => slow.prompts.length === 1)
    await handle.message('m1', { id: 'm1' })
    said.open()
    await within(handle.settled())
    expect((await handle.runs()).map((run) => run.status)).toEqual(['completed', 'completed'])
    expect(userTexts(slow.prompts.at(-1))).toEqual(['go', 'm1'])
    expect(model.prompts).toHaveLength(0)
  })

  test('that comes beside the call that completes the task begins the next run', async () => {
    // B060
    const gate = latch()
    const model = recordingModel(({ request }) =>
      request === 1 ? { toolCalls: [{ name: 'task_complete', arguments: { result: 1 } }, { name: 'wait' }] } : { text: 'and that' }
    )
    const tools = [toolOf('wait', () => gate.opened)]
    const handle = await runtimeFor(model).start(agentOf({ tools: [...tools, 'task_complete'] }), { input: 'go' })
    await until(async () => (await factsOfType(handle, 'call.started')).length === 1)
    await handle.message('m1', { id: 'm1' })
    gate.open()
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: 'and that' })
    expect((await factsOfType(handle, 'run.ended')).map((fact) => fact.output)).toEqual([{ inline: 1 }, { inline: 'and that' }])
    expect(userTexts(model.prompts.at(-1))).toEqual(['go', 'm1'])
  })

  test.each([
    ['fails', { error: { transient: false } }],
    ['is stopped', { toolCalls: [{ name: 'wait' }] }]
  ])('that comes in a run that %s begins the next run', async (_, turn) => {
    // B060
    const said = latch()
    const model = recordingModel(async ({ request }) => {
      if (request > 1) return { text: 'answered' }
      await said.opened
      return turn
    })
    const handle = await runtimeFor(model).start(agentOf({ tools: [toolOf('wait', () => 1)], limits: { maxTurns: 1 } }), { input: 'go' })
    await until(() => model.prompts.length === 1)
    await handle.message('m1', { id: 'm1' })
    said.open()
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: 'answered' })
    expect(await handle.runs()).toHaveLength(2)
  })

  test('before a cancel is returned, and behind it begins the next run', async () => {
    // B060
    const gate = latch()
    const model = recordingModel(({ request }) => (request === 1 ? { toolCalls: [{ name: 'wait' }] } : { text: 'answered' }))
    const tools = [
      toolOf('wait', (_input, { signal }) => Promise.race([gate.opened, new Promise((stop) => signal.addEventListener('abort', stop))]))
    ]
    const handle = await runtimeFor(model).start(agentOf({ tools }), { input: 'go' })
    await until(async () => (await factsOfType(handle, 'call.started')).length === 1)
    await handle.message('m1', { id: 'm1' })
    await handle.message('m2', { id: 'm2' })
    await handle.cancel()
    await handle.message('m3', { id: 'm3' })
    await within(handle.settled())
    expect((await handle.runs()).map((run) => run.status)).toEqual(['cancelled', 'completed'])
    expect(await fatesOf(handle)).toEqual({ received: ['m3'], returned: ['m1', 'm2'] })
    expect(userTexts(model.prompts.at(-1))).toEqual(['go', 'm3'])
  })
})
