import { expect, test } from 'vitest'
import { Lease } from '../src/engine/lease.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'

// I5
test.each([
  { leaseMs: 400, holds: 300, begins: 300 },
  { leaseMs: 10_000, holds: 9_000, begins: 9_000 },
  { leaseMs: 600_000, holds: 599_000, begins: 9_000 }
])('a lease of $leaseMs ms holds for $holds ms, and lets something begin for $begins ms', async ({ leaseMs, holds, begins }) => {
  const clock = fakeClock()
  const lease = new Lease(clock, leaseMs, () => 'w')
  const { mayBegin, holds: held } = lease.current()
  expect([held(), mayBegin()]).toEqual([false, false])
  const since = clock.monotonic()
  lease.extend(since)
  await clock.advance(begins - 1)
  expect([held(), mayBegin()]).toEqual([true, true])
  await clock.advance(1)
  expect(mayBegin()).toBe(false)
  await clock.advance(holds - begins)
  expect(held()).toBe(false)
})
