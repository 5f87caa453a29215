import { describe, expect, test } from 'vitest'
import type { Limits } from '../src/contracts/publication.ts'
import { answer, callPart, failure, result, textPart } from './model/outcomes.ts'
import { publicationOf, toolOf } from './model/publication.ts'
import { PureThread } from './model/pure-thread.ts'

const TOOLS = [toolOf('look'), toolOf('pay', { effect: 'once' }), toolOf('task_complete', { identity: 'agent:task_complete' })]

/** A thread whose first model call runs. */
function running(limits: Limits = {}): PureThread {
  const thread = new PureThread(publicationOf(TOOLS, limits)).claim()
  thread.message('first')
  thread.commit()
  return thread
}

const roles = (thread: PureThread): readonly string[] => thread.conversation.history.map((message) => message.role)
const runs = (thread: PureThread): readonly unknown[] => thread.factsOf('run.ended').map((fact) => [fact.run, fact.status])

describe('a message', () => {
  test('waits while the model answers and stands behind its answer', () => {
    const thread = running()
    const { id } = thread.message('second')
    expect(thread.commit().request.consumed).toEqual([])
    const { request } = thread.commit(...answer(thread.state, [textPart('one')]))
    expect(request.consumed).toEqual([id])
    expect(roles(thread)).toEqual(['user', 'assistant', 'user'])
    expect(runs(thread)).toEqual([])
  })

  // B028
  test('waits for the results of the turn and stands behind them', () => {
    const thread = running()
    thread.commit(...answer(thread.state, [callPart('look', '{"a":1}'), callPart('look', '{"b":1}')]))
    thread.message('use staging')
    thread.commit(result(thread.state, 1))
    expect(roles(thread)).toEqual(['user', 'assistant'])
    expect(thread.commit(result(thread.state, 0)).types).toEqual(['call.settled', 'message.received', 'turn.started'])
    expect(roles(thread)).toEqual(['user', 'assistant', 'tool', 'user'])
  })

  // B030
  test('waits while an approval is open', () => {
    const thread = running()
    thread.commit(...answer(thread.state, [callPart('pay')], { verdicts: ['hold'] }))
    const { id } = thread.message('second')
    expect(thread.commit().request).toMatchObject({ consumed: [], deferred: [id] })
    thread.decide(0, 'deny')
    expect(thread.commit().request.consumed).toEqual(['decision-3', id])
  })

  test('that comes with others is taken in order of arrival', () => {
    const thread = running()
    for (const text of ['a', 'b', 'c']) thread.message(text)
    thread.commit(...answer(thread.state, [textPart('one')]))
    expect(thread.factsOf('message.received').map((fact) => fact.cause)).toEqual(['message-1', 'message-2', 'message-3', 'message-4'])
    expect(thread.factsOf('turn.started')).toHaveLength(2)
  })

  // B060
  test.each([
    ['the last turn has answered', { maxTurns: 1 }, [textPart('done')], 'completed'],
    ['the answer was cut', {}, [textPart('half')], 'failed'],
    ['task_complete was called', {}, [callPart('task_complete', '{"result":1}')], 'completed'],
    ['the turn limit is reached', { maxTurns: 1 }, [callPart('look')], 'stopped'],
    ['calls repeat', { maxRepeatedCalls: 1 }, [callPart('look')], 'stopped']
  ] as const)('starts the next run when %s', (_when, limits, parts, status) => {
    const thread = running(limits)
    const { id } = thread.message('second')
    thread.commit(...answer(thread.state, parts, { verdicts: ['respond'], finish: status === 'failed' ? 'length' : 'stop' }))
    expect(runs(thread)).toEqual([['run_1', status]])
    expect(thread.factsOf('run.started').map((fact) => fact.cause)).toEqual(['message-1', id])
    expect(thread.plan().actions.map((action) => action.id)).toEqual(['run_2//1#1'])
  })

  // B060
  test('starts the next run when the time of this one is over', () => {
    const thread = running({ runTimeoutMs: 1_000 })
    thread.now += 1_000
    thread.message('second')
    thread.commit(failure(thread.state, 'transient', { retryAfterMs: 0 }))
    expect(runs(thread)).toEqual([['run_1', 'stopped']])
    expect(thread.state.run?.id).toBe('run_2')
  })

  test('to a thread at rest starts a run under the id that its sender chose', () => {
    const thread = running()
    thread.commit(...answer(thread.state, [textPart('one')]))
    thread.deliver('message', { run: 'run_mine', parts: [textPart('again')], variables: { city: 'Rome' } })
    expect(thread.commit().types).toEqual(['run.started', 'variables.set', 'message.received', 'turn.started'])
    expect(thread.state.run?.id).toBe('run_mine')
    expect(thread.state.variables).toEqual({ city: { inline: 'Rome' } })
  })

  // I10
  test('is named as the cause of every fact that it consumed', () => {
    const thread = new PureThread().claim()
    const { id } = thread.deliver('start', { run: 'run_1', parts: [textPart('a')], variables: { b: 1 } })
    const { facts } = thread.commit()
    expect(facts.filter((fact) => fact.cause === id).map((fact) => fact.type)).toEqual(['run.started', 'variables.set', 'message.received'])
  })
})

