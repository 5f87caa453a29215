import { describe, expect, test } from 'vitest'
import type { Limits } from '../src/contracts/publication.ts'
import { failure, textPart } from './model/outcomes.ts'
import { publicationOf } from './model/publication.ts'
import { PureThread } from './model/pure-thread.ts'

/** A thread whose first model call runs. */
function running(limits: Limits = {}): PureThread {
  const thread = new PureThread(publicationOf(undefined, limits)).claim()
  thread.message()
  thread.commit()
  return thread
}

const ending = (thread: PureThread): unknown => {
  const end = thread.factsOf('run.ended').at(-1)
  return end ? [end.status, end.why] : null
}

describe('a model failure', () => {
  // B010
  test('that asks for more than 10 minutes opens a wait that says why, and is tried again when it is over', () => {
    const thread = running()
    const failed = failure(thread.state, 'transient', { retryAfterMs: 600_001, error: { code: 'rate_limited', message: 'slow down' } })
    const { types, request, plan } = thread.commit(failed)
    expect(types).toEqual(['model.failed', 'wait.opened'])
    const id = 'thr_1:run_1//1:timer:1'
    const subject = { model: 'fake/one', code: 'rate_limited', message: 'slow down' }
    expect(request.open).toMatchObject([{ id, kind: 'timer', subject, expiresInMs: 600_001 }])
    expect(request.row.status).toBe('waiting')
    expect(plan).toMatchObject({ rest: true, timer: thread.now + 600_001, actions: [] })
    thread.claim()
    thread.now += 600_000
    expect(thread.commit().types).toEqual(['attempt.claimed'])
    thread.now += 1
    const { types: later, request: resumed, actions } = thread.commit()
    expect(later).toEqual(['wait.resolved', 'turn.started'])
    expect(resumed.close).toEqual([id])
    expect(actions).toEqual(['run_1//1#2'])
  })

  test('that was to be waited for is tried again at once when somebody says so', () => {
    const thread = running()
    thread.commit(failure(thread.state, 'transient', { retryAfterMs: 3_600_000 }))
    const [wait = ''] = thread.state.waits.keys()
    thread.deliver('decision', { wait, decision: 'approve' })
    expect(thread.commit().types).toEqual(['wait.resolved', 'turn.started'])
    // Asked again for a pause, it has a wait of its own.
    thread.commit(failure(thread.state, 'transient', { retryAfterMs: 3_600_000 }))
    expect([...thread.state.waits.keys()]).toEqual(['thr_1:run_1//1:timer:2'])
  })

  test('that is waited for keeps no message out of the conversation, and a cancel closes its wait', () => {
    const thread = running()
    thread.commit(failure(thread.state, 'transient', { retryAfterMs: 3_600_000 }))
    thread.message('and hurry')
    expect(thread.commit()).toMatchObject({ types: ['message.received'], plan: { rest: true } })
    thread.deliver('cancel', { reason: 'enough' })
    expect(thread.commit().types).toEqual(['run.cancelRequested', 'wait.resolved', 'run.ended'])
    expect(thread.factsOf('turn.started')).toHaveLength(1)
  })

  test('that is waited for is tried again at once when a message interrupts', () => {
    const thread = running()
    thread.commit(failure(thread.state, 'transient', { retryAfterMs: 3_600_000 }))
    const [wait = ''] = thread.state.waits.keys()
    thread.deliver('interrupt', { run: 'run_x', parts: [textPart('now')] })
    expect(thread.commit()).toMatchObject({
      types: ['message.received', 'wait.resolved', 'turn.started'],
      request: { close: [wait] },
      actions: ['run_1//1#2']
    })
  })

  // B010
  test.each([
    ['for longer than a week', {}, 99_999_999_000],
    ['beyond the time of its run', { runTimeoutMs: 3_600_000 }, 3_600_000]
  ])('that asks for a pause %s ends the run', (_, limits, retryAfterMs) => {
    const thread = running(limits)
    thread.commit(failure(thread.state, 'transient', { retryAfterMs, error: { code: 'rate_limited', message: 'slow down' } }))
    expect(ending(thread)).toEqual(['failed', 'rate_limited'])
    expect(thread.factsOf('wait.opened')).toEqual([])
  })

  test('whose wait is looked at only after the time of its run ends the run and leaves no wait', () => {
    const thread = running({ runTimeoutMs: 3_600_000 })
    thread.commit(failure(thread.state, 'transient', { retryAfterMs: 3_000_000 }))
    thread.now += 4_000_000
    expect(thread.commit().types).toEqual(['wait.resolved', 'run.ended'])
    expect(ending(thread)).toEqual(['stopped', 'time_limit'])
  })
})
