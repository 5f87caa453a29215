import { describe, expect, test } from 'vitest'
import type { Fact } from '../src/contracts/fact.ts'
import type { Limits } from '../src/contracts/publication.ts'
import { answer, callPart, failure, result, textPart } from './model/outcomes.ts'
import { publicationOf, toolOf } from './model/publication.ts'
import { PureThread } from './model/pure-thread.ts'

/** A thread whose first model call runs. */
function running(limits: Limits = {}): PureThread {
  const thread = new PureThread(publicationOf([toolOf('look'), toolOf('pay', { effect: 'once' })], limits)).claim()
  thread.message('first')
  thread.commit()
  return thread
}

const roles = (thread: PureThread): readonly string[] => thread.conversation.history.map((message) => message.role)
const runs = (thread: PureThread): readonly unknown[] => thread.factsOf('run.ended').map((fact) => [fact.run, fact.status])

describe('an interrupt', () => {
  const interrupt = (thread: PureThread): string => thread.message('stop that', 'interrupt').id
  const asking = { id: 'run_1//1#1', scope: '', do: 'infer', turn: 'run_1//1' }

  test('aborts the model call and is taken when that has ended, for the next try of the turn', () => {
    const thread = running()
    const id = interrupt(thread)
    const { plan, request } = thread.commit()
    expect(plan.actions).toEqual([{ ...asking, cancelled: { by: 'interrupt', graceMs: 0 } }])
    expect(request).toMatchObject({ consumed: [], deferred: [id] })
    const spent = { usage: { inputTokens: 7, outputTokens: 3 }, cost: 0.5 }
    const next = thread.commit({ ...failure(thread.state, 'interrupted'), ...spent } as Fact)
    expect(next.types).toEqual(['model.failed', 'message.received', 'turn.started'])
    expect(next.request.consumed).toEqual([id])
    expect(next.actions).toEqual(['run_1//1#2'])
    expect(next.plan.actions[0]?.cancelled).toBeUndefined()
    expect(thread.factsOf('message.received').at(-1)).toMatchObject({ cause: id, interrupts: 'run_1//1' })
    expect(roles(thread)).toEqual(['user', 'user'])
    expect(thread.state).toMatchObject({ usage: spent.usage, cost: 0.5 })
  })

  // I7
  test('waits for an answer that came all the same, and for its calls', () => {
    const thread = running()
    const id = interrupt(thread)
    thread.commit()
    thread.commit(...answer(thread.state, [callPart('look')]))
    expect(thread.plan().actions.map((action) => action.cancelled)).toEqual([undefined])
    const { request } = thread.commit(result(thread.state, 0))
    expect(request.consumed).toEqual([id])
    expect(roles(thread)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(thread.factsOf('message.received').at(-1)?.interrupts).toBeUndefined()
    expect(thread.plan().actions.map((action) => action.id)).toEqual(['run_1//2#1'])
  })

  test('leaves tools alone and stands behind their results', () => {
    const thread = running()
    thread.commit(...answer(thread.state, [callPart('look'), callPart('look')]))
    interrupt(thread)
    expect(thread.commit().plan.actions.map((action) => [action.do, action.cancelled])).toEqual([
      ['run', undefined],
      ['run', undefined]
    ])
    thread.commit(result(thread.state, 0))
    expect(thread.commit(result(thread.state, 1)).types).toEqual(['call.settled', 'message.received', 'turn.started'])
  })

  test('waits while an approval is open', () => {
    const thread = running()
    thread.commit(...answer(thread.state, [callPart('pay')], { verdicts: ['hold'] }))
    const id = interrupt(thread)
    expect(thread.commit().request.consumed).toEqual([])
    thread.decide(0, 'deny')
    expect(thread.commit().request.consumed).toContain(id)
  })

  test('brings the messages that came before it into the same request, in order', () => {
    const thread = running()
    const first = thread.message('first of all').id
    const second = interrupt(thread)
    const third = thread.message('and then').id
    thread.commit()
    expect(thread.commit(failure(thread.state, 'interrupted')).request.consumed).toEqual([first, second, third])
    expect(thread.factsOf('message.received').map((fact) => fact.interrupts)).toEqual([undefined, undefined, 'run_1//1', undefined])
  })

  test('does not count as a turn: it is answered in the last one', () => {
    const thread = running({ maxTurns: 1, maxRetries: 0 })
    for (let count = 0; count < 3; count++) {
      interrupt(thread)
      thread.commit()
      thread.commit(failure(thread.state, 'interrupted'))
    }
    thread.commit(...answer(thread.state, [textPart('all right')]))
    expect(runs(thread)).toEqual([['run_1', 'completed']])
    expect(roles(thread)).toEqual(['user', 'user', 'user', 'user', 'assistant'])
  })

  // B060
  test('of a run whose time is over aborts it and starts the next one', () => {
    const thread = running({ runTimeoutMs: 1_000 })
    thread.now += 1_000
    const id = interrupt(thread)
    expect(thread.commit().plan.actions[0]?.cancelled).toMatchObject({ by: 'interrupt' })
    thread.commit(failure(thread.state, 'interrupted'))
    expect(runs(thread)).toEqual([['run_1', 'stopped']])
    expect(thread.factsOf('run.started').map((fact) => fact.cause)).toEqual(['message-1', id])
    expect(thread.factsOf('message.received').at(-1)?.interrupts).toBeUndefined()
  })

  test('that a crash leaves untaken is taken by the next owner, which asks the model again', () => {
    const thread = running()
    const id = interrupt(thread)
    thread.commit()
    const { types, request } = thread.claim().commit()
    expect(types).toEqual(['attempt.claimed', 'model.failed', 'message.received', 'turn.started'])
    expect(request.consumed).toEqual([id])
    expect(thread.factsOf('model.failed').map((fact) => fact.why)).toEqual(['lost'])
  })

  test('does not shorten the pause that a provider asked for', () => {
    const thread = running()
    thread.commit(failure(thread.state, 'transient', { retryAfterMs: 60_000 }))
    const id = interrupt(thread)
    const { request, plan } = thread.commit()
    expect(request.consumed).toEqual([id])
    expect(plan).toMatchObject({ rest: true, timer: thread.now + 60_000 })
  })

  test.each(['completed', 'failed'] as const)('starts the next run of a thread whose last one is %s', (status) => {
    const thread = running()
    if (status === 'failed') thread.commit(failure(thread.state, 'permanent'))
    else thread.commit(...answer(thread.state, [textPart('one')]))
    expect(runs(thread)).toEqual([['run_1', status]])
    interrupt(thread)
    expect(thread.commit().types).toEqual(['run.started', 'message.received', 'turn.started'])
    expect(thread.state.run?.id).toBe('run_2')
  })

  test('before a cancel is returned, also when it has aborted the model call already', () => {
    const thread = running()
    const id = interrupt(thread)
    thread.commit()
    thread.deliver('cancel', {})
    expect(thread.commit(failure(thread.state, 'interrupted')).types).toEqual([
      'model.failed',
      'message.returned',
      'run.cancelRequested',
      'run.ended'
    ])
    expect(thread.factsOf('message.returned')).toMatchObject([{ item: id, why: 'cancelled' }])
  })

  test('behind a cancel starts the next run', () => {
    const thread = running()
    thread.deliver('cancel', {})
    const id = interrupt(thread)
    expect(thread.commit().plan.actions[0]?.cancelled).toMatchObject({ by: 'cancel' })
    expect(thread.commit(failure(thread.state, 'aborted')).request.consumed).toEqual([id])
    expect(runs(thread)).toEqual([['run_1', 'cancelled']])
  })
})