describe('a cancel', () => {
  test('is taken first; what came before it goes back, what comes after it starts the next run', () => {
    const thread = running()
    const older = thread.message('older')
    const cancel = thread.deliver('cancel', { reason: 'enough' })
    const newer = thread.message('newer')
    expect(thread.commit().request.consumed).toEqual([older.id, cancel.id])
    const said = { source: { kind: 'person', id: 'ann' }, parts: { inline: [textPart('older')] } }
    expect(thread.factsOf('message.returned')).toMatchObject([{ item: older.id, cause: older.id, why: 'cancelled', ...said }])
    expect(thread.commit(failure(thread.state, 'aborted')).request.consumed).toEqual([newer.id])
    expect(runs(thread)).toEqual([['run_1', 'cancelled']])
    expect(thread.state.run?.status).toBe('running')
  })

  test('of a thread at rest has nothing to cancel', () => {
    const thread = running()
    thread.commit(...answer(thread.state, [textPart('one')]))
    const { id } = thread.deliver('cancel', {})
    expect(thread.commit().facts).toEqual([{ v: 1, type: 'item.discarded', cause: id, item: id, why: 'no_run' }])
  })

  test('of a run that is being cancelled changes nothing', () => {
    const thread = running()
    thread.deliver('cancel', { reason: 'one' })
    thread.commit()
    const { id } = thread.deliver('cancel', { reason: 'two' })
    expect(thread.commit().facts).toEqual([{ v: 1, type: 'item.discarded', cause: id, item: id, why: 'stale' }])
    expect(thread.state.run?.cancel?.reason).toBe('one')
  })

  test('of a thread that nobody has claimed yet makes a run that ends at once, without a model call', () => {
    const thread = new PureThread().claim()
    thread.deliver('start', { run: 'run_1', parts: [textPart('a')] })
    thread.deliver('cancel', {})
    thread.commit()
    expect(runs(thread)).toEqual([['run_1', 'cancelled']])
    expect(thread.factsOf('turn.started')).toEqual([])
  })

  test('reads no more of its body than a reason and a grace', () => {
    const thread = running()
    thread.deliver('cancel', { reason: 7, graceMs: 'long', run: 'run_9' })
    thread.commit()
    expect(thread.factsOf('run.cancelRequested')).toMatchObject([{ run: 'run_1', reason: 'cancelled', graceMs: 2_000 }])
  })
})

describe('a decision', () => {
  const held = (): PureThread => {
    const thread = running()
    thread.commit(...answer(thread.state, [callPart('look'), callPart('pay')], { verdicts: ['run', 'hold'] }))
    return thread
  }

  test('is taken while other calls run, closes its wait and names who decided', () => {
    const thread = held()
    const { id } = thread.decide(1, { decision: 'approve' })
    const { request } = thread.commit()
    expect(request).toMatchObject({ consumed: [id], close: ['thr_1:run_1//1.1:approval:1'] })
    expect(thread.factsOf('wait.resolved')).toMatchObject([{ cause: id, as: 'decided', by: { kind: 'person', id: 'ann' } }])
  })

  test('about a wait that is closed is discarded', () => {
    const thread = held()
    thread.decide(1, 'deny')
    const late = thread.deliver('decision', { wait: 'thr_1:run_1//1.1:approval:1', decision: 'approve' })
    thread.commit()
    expect(thread.factsOf('item.discarded')).toMatchObject([{ item: late.id, cause: late.id, why: 'closed' }])
    expect(thread.call(1).settled).toBe('denied')
  })

  // B034
  test('that comes with a cancel is discarded', () => {
    const thread = held()
    const decision = thread.decide(1, 'approve')
    const cancel = thread.deliver('cancel', {})
    expect(thread.commit().request.consumed).toEqual([cancel.id, decision.id])
    expect(thread.factsOf('call.started').map((fact) => fact.call)).toEqual(['run_1//1.0'])
    expect(thread.call(1).settled).toBe('cancelled')
  })
})

describe('an item', () => {
  test('of a kind that nobody acts on is left alone', () => {
    const thread = running()
    thread.deliver('watch', {})
    thread.commit(...answer(thread.state, [textPart('one')]))
    expect(thread.pending.map((item) => item.kind)).toEqual(['watch'])
    expect(runs(thread)).toEqual([['run_1', 'completed']])
  })
})
