import { describe, expect, test } from 'vitest'
import { answer, callPart, failure, result, textPart } from './model/outcomes.ts'
import { calls, ending, outcomes, running } from './plan-kit.ts'

describe('a message to a resting thread', () => {
  test('starts a run and its first turn in one commit', () => {
    const thread = running()
    expect(thread.log.at(-1)?.facts.map((fact) => fact.type)).toEqual([
      'attempt.claimed',
      'run.started',
      'message.received',
      'turn.started'
    ])
    expect(thread.plan().actions.map((action) => action.id)).toEqual(['run_1//1#1'])
  })
})

describe('a plan of a worker that stops', () => {
  test('begins no turn and leaves the thread to be taken at once', () => {
    const thread = running()
    thread.commit(failure(thread.state, 'interrupted'))
    expect(thread.plan(true)).toMatchObject({ facts: [], actions: [{ id: 'run_1//1#2' }] })
    const retrying = running()
    retrying.commit(failure(retrying.state, 'transient'))
    retrying.now += 500
    expect(retrying.plan(true)).toMatchObject({ facts: [], actions: [], rest: false })
    expect(retrying.plan(false).facts).toMatchObject([{ type: 'turn.started' }])
  })

  test('ends a run that is over', () => {
    const thread = running({ maxTurns: 1 })
    thread.stopping = true
    thread.commit(...answer(thread.state, [textPart('done')]))
    expect(ending(thread)).toEqual(['completed', undefined])
  })
})

describe('a model failure', () => {
  test('that is transient is tried again after 0.5 s, 1 s, 2 s, and then ends the run with its code', () => {
    const thread = running({ maxRetries: 3 })
    const pauses: number[] = []
    for (let number = 0; number < 3; number++) {
      const { plan } = thread.commit(failure(thread.state, 'transient'))
      pauses.push((plan.timer ?? 0) - thread.now)
      thread.now = plan.timer ?? 0
      thread.commit()
    }
    expect(pauses).toEqual([500, 1_000, 2_000])
    thread.commit(failure(thread.state, 'transient', { error: { code: 'provider_overloaded', message: 'busy' } }))
    expect(thread.factsOf('turn.started').map((fact) => [fact.turn, fact.try])).toEqual([
      ['run_1//1', 1],
      ['run_1//1', 2],
      ['run_1//1', 3],
      ['run_1//1', 4]
    ])
    expect(ending(thread)).toEqual(['failed', 'provider_overloaded'])
  })

  test('waits at most 30 s between tries', () => {
    const thread = running({ maxRetries: 100 })
    let pause = 0
    for (let number = 0; number < 12; number++) {
      const { plan } = thread.commit(failure(thread.state, 'transient'))
      pause = (plan.timer ?? 0) - thread.now
      thread.now = plan.timer ?? 0
      thread.commit()
    }
    expect(pause).toBe(30_000)
  })

  test.each([
    [0, false],
    [2_000, false],
    [60_000, true],
    [600_000, true]
  ])('that asks for %i ms is tried again when they are over, at rest: %s', (retryAfterMs, rest) => {
    const thread = running()
    const { plan, types } = thread.commit(failure(thread.state, 'transient', { retryAfterMs }))
    if (retryAfterMs === 0) expect(types).toContain('turn.started')
    else expect(plan).toMatchObject({ rest, timer: thread.now + retryAfterMs, actions: [] })
  })

  test('that is permanent ends the run at once', () => {
    const thread = running()
    thread.commit(failure(thread.state, 'permanent', { error: { code: 'provider_rejected', message: 'no' } }))
    expect(ending(thread)).toEqual(['failed', 'provider_rejected'])
  })
})

