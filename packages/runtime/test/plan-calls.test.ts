import { describe, expect, test } from 'vitest'
import type { Fact } from '../src/contracts/fact.ts'
import { answer, failure, gated, result } from './model/outcomes.ts'
import type { PureThread } from './model/pure-thread.ts'
import { calls, ending, outcomes, running } from './plan-kit.ts'

const startedCalls = (facts: readonly Fact[]): readonly string[] =>
  facts.flatMap((fact) => (fact.type === 'call.started' ? [fact.call.slice(-1)] : []))

describe('calls of one answer', () => {
  test('run together when every one is safe beside others', () => {
    const thread = running()
    const { facts, actions } = thread.commit(...answer(thread.state, calls('look', 'pay', 'put')))
    expect(startedCalls(facts)).toEqual(['0', '1', '2'])
    expect(actions).toEqual(['run_1//1.0#1.1', 'run_1//1.1#1.1', 'run_1//1.2#1.1'])
  })

  test('run one after another in call order when one of them is not', () => {
    const thread = running()
    expect(startedCalls(thread.commit(...answer(thread.state, calls('look', 'move', 'pay'))).facts)).toEqual(['0'])
    expect(startedCalls(thread.commit(result(thread.state, 0)).facts)).toEqual(['1'])
    expect(startedCalls(thread.commit(result(thread.state, 1)).facts)).toEqual(['2'])
    expect(thread.commit(result(thread.state, 2)).types).toContain('turn.started')
  })

  test('run up to the limit at once, and the next one begins in the commit of a result', () => {
    const thread = running({ maxParallelCalls: 2 })
    expect(startedCalls(thread.commit(...answer(thread.state, calls('look', 'look', 'look', 'look'))).facts)).toEqual(['0', '1'])
    expect(startedCalls(thread.commit(result(thread.state, 1)).facts)).toEqual(['2'])
  })

  test('skip one that is held, which runs when nothing else of the turn does', () => {
    const thread = running()
    const parts = calls('move', 'look', 'pay')
    expect(startedCalls(thread.commit(...answer(thread.state, parts, { verdicts: ['hold'] })).facts)).toEqual(['1'])
    thread.decide(0, 'approve')
    expect(startedCalls(thread.commit().facts)).toEqual([])
    expect(startedCalls(thread.commit(gated(thread.state, 'run_1//1.0', 'run', 'move')).facts)).toEqual([])
    expect(startedCalls(thread.commit(result(thread.state, 1)).facts)).toEqual(['0'])
    expect(startedCalls(thread.commit(result(thread.state, 0)).facts)).toEqual(['2'])
  })

  test('do not overtake one that is still to be judged when they run one after another', () => {
    const thread = running()
    const { facts, actions } = thread.commit(...answer(thread.state, calls('look', 'move'), { verdicts: [null] }))
    expect(startedCalls(facts)).toEqual([])
    expect(actions).toEqual(['run_1//1.0#gate'])
    expect(startedCalls(thread.commit(gated(thread.state, 'run_1//1.0', 'run')).facts)).toEqual(['0'])
  })

  test('run beside one that is still to be judged when they run together', () => {
    const thread = running()
    const { actions } = thread.commit(...answer(thread.state, calls('look', 'look'), { verdicts: [null] }))
    expect(actions).toEqual(['run_1//1.0#gate', 'run_1//1.1#1.1'])
  })

  test('settle at once when they are blocked or answered by the gate', () => {
    const thread = running()
    const { types } = thread.commit(...answer(thread.state, calls('look', 'look'), { verdicts: ['block', 'respond'] }))
    expect(outcomes(thread)).toEqual(['blocked', 'ok'])
    expect(types).not.toContain('call.started')
    expect(types.at(-1)).toBe('turn.started')
  })
})

