// Keeps I3, I5, I7, I10 and I11 at every write of a thread that begins with calls.
import { describe, expect, test } from 'vitest'
import type { Effect } from '../src/contracts/fact.ts'
import { BEFORE_CALLS } from '../src/state/initial-prompts.ts'
import { runCrashMatrix } from '../src/testing/crash-matrix.ts'
import { checkOnce, checkRepeated } from './crash/checks.ts'
import type { Client, Ending } from './crash/scenario.ts'
import { toComparable } from './crash/scenario.ts'
import { beginWith, startInitialProcess, THREE, TWO } from './crash/initial-scenario.ts'
import { createTrial, memoryPlace, sqlitePlace } from './crash/trial.ts'
import { userTexts } from './runtime-kit.ts'

/** Writes of the undisturbed scenarios. Another number is a change of what is committed when: look at it, then write it here. */
const WRITES = { two: 13, three: 17, cancelled: 14 }

const IDEMPOTENT: { readonly [tool: string]: Effect } = { weigh: 'read', pay: 'idempotent', mail: 'idempotent' }
const ONCE: { readonly [tool: string]: Effect } = { weigh: 'once', pay: 'once', mail: 'once' }

/** What holds wherever the process died: the prompts are injected once, their calls are those of turn 0, and the task stands behind them. */
function checkBeginning({ facts, ends, prompt }: Ending, { texts, calls, end }: Expected): void {
  expect(facts.filter((fact) => fact.type === 'prompts.injected')).toHaveLength(1)
  expect(facts.filter((fact) => fact.cause === 'start' && fact.type === 'message.received')).toHaveLength(1)
  const settled = facts.flatMap((fact) => (fact.type === 'call.settled' ? [fact.call.replace(/^run_[^/]*/, '')] : []))
  expect(settled).toEqual(Array.from({ length: calls }, (_, position) => `//0.${position}`))
  expect(userTexts(prompt)).toEqual([...texts, 'the task', 'go on'])
  expect(ends.map(({ status }) => status)).toEqual([end, 'completed'])
  // No model is asked before the last of them has ended.
  const asked = facts.findIndex((fact) => fact.type === 'turn.started')
  expect(facts.findLastIndex((fact) => fact.type === 'call.settled')).toBeLessThan(asked)
}

interface Expected {
  /** What the user says before the task. */
  readonly texts: readonly string[]
  readonly calls: number
  /** How the first run ends. */
  readonly end: 'completed' | 'cancelled'
}

const SCENARIOS: readonly (Expected & { readonly name: string; readonly client: Client; readonly expected: number })[] = [
  {
    ...{ name: 'two initial prompts', client: beginWith(TWO), expected: WRITES.two },
    ...{ texts: ['for {{ nobody }}', 'and then', 'last'], calls: 2, end: 'completed' }
  },
  {
    ...{ name: 'three initial calls, of which one is held', client: beginWith(THREE), expected: WRITES.three },
    ...{ texts: [BEFORE_CALLS], calls: 3, end: 'completed' }
  },
  {
    ...{ name: 'three initial calls, and a run that is cancelled', client: beginWith(THREE, 'cancel'), expected: WRITES.cancelled },
    ...{ texts: [BEFORE_CALLS], calls: 3, end: 'cancelled' }
  }
]

describe.each([
  { name: 'SQLite', place: sqlitePlace },
  { name: 'memory', place: memoryPlace }
])('a process that dies at any of its writes, over $name', ({ place }) => {
  // B043
  describe.each(SCENARIOS)('leaves a thread with $name', ({ name, client, expected, ...beginning }) => {
    test.each([
      { kind: 'may', effects: IDEMPOTENT },
      { kind: 'must not', effects: ONCE }
    ])('that begins as if nothing had been, with tools that $kind be repeated', async ({ effects }) => {
      const scenario = { client, effects, start: startInitialProcess }
      const { writes, crashes } = await runCrashMatrix(() =>
        createTrial(place, scenario, (crashed, undisturbed) => {
          checkBeginning(crashed, beginning)
          if (effects === ONCE) return checkOnce(crashed)
          expect(toComparable(crashed)).toEqual(toComparable(undisturbed))
          checkRepeated(crashed)
        })
      )
      process.stdout.write(`crash matrix: ${writes} writes of a thread with ${name}, two faults each\n`)
      expect({ writes, crashes }).toEqual({ writes: expected, crashes: 2 * expected })
    })
  })
})