describe('an answer', () => {
  test('without calls completes the run with its text', () => {
    const thread = running()
    thread.commit(...answer(thread.state, [textPart('four'), textPart('teen')]))
    expect(thread.factsOf('run.ended')).toMatchObject([{ status: 'completed', output: { inline: 'fourteen' } }])
  })

  test.each([
    ['length', 'output_truncated'],
    ['content-filter', 'content_filtered']
  ])('that ends by %s fails the run with %s', (finish, code) => {
    const thread = running()
    thread.commit(...answer(thread.state, [textPart('half of')], { finish }))
    expect(ending(thread)).toEqual(['failed', code])
  })

  // B007, B023
  test.each([[[]], [[textPart('')]], [[textPart('\n ')]], [[{ type: 'reasoning' as const, text: 'hm' }]]])(
    'that is empty (%j) is asked for again twice, then fails the run',
    (parts) => {
      const thread = running()
      for (let number = 0; number < 3; number++) thread.commit(...answer(thread.state, parts, { finish: 'tool-calls' }))
      expect(thread.factsOf('turn.started')).toHaveLength(3)
      expect(ending(thread)).toEqual(['failed', 'empty_model_response'])
      expect(thread.conversation.history.map((message) => message.role)).toEqual(['user'])
    }
  )

  test('that is empty once costs nothing but a turn', () => {
    const thread = running()
    thread.commit(...answer(thread.state, []))
    thread.commit(...answer(thread.state, [textPart('here')]))
    expect(ending(thread)).toEqual(['completed', undefined])
  })

  test('larger than the limit stops the run', () => {
    const thread = running({ maxOutputBytes: 10 })
    thread.commit(...answer(thread.state, [textPart('12345678é')]))
    expect(ending(thread)).toEqual(['stopped', 'output_limit'])
  })

  test('that fails its schema is asked for again once, with what is wrong', () => {
    const thread = running()
    const invalid = { ok: false, errors: '/total: expected a number' } as const
    const { types } = thread.commit(...answer(thread.state, [textPart('{}')], { output: invalid }))
    expect(types).toEqual(['model.responded', 'message.received', 'turn.started'])
    expect(thread.factsOf('message.received').at(-1)).toMatchObject({ source: { kind: 'runtime' }, injected: true })
    thread.commit(...answer(thread.state, [textPart('{}')], { output: invalid }))
    expect(ending(thread)).toEqual(['failed', 'output_invalid'])
  })

  test('that fits its schema completes the run with the value', () => {
    const thread = running()
    thread.commit(...answer(thread.state, [textPart('{}')], { output: { ok: false, errors: 'no' } }))
    thread.commit(...answer(thread.state, [textPart('{"total":1}')], { output: { ok: true, value: { total: 1 } } }))
    expect(thread.factsOf('run.ended')).toMatchObject([{ status: 'completed', output: { inline: { total: 1 } } }])
  })

  test('that fails its schema in the last turn fails the run', () => {
    const thread = running({ maxTurns: 1 })
    thread.commit(...answer(thread.state, [textPart('{}')], { output: { ok: false, errors: 'no' } }))
    expect(ending(thread)).toEqual(['failed', 'output_invalid'])
  })
})

describe('a run', () => {
  test('stops at its turn limit when the calls of the last turn are done', () => {
    const thread = running({ maxTurns: 2 })
    for (let number = 0; number < 2; number++) {
      thread.commit(...answer(thread.state, [callPart('look', `{"n":${number}}`)]))
      thread.commit(result(thread.state, 0))
    }
    expect(thread.factsOf('turn.started')).toHaveLength(2)
    expect(outcomes(thread)).toEqual(['ok', 'ok'])
    expect(ending(thread)).toEqual(['stopped', 'turn_limit'])
  })

  // B012
  test('stops when the model asks for the same call as often as the limit says', () => {
    const thread = running({ maxRepeatedCalls: 3 })
    for (let number = 0; number < 12 && thread.state.run?.status === 'running'; number++) {
      thread.commit(...answer(thread.state, [callPart('search', '{"q":"a"}')], { verdicts: ['block'] }))
    }
    expect(outcomes(thread)).toEqual(['blocked', 'blocked', 'blocked'])
    expect(ending(thread)).toEqual(['stopped', 'repeated_call'])
  })

  test('does not stop while calls differ', () => {
    const thread = running({ maxRepeatedCalls: 2 })
    for (const n of [1, 2, 1, 2]) thread.commit(...answer(thread.state, [callPart('look', `{"n":${n}}`)], { verdicts: ['respond'] }))
    expect(ending(thread)).toBeNull()
  })

  test('is over when its time is, at a turn boundary and not in the middle of a call', () => {
    const thread = running({ runTimeoutMs: 1_000 })
    thread.commit(...answer(thread.state, calls('look')))
    thread.now += 1_000
    expect(thread.commit().types).toEqual([])
    thread.commit(result(thread.state, 0))
    expect(ending(thread)).toEqual(['stopped', 'time_limit'])
  })

  test('ends with the result of task_complete when the other calls of its turn are done', () => {
    const thread = running()
    const parts = [callPart('task_complete', '{"result":{"total":3}}'), callPart('look')]
    thread.commit(...answer(thread.state, parts, { verdicts: ['respond', 'run'] }))
    expect(ending(thread)).toBeNull()
    thread.commit(result(thread.state, 1))
    expect(thread.factsOf('run.ended')).toMatchObject([{ status: 'completed', output: { inline: { total: 3 } } }])
  })

  test('goes on when task_complete was blocked', () => {
    const thread = running()
    thread.commit(...answer(thread.state, [callPart('task_complete', '{"result":1}')], { verdicts: ['block'] }))
    expect(ending(thread)).toBeNull()
    expect(thread.factsOf('turn.started')).toHaveLength(2)
  })
})
