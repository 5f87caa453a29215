import { describe, expect, test } from 'vitest'
import { runCrashMatrix } from '../src/testing/crash-matrix.ts'
import { checkOnce, checkRepeated, ONCE, REPEATABLE } from './crash/checks.ts'
import { cancel, converse, interrupt, toComparable } from './crash/scenario.ts'
import { createTrial, memoryPlace, sqlitePlace } from './crash/trial.ts'

/** Writes of the undisturbed scenarios. Another number is a change of what is committed when: look at it, then write it here. */
const WRITES = { converse: 22, cancel: 13, interrupt: 12 }

describe.each([
  { name: 'SQLite', place: sqlitePlace },
  { name: 'memory', place: memoryPlace }
])('a process that dies at any of its writes, over $name', ({ place }) => {
  test('leaves a conversation that ends as if nothing had been, with tools that may be repeated', async () => {
    const scenario = { client: converse, effects: REPEATABLE }
    const { writes, crashes } = await runCrashMatrix(() =>
      createTrial(place, scenario, (crashed, undisturbed) => {
        expect(undisturbed.ends.map((end) => end.status)).toEqual(['completed', 'completed'])
        expect(toComparable(crashed)).toEqual(toComparable(undisturbed))
        checkRepeated(crashed)
      })
    )
    process.stdout.write(`crash matrix: ${writes} writes of a conversation, two faults each\n`)
    expect({ writes, crashes }).toEqual({ writes: WRITES.converse, crashes: 2 * WRITES.converse })
  })

  test('leaves a conversation in which nothing happened twice, with tools that must not be repeated', async () => {
    // B043
    const scenario = { client: converse, effects: ONCE }
    const { writes, crashes } = await runCrashMatrix(() =>
      createTrial(place, scenario, (crashed) => {
        expect(crashed.ends.map((end) => end.status)).toEqual(['completed', 'completed'])
        checkOnce(crashed)
      })
    )
    expect({ writes, crashes }).toEqual({ writes: WRITES.converse, crashes: 2 * WRITES.converse })
  })

  test.each([
    { kind: 'may', effects: REPEATABLE },
    { kind: 'must not', effects: ONCE }
  ])('leaves a run that is cancelled, with tools that $kind be repeated', async ({ effects }) => {
    // B022
    const scenario = { client: cancel, effects }
    const { writes, crashes } = await runCrashMatrix(() =>
      createTrial(place, scenario, (crashed) => {
        expect(crashed.ends.map((end) => end.status)).toEqual(['cancelled', 'completed'])
        const isAccepted = crashed.pending.includes('cancel') || crashed.before.some((fact) => fact.type === 'run.cancelRequested')
        const isOver = crashed.before.some((fact) => fact.type === 'run.ended')
        if (isAccepted && !isOver) expect(crashed.requests).toBe(0)
        if (effects === ONCE) checkOnce(crashed)
        else checkRepeated(crashed)
      })
    )
    process.stdout.write(`crash matrix: ${writes} writes of a cancelled run, two faults each\n`)
    expect({ writes, crashes }).toEqual({ writes: WRITES.cancel, crashes: 2 * WRITES.cancel })
  })

  test.each([
    { kind: 'may', effects: REPEATABLE },
    { kind: 'must not', effects: ONCE }
  ])('leaves a run that is interrupted, with tools that $kind be repeated', async ({ effects }) => {
    // B060, I7, I10
    const scenario = { client: interrupt, effects }
    const { writes, crashes } = await runCrashMatrix(() =>
      createTrial(place, scenario, (crashed, undisturbed) => {
        expect(undisturbed.facts.filter((fact) => fact.type === 'model.failed')).toMatchObject([{ why: 'interrupted' }])
        expect(crashed.ends.map((end) => end.status)).toEqual(['completed'])
        expect(crashed.facts.filter((fact) => fact.cause === 'said-1')).toHaveLength(1)
        if (effects === ONCE) return checkOnce(crashed)
        expect(toComparable(crashed)).toEqual(toComparable(undisturbed))
        checkRepeated(crashed)
      })
    )
    process.stdout.write(`crash matrix: ${writes} writes of an interrupted run, two faults each\n`)
    expect({ writes, crashes }).toEqual({ writes: WRITES.interrupt, crashes: 2 * WRITES.interrupt })
  })
})
