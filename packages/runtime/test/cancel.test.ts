import { describe, expect, test } from 'vitest'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { faultyStore } from '../src/testing/faulty-store.ts'
import type { Tool } from '../src/contracts/tool.ts'
import {
  agentOf,
  factsOf,
  factsOfType,
  latch,
  outcomesOf,
  recordingModel,
  resultsIn,
  runtimeFor,
  streamingModel,
  toolOf,
  until,
  userTexts,
  within
} from './runtime-kit.ts'
import { text } from './stream-parts.ts'

const untilAborted: Tool['execute'] = (_, { signal }) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped')))
const untilRejected: Tool['execute'] = (_, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

describe('a cancel', () => {
  test('before the run began ends it without asking a model', async () => {
    const clock = fakeClock()
    // Nobody can claim it for a while.
    const store = faultyStore(memoryStore({ clock }), {
      fail: ({ method }) => (method === 'claim' && clock.monotonic() < 5_000 ? 'before' : null)
    })
    const model = recordingModel(() => ({ text: 'done' }))
    const handle = await runtimeFor(model, { clock, store }).start(agentOf(), { input: 'go' })
    await handle.cancel({ reason: 'changed my mind' })
    const settled = within(handle.settled())
    await until(async () => {
      await clock.advance(1_000)
      return (await handle.info()).row.status === 'cancelled'
    })
    expect(await settled).toMatchObject({ status: 'cancelled', run: handle.run })
    expect(await factsOfType(handle, 'run.ended')).toMatchObject([{ status: 'cancelled', why: 'changed my mind' }])
    expect(model.prompts).toHaveLength(0)
  })

  test('while the model is still being found calls none', async () => {
    const finding = latch()
    const found = latch()
    const model = streamingModel(() => [text('t', 'too late')])
    const models = async () => {
      finding.open()
      await found.opened
      return model
    }
    const handle = await runtimeFor(model, { models }).start(agentOf(), { input: 'go' })
    await within(finding.opened)
    await handle.cancel()
    await until(async () => (await handle.info()).pending === 0)
    found.open()
    expect(await within(handle.settled())).toMatchObject({ status: 'cancelled' })
    expect(model.calls).toHaveLength(0)
  })

  test('during a stream aborts it; what arrived is no answer', async () => {
    const cut = latch()
    const model = streamingModel(async function* ({ request, call }) {
      yield text('t', 'the beginning')
      if (request > 1) return
      call.abortSignal?.addEventListener('abort', () => cut.open())
      await new Promise(() => {})
    })
    const handle = await runtimeFor(model).start(agentOf(), { input: 'go' })
    await until(() => model.prompts.length === 1)
    await handle.cancel()
    expect(await within(handle.settled())).toMatchObject({ status: 'cancelled' })
    await within(cut.opened)
    expect(model.prompts).toHaveLength(1)
    expect(await factsOfType(handle, 'model.responded')).toEqual([])
    expect(await factsOfType(handle, 'model.failed')).toMatchObject([{ why: 'aborted' }])
  })

  test('ends a run whose model never answers and does not listen', async () => {
    const model = { ...recordingModel(() => ({ text: '' })), doStream: () => new Promise<never>(() => {}) }
    const runtime = runtimeFor(model)
    const handle = await runtime.start(agentOf(), { input: 'go' })
    await until(async () => (await factsOfType(handle, 'turn.started')).length === 1)
    await handle.cancel()
    expect(await within(handle.settled())).toMatchObject({ status: 'cancelled' })
    await within(runtime.close())
  })

  test('in the middle of a batch leaves one true result for each call, also after a restart', async () => {
    // B022
    const store = memoryStore()
    const begun: string[] = []
    const tool = (name: string, execute: Tool['execute']) =>
      toolOf(name, (...given) => {
        begun.push(name)
        return execute(...given)
      })
    const tools = [tool('a', () => 'a is done'), tool('b', untilRejected), tool('c', () => 'c is done')]
    const model = recordingModel(({ request }) =>
      request === 1 ? { toolCalls: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] } : { text: 'done' }
    )
    const runtime = runtimeFor(model, { store })
    // One after another: c would be next.
    const handle = await runtime.start(agentOf({ tools, limits: { maxParallelCalls: 1 } }), { input: 'go' })
    await until(() => begun.includes('b'))
    await handle.cancel()
    expect(await within(handle.settled())).toMatchObject({ status: 'cancelled' })
    expect(begun).toEqual(['a', 'b'])
    expect(model.prompts).toHaveLength(1)
    await runtime.close()
    const later = recordingModel(() => ({ text: 'going on' }))
    const thread = runtimeFor(later, { store, tools }).thread(handle.id)
    await thread.message('go on')
    expect(await within(thread.settled())).toMatchObject({ status: 'completed', text: 'going on' })
    const settled = (await factsOfType(thread, 'call.settled')).toSorted((a, b) => (a.call < b.call ? -1 : 1))
    expect(settled.map((fact) => fact.outcome)).toEqual(['ok', 'cancelled', 'cancelled'])
    // The one may have had an effect, the other has not.
    expect(settled[1]?.result).not.toEqual(settled[2]?.result)
    const shown = [...resultsIn(later.prompts[0]).values()]
    expect(shown).toMatchObject([{ type: 'text', value: 'a is done' }, { type: 'error-text' }, { type: 'error-text' }])
    expect(userTexts(later.prompts[0])).toEqual(['go', 'go on'])
    expect(begun).toEqual(['a', 'b'])
  })

  test('does not wait longer for a tool that ignores it than its grace, and drops its late result', async () => {
    const clock = fakeClock()
    const late = latch<string>()
    const begun = latch<AbortSignal>()
    const deaf = toolOf('deaf', (_, { signal }) => {
      begun.open(signal)
      return late.opened
    })
    const model = recordingModel(() => ({ toolCalls: [{ name: 'deaf' }] }))
    const handle = await runtimeFor(model, { clock }).start(agentOf({ tools: [deaf] }), { input: 'go' })
    const signal = await within(begun.opened)
    await handle.cancel({ graceMs: 7_000 })
    await until(() => signal.aborted)
    await clock.advance(6_999)
    expect((await handle.info()).row.status).toBe('running')
    await clock.advance(1)
    expect(await within(handle.settled())).toMatchObject({ status: 'cancelled' })
    late.open('late')
    await new Promise((resolve) => setImmediate(resolve))
    expect(await outcomesOf(handle)).toEqual(['cancelled'])
    expect(model.prompts).toHaveLength(1)
  })

  test('keeps what a tool still says within its grace', async () => {
    const tools = [toolOf('polite', untilAborted)]
    const handle = await runtimeFor(recordingModel(() => ({ toolCalls: [{ name: 'polite' }] }))).start(agentOf({ tools }), { input: 'go' })
    await until(async () => (await factsOfType(handle, 'call.started')).length === 1)
    await handle.cancel()
    await within(handle.settled())
    expect(await factsOfType(handle, 'call.settled')).toMatchObject([{ outcome: 'ok', result: { inline: { value: 'stopped' } } }])
  })

  test('sent twice, and after the end, changes nothing more', async () => {
    const tools = [toolOf('wait', untilAborted)]
    const model = recordingModel(() => ({ toolCalls: [{ name: 'wait' }] }))
    const handle = await runtimeFor(model).start(agentOf({ tools }), { input: 'go' })
    await until(async () => (await factsOfType(handle, 'call.started')).length === 1)
    await Promise.all([handle.cancel({ reason: 'first' }), handle.cancel({ reason: 'second' })])
    await within(handle.settled())
    await handle.cancel({ reason: 'third' })
    await within(handle.settled())
    expect(await factsOfType(handle, 'run.ended')).toMatchObject([{ status: 'cancelled', why: expect.stringMatching(/^(first|second)$/) }])
    expect((await factsOfType(handle, 'item.discarded')).map((fact) => fact.why)).toEqual(['stale', 'no_run'])
    expect((await handle.info()).pending).toBe(0)
  })

  test('of a run that is over does not touch what it gave', async () => {
    const handle = await runtimeFor(recordingModel(() => ({ text: 'done' }))).start(agentOf(), { input: 'go' })
    await within(handle.settled())
    await handle.cancel()
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: 'done' })
  })

  test('of an unknown thread is refused', async () => {
    const runtime = runtimeFor(recordingModel(() => ({ text: 'done' })))
    await expect(runtime.thread('thr_nobody').cancel()).rejects.toMatchObject({ code: 'thread_not_found' })
  })

  test.each([
    ['a short', 1],
    ['a long', 60]
  ])('during %s pause before the next try ends the run at once', async (_, retryAfter) => {
    const clock = fakeClock()
    const model = recordingModel(() => ({ error: { status: 429, retryAfter } }))
    const handle = await runtimeFor(model, { clock }).start(agentOf(), { input: 'go' })
    await until(async () => (await factsOfType(handle, 'model.failed')).length === 1)
    await handle.cancel()
    expect(await within(handle.settled())).toMatchObject({ status: 'cancelled' })
    await clock.advance(120_000)
    expect(model.prompts).toHaveLength(1)
  })

  test('reaches a thread that another runtime drives', async () => {
    const store = memoryStore()
    const begun = latch()
    const wait = toolOf('wait', (...given) => {
      begun.open()
      return untilAborted(...given)
    })
    const model = recordingModel(() => ({ toolCalls: [{ name: 'wait' }] }))
    const handle = await runtimeFor(model, { store }).start(agentOf({ tools: [wait] }), { input: 'go' })
    await within(begun.opened)
    const other = runtimeFor(model, { store }).thread(handle.id)
    await other.cancel()
    expect(await within(other.settled())).toMatchObject({ status: 'cancelled' })
  })

  test('with an endless reason keeps the beginning of it', async () => {
    const tools = [toolOf('wait', untilAborted)]
    const handle = await runtimeFor(recordingModel(() => ({ toolCalls: [{ name: 'wait' }] }))).start(agentOf({ tools }), { input: 'go' })
    await until(async () => (await factsOfType(handle, 'call.started')).length === 1)
    await handle.cancel({ reason: `because ${'x'.repeat(1_000_000)}` })
    expect(await within(handle.settled())).toMatchObject({ status: 'cancelled' })
    const [end] = await factsOfType(handle, 'run.ended')
    expect(end?.why).toMatch(/^because x+$/)
    expect(end?.why?.length).toBeLessThan(10_000)
  })

  test('with half a surrogate pair in its reason is stored well-formed', async () => {
    // B013
    const tools = [toolOf('wait', untilAborted)]
    const handle = await runtimeFor(recordingModel(() => ({ toolCalls: [{ name: 'wait' }] }))).start(agentOf({ tools }), { input: 'go' })
    await until(async () => (await factsOfType(handle, 'call.started')).length === 1)
    await handle.cancel({ reason: 'no\ud800' })
    await within(handle.settled())
    expect(JSON.stringify(await factsOf(handle))).not.toMatch(/\\ud800/i)
  })
})
