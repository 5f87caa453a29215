import { describe, expect, test } from 'vitest'
import type { Limits, ModelCandidate } from '../src/contracts/publication.ts'
import { COOL_DOWN_MS } from '../src/state/candidate.ts'
import { answer, callPart, failure, result, textPart } from './model/outcomes.ts'
import { FALLBACKS, publicationOf } from './model/publication.ts'
import { PureThread } from './model/pure-thread.ts'

const TRANSIENT = { error: { code: 'provider_overloaded', message: 'busy' } }
const REJECTED = { error: { code: 'provider_rejected', message: 'no' } }

/** A thread whose first model call runs. */
function running(limits: Limits = {}, fallbacks: readonly ModelCandidate[] = FALLBACKS): PureThread {
  const thread = new PureThread(publicationOf(undefined, limits, fallbacks)).claim()
  thread.message()
  thread.commit()
  return thread
}

/** Fails again and again, and lets every pause pass, until the run has ended. */
function failAll(thread: PureThread, more: Parameters<typeof failure>[2], why: 'transient' | 'permanent' = 'transient'): void {
  while (thread.state.run?.status === 'running') {
    thread.commit(failure(thread.state, why, more))
    const { timer } = thread.plan()
    if (timer !== null) thread.now = timer
    thread.commit()
  }
}

const asked = (thread: PureThread): readonly string[] => thread.factsOf('turn.started').map((fact) => fact.model)
const last = (thread: PureThread) => thread.factsOf('turn.started').at(-1)
const ended = (thread: PureThread) => thread.factsOf('run.ended').at(-1)

describe('the next try', () => {
  test('asks the same model as long as the pauses are short, then the next in order, each once more than its retries', () => {
    const thread = running({ maxRetries: 1 })
    failAll(thread, TRANSIENT)
    expect(asked(thread)).toEqual(['fake/one', 'fake/one', 'fake/two', 'fake/two', 'other/one', 'other/one', 'small', 'small'])
    expect(ended(thread)).toMatchObject({ status: 'failed', why: 'provider_overloaded' })
    for (const name of ['fake/one', 'fake/two', 'other/one']) expect(ended(thread)?.error?.message).toContain(name)
  })

  test('asks the next model at once, and the fact says which, after which, and why', () => {
    const thread = running({ maxRetries: 0 })
    const { facts } = thread.commit(failure(thread.state, 'transient', TRANSIENT))
    expect(facts.at(-1)).toMatchObject({
      type: 'turn.started',
      turn: 'run_1//1',
      try: 2,
      model: 'fake/two',
      candidate: 1,
      moved: { from: 'fake/one', why: 'provider_overloaded', withheld: 0 }
    })
  })

  test('does not wait for a model that asks for a long pause while another one is left', () => {
    const thread = running()
    thread.commit(failure(thread.state, 'transient', { ...TRANSIENT, retryAfterMs: 60_000 }))
    expect(last(thread)).toMatchObject({ model: 'fake/two', try: 2 })
    expect(thread.factsOf('wait.opened')).toEqual([])
  })

  test('comes back to the model whose pause ends first, when that is over', () => {
    const thread = running({}, FALLBACKS.slice(0, 1))
    const start = thread.now
    thread.commit(failure(thread.state, 'transient', { ...TRANSIENT, retryAfterMs: 90_000 }))
    const { plan } = thread.commit(failure(thread.state, 'transient', { ...TRANSIENT, retryAfterMs: 30_000 }))
    expect(plan).toMatchObject({ rest: true, timer: start + 30_000 })
    thread.now = start + 30_000
    thread.commit()
    expect(asked(thread)).toEqual(['fake/one', 'fake/two', 'fake/two'])
    thread.commit(failure(thread.state, 'transient', { ...TRANSIENT, retryAfterMs: 400_000 }))
    expect(thread.plan().timer).toBe(start + 90_000)
    thread.now = start + 90_000
    thread.commit()
    expect(last(thread)).toMatchObject({ model: 'fake/one', moved: { from: 'fake/two', why: 'provider_overloaded' } })
  })

  test.each(['provider_rejected', 'secret_missing', 'model_unknown', 'invalid_config'])(
    'after a failure that is the model’s own (%s) asks each of the others once',
    (code) => {
      const thread = running()
      failAll(thread, { error: { code, message: 'no' } }, 'permanent')
      expect(asked(thread)).toEqual(['fake/one', 'fake/two', 'other/one', 'small'])
      expect(ended(thread)).toMatchObject({ status: 'failed', why: code })
    }
  )

  test.each(['content_filtered', 'value_too_large', 'response_too_large', 'output_truncated', 'script_exhausted', 'internal'])(
    'does not come where the question is at fault, or our own bounds (%s)',
    (code) => {
      const thread = running()
      thread.commit(failure(thread.state, 'permanent', { error: { code, message: 'no' } }))
      expect(asked(thread)).toEqual(['fake/one'])
      expect(ended(thread)).toMatchObject({ status: 'failed', why: code })
    }
  )

  test.each(['lost', 'interrupted', 'aborted'] as const)('after a try that was %s asks the same model and counts nothing', (why) => {
    const thread = running({ maxRetries: 0 })
    thread.commit(failure(thread.state, 'permanent', REJECTED))
    for (let count = 0; count < 3; count++) thread.commit(failure(thread.state, why))
    expect(asked(thread)).toEqual(['fake/one', 'fake/two', 'fake/two', 'fake/two', 'fake/two'])
    expect(last(thread)?.moved).toBeUndefined()
  })

  // B010
  test('fails when all of them ask for more than a week', () => {
    const thread = running({}, FALLBACKS.slice(0, 1))
    failAll(thread, { ...TRANSIENT, retryAfterMs: 99_999_999_000 })
    expect(asked(thread)).toEqual(['fake/one', 'fake/two'])
    expect(ended(thread)).toMatchObject({ status: 'failed' })
  })

  // B010
  test('goes to the first model again a week after it asked for years', () => {
    const thread = running({ maxRetries: 0 }, FALLBACKS.slice(0, 1))
    thread.commit(failure(thread.state, 'transient', { ...TRANSIENT, retryAfterMs: 1e18 }))
    expect(last(thread)?.model).toBe('fake/two')
    thread.commit(...answer(thread.state, [textPart('done')]))
    thread.now += 7 * 24 * 3_600_000
    thread.message()
    thread.commit()
    expect(last(thread)?.model).toBe('fake/one')
  })

  test('is the same for a new owner', () => {
    const thread = running({ maxRetries: 0 })
    thread.commit(failure(thread.state, 'transient', TRANSIENT))
    thread.claim()
    thread.commit()
    expect(last(thread)).toMatchObject({ model: 'fake/two', candidate: 1, try: 3 })
  })

  test('does not come after a cancel', () => {
    const thread = running({ maxRetries: 0 })
    thread.deliver('cancel', { reason: 'enough' })
    thread.commit(failure(thread.state, 'transient', TRANSIENT))
    expect(asked(thread)).toEqual(['fake/one'])
    expect(ended(thread)).toMatchObject({ status: 'cancelled' })
  })
})