describe('a worker that stops', () => {
  test('starts no further call, and the calls that run stay in the plan', () => {
    const thread = running({ maxParallelCalls: 2 })
    thread.commit(...answer(thread.state, calls('look', 'pay', 'pay')))
    thread.stopping = true
    const { types, actions, plan } = thread.commit(result(thread.state, 0))
    expect(types).toEqual(['call.settled'])
    expect(actions).toEqual(['run_1//1.1#1.1'])
    expect(plan.rest).toBe(false)
    expect(thread.commit(result(thread.state, 1)).plan).toMatchObject({ actions: [], rest: false })
  })

  test('starts no call again that an older attempt started', () => {
    const thread = running()
    thread.commit(...answer(thread.state, calls('look')))
    thread.stopping = true
    expect(thread.claim().commit()).toMatchObject({ types: ['attempt.claimed'], actions: [], plan: { rest: false } })
  })

  test('still opens waits, takes decisions and settles', () => {
    const thread = running()
    thread.stopping = true
    thread.commit(...answer(thread.state, calls('pay', 'look'), { verdicts: ['hold', 'block'] }))
    thread.decide(0, 'deny')
    thread.commit()
    expect(outcomes(thread)).toEqual(['blocked', 'denied'])
  })
})

describe('a new owner', () => {
  test('asks the model again when nobody recorded its answer', () => {
    const thread = running().claim()
    expect(thread.commit().types).toEqual(['attempt.claimed', 'model.failed', 'turn.started'])
    expect(thread.factsOf('model.failed').map((fact) => fact.why)).toEqual(['lost'])
    expect(thread.plan().actions.map((action) => action.id)).toEqual(['run_1//1#2'])
  })

  // I5
  test.each(['look', 'put'])('starts %s again, three times in all, then says that its outcome is unknown', (tool) => {
    const thread = running()
    thread.commit(...answer(thread.state, calls(tool)))
    for (let attempt = 0; attempt < 3; attempt++) thread.claim().commit()
    expect(thread.factsOf('call.started').map((fact) => fact.try)).toEqual([1, 2, 3])
    expect(outcomes(thread)).toEqual(['unknown'])
  })

  // I5
  test('never starts a call again that must not happen twice', () => {
    const thread = running()
    thread.commit(...answer(thread.state, calls('pay')))
    thread.claim().commit()
    expect(thread.factsOf('call.started')).toHaveLength(1)
    expect(outcomes(thread)).toEqual(['unknown'])
  })

  test('starts no second call beside one that it starts again in a turn that runs one after another', () => {
    const thread = running()
    thread.commit(...answer(thread.state, calls('look', 'move')))
    expect(startedCalls(thread.claim().commit().facts)).toEqual(['0'])
  })
})

describe('a held call', () => {
  const held = (): PureThread => {
    const thread = running()
    thread.commit(...answer(thread.state, calls('pay'), { verdicts: ['hold'] }))
    return thread
  }

  // I11
  test('opens a wait that keeps its id over owners, and the thread rests', () => {
    const thread = held()
    expect([...thread.state.waits.keys()]).toEqual(['thr_1:run_1//1.0:approval:1'])
    expect(thread.plan()).toMatchObject({ rest: true, timer: null })
    thread.claim().commit()
    expect(thread.factsOf('wait.opened')).toHaveLength(1)
  })

  test('starts when it is approved', () => {
    const thread = held()
    thread.decide(0, { decision: 'approve' })
    expect(thread.commit().types).toEqual(['wait.resolved'])
    expect(thread.plan().actions.map((action) => action.id)).toEqual(['run_1//1.0#gate.1'])
    expect(thread.commit(gated(thread.state, 'run_1//1.0', 'run')).types).toEqual(['call.gated', 'call.started'])
  })

  test('is settled with the reason of the person who refuses it', () => {
    const thread = held()
    thread.decide(0, { decision: 'deny', reason: 'too much' })
    thread.commit()
    expect(outcomes(thread)).toEqual(['denied'])
    expect(thread.factsOf('call.settled')[0]?.result).toEqual({ inline: { error: expect.stringContaining('too much') } })
  })

  // I12
  test.each([null, 'yes', true, {}, { decision: 'APPROVE' }, ['approve']])('is refused by the decision %j', (decision) => {
    const thread = held()
    thread.decide(0, decision)
    thread.commit()
    expect(outcomes(thread)).toEqual(['denied'])
    expect(thread.factsOf('call.started')).toEqual([])
  })

  test('rests until its wait expires, then is settled as expired, once', () => {
    const thread = running()
    const wait = 'thr_1:run_1//1.0:approval:1'
    const opened: Fact = {
      v: 1,
      type: 'wait.opened',
      run: 'run_1',
      scope: '',
      wait,
      kind: 'approval',
      call: 'run_1//1.0',
      subject: { inline: null },
      expiresAfterMs: 5_000
    }
    const { plan } = thread.commit(...answer(thread.state, calls('pay'), { verdicts: ['hold'] }), opened)
    expect(plan).toMatchObject({ rest: true, timer: thread.now + 5_000 })
    thread.now += 4_999
    expect(thread.commit().types).toEqual([])
    thread.now += 1
    const { request } = thread.commit()
    expect(request.close).toEqual([wait])
    expect(thread.factsOf('wait.resolved').map((fact) => fact.as)).toEqual(['expired'])
    expect(outcomes(thread)).toEqual(['expired'])
    expect(thread.factsOf('call.started')).toEqual([])
  })
})

