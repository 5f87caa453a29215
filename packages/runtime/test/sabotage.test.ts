import { describe, expect, test } from 'vitest'
import type { Sabotage } from './model/model.ts'
import { runSchedule } from './model/run-schedule.ts'
import {
  withEarlyEffects,
  withForgottenEffects,
  withoutBudget,
  withoutCrashBudget,
  withHastyReconcile,
  withoutDecidedRule,
  withoutDeferredItems,
  withoutFence,
  withoutFreshRule,
  withoutInterrupts,
  withoutWaits
} from './model/sabotage.ts'

/** The rule that the first schedule to fail names; null when none of them fails. */
async function firstViolation(sabotage: Sabotage, withinSchedules: number): Promise<string | null> {
  for (let seed = 1; seed <= withinSchedules; seed++) {
    const { violation } = await runSchedule(seed, sabotage)
    if (violation) return violation.rule
  }
  return null
}

describe('the model-based check finds', () => {
  // I3
  test('a store without the fence by attempt', async () => {
    expect(await firstViolation(withoutFence, 2_000)).toBe('I3')
  })

  // I4
  test('a driver that starts effects before their commit', async () => {
    expect(await firstViolation(withEarlyEffects, 100)).toBe('I4')
  })

  // I5
  test('a driver that forgets effects when they end instead of when they are committed', async () => {
    expect(['I5', 'cancel']).toContain(await firstViolation(withForgottenEffects, 1_000))
  })

  // I10
  test('a store that lets go of a thread with unread items', async () => {
    expect(await firstViolation(withoutFreshRule, 1_000)).toBe('stuck')
  })

  // I10
  test('a store that never shows a deferred item again', async () => {
    expect(await firstViolation(withoutDeferredItems, 200)).toBe('I10')
  })

  test('a driver that keeps interrupts from the heart', async () => {
    // Where hooks look at messages first, the one that interrupts is never let in.
    expect(['interrupt', 'stuck']).toContain(await firstViolation(withoutInterrupts, 100))
  })

  // I16
  test('a heart that plans as if there were no budget', async () => {
    expect(await firstViolation(withoutBudget, 100)).toBe('I16')
  })

  test('a driver that goes on however often owners have died', async () => {
    expect(await firstViolation(withoutCrashBudget, 500)).toBe('quarantine')
  })

  // I12
  test('a store that closes a wait although it was decided', async () => {
    expect(await firstViolation(withoutDecidedRule, 5_000)).toBe('I12')
  })

  // I5
  test('a tool whose word counts that nothing was done while something may still come', async () => {
    expect(await firstViolation(withHastyReconcile, 1_000)).toBe('I5')
  })

  // I5
  test('a driver that goes on with a call whose answer has not come', async () => {
    expect(['I5', 'I2', 'I11']).toContain(await firstViolation(withoutWaits, 500))
  })
})