describe('a model that has failed', () => {
  /** The first model has failed at the start of this thread, the second answered. */
  function moved(more: Parameters<typeof failure>[2] = TRANSIENT): PureThread {
    const thread = running({ maxRetries: 0 })
    thread.commit(failure(thread.state, more === REJECTED ? 'permanent' : 'transient', more))
    thread.commit(...answer(thread.state, [callPart('look')]))
    return thread
  }

  test.each([
    ['for a moment', TRANSIENT],
    ['for good', REJECTED]
  ])('%s is left aside by the turns that follow, and asked again when it has cooled down', (_, more) => {
    const thread = moved(more)
    thread.now += COOL_DOWN_MS - 1
    thread.commit(result(thread.state, 0))
    expect(last(thread)).toMatchObject({ turn: 'run_1//2', try: 1, model: 'fake/two', candidate: 1 })
    expect(last(thread)?.moved).toBeUndefined()
    thread.commit(...answer(thread.state, [callPart('look')]))
    thread.now += 1
    thread.commit(result(thread.state, 0))
    expect(last(thread)).toMatchObject({ turn: 'run_1//3', model: 'fake/one', moved: { from: 'fake/two', why: 'back' } })
    expect(last(thread)?.candidate).toBeUndefined()
  })

  test('is left aside for as long as it asked', () => {
    const thread = moved({ ...TRANSIENT, retryAfterMs: 600_000 })
    thread.now += 599_999
    thread.commit(result(thread.state, 0))
    expect(last(thread)?.model).toBe('fake/two')
    thread.commit(...answer(thread.state, [textPart('done')]))
    thread.now += 1
    thread.message()
    thread.commit()
    expect(last(thread)).toMatchObject({ turn: 'run_2//1', model: 'fake/one' })
  })

  test('is the first choice again as soon as it has answered', () => {
    const thread = running({ maxRetries: 1 })
    thread.commit(failure(thread.state, 'transient', TRANSIENT))
    thread.now += 500
    thread.commit()
    thread.commit(...answer(thread.state, [callPart('look')]))
    thread.commit(result(thread.state, 0))
    expect(asked(thread)).toEqual(['fake/one', 'fake/one', 'fake/one'])
  })

  test('is asked all the same when every other one has failed, too', () => {
    const thread = running({ maxRetries: 0 })
    failAll(thread, TRANSIENT)
    thread.message()
    thread.commit()
    expect(last(thread)).toMatchObject({ turn: 'run_2//1', try: 1, model: 'fake/one' })
  })

  test('is not asked before its pause is over where another one only cools down', () => {
    const thread = running({ maxRetries: 0 }, FALLBACKS.slice(0, 1))
    thread.commit(failure(thread.state, 'transient', { ...TRANSIENT, retryAfterMs: 30_000 }))
    thread.commit(failure(thread.state, 'permanent', REJECTED))
    thread.message()
    thread.commit()
    expect(last(thread)).toMatchObject({ turn: 'run_2//1', model: 'fake/two' })
  })

  test('because of its filter is not left aside', () => {
    const thread = running()
    thread.commit(failure(thread.state, 'permanent', { error: { code: 'content_filtered', message: 'no' } }))
    thread.message()
    thread.commit()
    expect(last(thread)).toMatchObject({ turn: 'run_2//1', model: 'fake/one' })
  })
})
