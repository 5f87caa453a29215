import { describe, expect, test } from 'vitest'
import type { Limits } from '../src/contracts/publication.ts'
import { checkHistory } from './model/check-history.ts'
import { answer, callPart, failure, result, textPart } from './model/outcomes.ts'
import { publicationOf } from './model/publication.ts'
import { PureThread } from './model/pure-thread.ts'
import { agentOf, factsOfType, latch, recordingModel, runtimeFor, toolOf, until, userTexts, within } from './runtime-kit.ts'

function running(limits: Limits = {}): PureThread {
  const thread = new PureThread(publicationOf(undefined, limits)).claim()
  thread.message('first')
  thread.commit()
  return thread
}

const retried = (thread: PureThread, run = thread.state.run?.id ?? '') =>
  thread.deliver('start', { run: 'run_again', parts: [], retries: run })
const roles = (thread: PureThread): readonly string[] => thread.conversation.history.map((message) => message.role)

describe('the item of a retry', () => {
  test('starts the next run without a message, and is named by what it started', () => {
    const thread = running()
    thread.commit(failure(thread.state, 'permanent', { error: { code: 'provider_rejected', message: 'no' } }))
    const { id } = retried(thread)
    const { types, request, actions } = thread.commit()
    expect(types).toEqual(['run.started', 'turn.started'])
    expect(request.consumed).toEqual([id])
    expect(thread.factsOf('run.started').at(-1)).toMatchObject({ run: 'run_again', cause: id })
    expect(actions).toEqual(['run_again//1#1'])
    expect(roles(thread)).toEqual(['user'])
  })

  test.for<[string, Limits, (thread: PureThread) => void, readonly string[]]>([
    ['that failed before its first answer', {}, (thread) => thread.commit(failure(thread.state, 'permanent')), ['user']],
    [
      'that was stopped behind the results of its last turn',
      { maxTurns: 1 },
      (thread) => thread.commit(...answer(thread.state, [callPart('look')], { verdicts: ['respond'] })),
      ['user', 'assistant', 'tool']
    ],
    [
      'that failed behind results',
      {},
      (thread) => {
        thread.commit(...answer(thread.state, [callPart('look')]))
        thread.commit(result(thread.state, 0))
        thread.commit(failure(thread.state, 'permanent'))
      },
      ['user', 'assistant', 'tool']
    ]
  ])('goes on after a run %s, with a valid history', ([, limits, end, history]) => {
    const thread = running(limits)
    end(thread)
    retried(thread)
    expect(thread.commit().types).toEqual(['run.started', 'turn.started'])
    // I7
    expect(roles(thread)).toEqual(history)
    expect(checkHistory(thread.conversation.history)).toBeNull()
    thread.commit(...answer(thread.state, [textPart('done')]))
    expect(thread.factsOf('run.ended').at(-1)).toMatchObject({ run: 'run_again', status: 'completed' })
  })

  // I10
  test.for<[string, (thread: PureThread) => void]>([
    ['after the last word of the model', (thread) => thread.commit(...answer(thread.state, [textPart('cut')], { finish: 'length' }))],
    ['after a run that completed', (thread) => thread.commit(...answer(thread.state, [textPart('done')]))],
    ['while the run is under way', () => {}],
    [
      'of a run that another one has followed',
      (thread) => {
        thread.commit(failure(thread.state, 'permanent'))
        thread.message('instead')
        thread.commit()
        thread.commit(failure(thread.state, 'permanent'))
      }
    ]
  ])('is stale %s', ([, before]) => {
    const thread = running()
    before(thread)
    const runs = thread.factsOf('run.started').length
    const item = retried(thread, 'run_1')
    thread.commit()
    expect(thread.factsOf('item.discarded')).toMatchObject([{ item: item.id, cause: item.id, why: 'stale' }])
    expect(thread.factsOf('run.started')).toHaveLength(runs)
  })

  test('that comes twice starts one run', () => {
    const thread = running()
    thread.commit(failure(thread.state, 'permanent'))
    retried(thread, 'run_1')
    retried(thread, 'run_1')
    thread.commit()
    expect(thread.factsOf('run.started').map((fact) => fact.run)).toEqual(['run_1', 'run_again'])
    expect(thread.factsOf('item.discarded')).toHaveLength(1)
  })

  test('and a cancel behind it make a run that ends at once, without a model call', () => {
    const thread = running()
    thread.commit(failure(thread.state, 'permanent'))
    retried(thread)
    thread.deliver('cancel', {})
    thread.commit()
    expect(thread.factsOf('run.ended').at(-1)).toMatchObject({ run: 'run_again', status: 'cancelled' })
    expect(thread.factsOf('turn.started')).toHaveLength(1)
    expect(thread.pending).toEqual([])
  })
})

describe('thread.retry', () => {
  test('asks again what a failed run last read, as the next run, once', async () => {
    const model = recordingModel(({ request }) => (request === 1 ? { error: { status: 400 } } : { text: 'done' }))
    const runtime = runtimeFor(model)
    const handle = await runtime.start(agentOf(), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'failed' })
    const { run } = await handle.info().then(({ row }) => row)
    expect(await handle.retry()).toEqual({ item: `retry:${run}`, state: 'queued' })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: 'done' })
    expect(model.prompts[1]).toEqual(model.prompts[0])
    expect((await handle.runs()).map(({ status }) => status)).toEqual(['failed', 'completed'])
    await expect(handle.retry()).rejects.toMatchObject({ code: 'conflict', details: { status: 'completed' } })
    expect(await factsOfType(handle, 'message.received')).toHaveLength(1)
  })

  test('of one run by two processes makes one run', async () => {
    const model = recordingModel(({ request }) => (request === 1 ? { error: { status: 400 } } : { text: 'done' }))
    const runtime = runtimeFor(model)
    const handle = await runtime.start(agentOf(), { input: 'go' })
    await within(handle.settled())
    const other = runtimeFor(model, { store: runtime.store, concurrency: 0 }).thread(handle.id)
    expect((await Promise.all([other.retry(), other.retry()])).map(({ state }) => state).sort()).toEqual(['queued', 'repeated'])
    await handle.resume()
    await within(handle.settled())
    expect(await handle.runs()).toHaveLength(2)
  })

  test('needs a word where the model has said its last one, and starts the next run with it', async () => {
    const model = recordingModel(({ request }) => (request === 1 ? { text: 'half', finish: 'length' } : { text: 'whole' }))
    const handle = await runtimeFor(model).start(agentOf(), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'failed', error: { code: 'output_truncated' } })
    await expect(handle.retry()).rejects.toMatchObject({ code: 'invalid_input', details: { why: 'answered' } })
    await handle.retry('say it shorter')
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: 'whole' })
    expect(userTexts(model.prompts[1])).toEqual(['go', 'say it shorter'])
    await expect(handle.retry('once more')).rejects.toMatchObject({ code: 'conflict' })
  })

  test('is refused while a run is under way and for a thread that is not there', async () => {
    const held = latch()
    const tool = toolOf('hold', () => held.opened.then(() => 'ok'), { effect: 'read' })
    const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'hold' }] } : { text: 'done' }))
    const runtime = runtimeFor(model)
    const handle = await runtime.start(agentOf({ tools: [tool] }), { input: 'go' })
    await until(async () => (await factsOfType(handle, 'call.started')).length === 1)
    await expect(handle.retry()).rejects.toMatchObject({ code: 'conflict', details: { status: 'running' } })
    held.open()
    await within(handle.settled())
    await expect(runtime.thread('thr_none').retry()).rejects.toMatchObject({ code: 'thread_not_found' })
  })
})