describe('a cancel', () => {
  const byCancel = { by: 'cancel', graceMs: 2_000 }
  const cancelled = (thread: PureThread): PureThread => {
    thread.deliver('cancel', { reason: 'enough' })
    return thread
  }

  test('aborts the model call, and the run ends with what it reports', () => {
    const thread = cancelled(running())
    expect(thread.commit().plan.actions).toEqual([{ id: 'run_1//1#1', scope: '', do: 'infer', turn: 'run_1//1', cancelled: byCancel }])
    expect(thread.commit(failure(thread.state, 'aborted')).types).toEqual(['model.failed', 'run.ended'])
    expect(ending(thread)).toEqual(['cancelled', 'enough'])
  })

  test('runs none of the calls of an answer that came all the same', () => {
    const thread = cancelled(running())
    thread.commit()
    thread.commit(...answer(thread.state, calls('look', 'pay')))
    expect(outcomes(thread)).toEqual(['cancelled', 'cancelled'])
    expect(thread.factsOf('call.started')).toEqual([])
    expect(ending(thread)).toEqual(['cancelled', 'enough'])
  })

  // B022
  test('settles a call that never started as not run, and lets one that runs here report', () => {
    const thread = running()
    thread.commit(...answer(thread.state, calls('move', 'pay', 'look'), { verdicts: ['run', 'run', null] }))
    const { plan } = cancelled(thread).commit()
    expect(outcomes(thread)).toEqual(['cancelled', 'cancelled'])
    expect(plan.actions).toEqual([{ id: 'run_1//1.0#1.1', scope: '', do: 'run', call: 'run_1//1.0', cancelled: byCancel }])
    thread.commit(result(thread.state, 0, { value: 'done in time' }))
    expect(outcomes(thread)).toEqual(['cancelled', 'cancelled', 'ok'])
    expect(ending(thread)).toEqual(['cancelled', 'enough'])
  })

  // B022, I5
  test.each([
    ['look', 'cancelled'],
    ['put', 'cancelled'],
    ['pay', 'unknown']
  ])('settles %s, which an older attempt started, as %s', (tool, outcome) => {
    const thread = running()
    thread.commit(...answer(thread.state, calls(tool)))
    cancelled(thread.claim()).commit()
    expect(outcomes(thread)).toEqual([outcome])
    expect(thread.factsOf('call.started')).toHaveLength(1)
    expect(ending(thread)).toEqual(['cancelled', 'enough'])
  })

  // I17
  test('closes every wait before the run ends', () => {
    const thread = running()
    thread.commit(...answer(thread.state, calls('pay', 'pay'), { verdicts: ['hold', 'hold'] }))
    const { request } = cancelled(thread).commit()
    expect(request.close).toEqual(['thr_1:run_1//1.0:approval:1', 'thr_1:run_1//1.1:approval:1'])
    expect(thread.factsOf('wait.resolved').map((fact) => fact.as)).toEqual(['cancelled', 'cancelled'])
    expect(outcomes(thread)).toEqual(['cancelled', 'cancelled'])
    expect(thread.state.waits.size).toBe(0)
  })

  test('asks no model while a retry waits', () => {
    const thread = running()
    thread.commit(failure(thread.state, 'transient'))
    expect(cancelled(thread).commit().types).toEqual(['run.cancelRequested', 'run.ended'])
  })
})
