import { expect, test } from 'vitest'
import { HoldfastError } from '../src/contracts/errors.ts'
import { untilKnown } from '../src/loop/until-known.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'

const GONE = new HoldfastError('store_unavailable', 'the store did not answer')

/** A request whose first answers are these; then it succeeds. The clock does not let anyone wait. */
function asked(...answers: readonly (() => Promise<string>)[]) {
  let count = 0
  const options = { clock: { ...fakeClock(), sleep: async () => {} }, leaseHolds: () => count < 4 }
  const request = (): Promise<string> => {
    count += 1
    return answers[count - 1]?.() ?? Promise.resolve('known')
  }
  return { count: () => count, known: () => untilKnown(request, options) }
}

const throws = (error: unknown) => (): never => {
  throw error
}
const rejects = (error: unknown) => async (): Promise<never> => {
  throw error
}

test.each([
  ['rejects', rejects],
  ['throws before it gives a promise', throws]
])('repeats a request to a store that %s', async (_, fails) => {
  const { known, count } = asked(fails(GONE), fails(GONE))
  expect(await known()).toBe('known')
  expect(count()).toBe(3)
})

test.each([
  ['rejects', rejects],
  ['throws before it gives a promise', throws]
])('throws what no repeat can mend, where a store %s', async (_, fails) => {
  const corrupt = new HoldfastError('store_corrupt', 'the file is none')
  const { known, count } = asked(fails(GONE), fails(corrupt))
  await expect(known()).rejects.toBe(corrupt)
  expect(count()).toBe(2)
  await expect(asked(fails(corrupt)).known()).rejects.toBe(corrupt)
})

test('gives up when the lease is over', async () => {
  const { known, count } = asked(rejects(GONE), throws(GONE), rejects(GONE), throws(GONE), rejects(GONE))
  expect(await known()).toBe('lease_over')
  expect(count()).toBe(4)
})
