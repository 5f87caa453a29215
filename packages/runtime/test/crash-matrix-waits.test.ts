// Keeps I3, I5, I6, I10 and I11 at every write of those who drive and of those who decide.
import { describe, expect, test } from 'vitest'
import type { Effect } from '../src/contracts/fact.ts'
import type { CrashTrial } from '../src/testing/crash-matrix.ts'
import { runCrashMatrix } from '../src/testing/crash-matrix.ts'
import type { Crashed } from './crash/checks.ts'
import { checkOnce, checkRepeated } from './crash/checks.ts'
import type { Ending, World } from './crash/scenario.ts'
import { toComparable } from './crash/scenario.ts'
import type { Place } from './crash/trial.ts'
import { createTrial, memoryPlace, sqlitePlace } from './crash/trial.ts'
import { decideAll, startWaitingProcess } from './crash/wait-scenario.ts'
import { runThrough } from './runtime-kit.ts'

/** Writes of the undisturbed scenario. Another number is a change of what is committed when: look at it, then write it here. */
const WRITES = 28

/** The same of a process that only decides: a publication, a thread, three decisions, a cancel and a message. */
const DECIDER_WRITES = 7

const IDEMPOTENT: { readonly [tool: string]: Effect } = { weigh: 'idempotent', pay: 'idempotent', mail: 'idempotent' }
const ONCE: { readonly [tool: string]: Effect } = { weigh: 'once', pay: 'once', mail: 'once' }

/** What holds wherever the process died: each wait has one end, the waits are the same, and only what was approved runs, as it was approved. */
function checkWaits({ facts, ends, before }: Pick<Crashed, 'facts' | 'ends' | 'before'>): void {
  const opened = facts.flatMap((fact) => (fact.type === 'wait.opened' ? [fact.wait] : []))
  const resolved = facts.filter((fact) => fact.type === 'wait.resolved')
  expect(resolved.map((fact) => fact.wait).toSorted()).toEqual(opened.toSorted())
  expect(resolved.map((fact) => fact.as).toSorted()).toEqual(['cancelled', 'cancelled', 'decided', 'decided', 'decided', 'expired'])
  expect(opened.map((wait) => wait.replace(/^thr_[^:]*:run_[^/]*/, ''))).toEqual([
    '//1.1:approval:1',
    '//1.2:approval:1',
    '//1.3:question:1',
    '//2.0:approval:1',
    '//3.0:approval:1',
    '//3.1:question:1'
  ])
  // An id that was shown before the crash is valid after it.
  for (const fact of before) if (fact.type === 'wait.opened') expect(opened).toContain(fact.wait)
  expect(ends.map((end) => end.status)).toEqual(['cancelled', 'completed'])
  const started = facts.flatMap((fact) => (fact.type === 'call.started' ? [fact.call.replace(/^run_[^/]*/, '')] : []))
  expect([...new Set(started)].toSorted()).toEqual(['//1.0', '//1.1'])
}

describe.each([
  { name: 'SQLite', place: sqlitePlace },
  { name: 'memory', place: memoryPlace }
])('a process that dies at any of its writes while calls wait for people, over $name', ({ place }) => {
  // B030, B034, B036, B038, B040
  test.each([
    { kind: 'may', effects: IDEMPOTENT },
    { kind: 'must not', effects: ONCE }
  ])('leaves waits that others decide about, with tools that $kind be repeated', async ({ effects }) => {
    const scenario = { client: decideAll, effects, start: startWaitingProcess }
    const { writes, crashes } = await runCrashMatrix(() =>
      createTrial(place, scenario, (crashed, undisturbed) => {
        checkWaits(crashed)
        if (effects === ONCE) return checkOnce(crashed)
        expect(toComparable(crashed)).toEqual(toComparable(undisturbed))
        checkRepeated(crashed)
      })
    )
    process.stdout.write(`crash matrix: ${writes} writes of a run with waits, two faults each\n`)
    expect({ writes, crashes }).toEqual({ writes: WRITES, crashes: 2 * WRITES })
  })
  // B036
  test('leaves decisions that a process takes up that lives, when it only decides', async () => {
    const { writes, crashes } = await runCrashMatrix(() => createDeciderTrial(place))
    process.stdout.write(`crash matrix: ${writes} writes of a process that only decides, two faults each\n`)
    expect({ writes, crashes }).toEqual({ writes: DECIDER_WRITES, crashes: 2 * DECIDER_WRITES })
  })
})

/** A process that drives and lives, and one that decides and may die. */
async function createDeciderTrial(createPlace: () => Promise<Place>): Promise<CrashTrial<Ending>> {
  const { store, clock, open } = await createPlace()
  const world: World = { begun: [], prompts: [] }
  const runtimes = [startWaitingProcess(store, clock, world, ONCE, { recover: true }).runtime]
  return {
    store,
    open,
    run(process) {
      const decider = startWaitingProcess(process.store, clock, world, ONCE, { concurrency: 0 })
      runtimes.push(decider.runtime)
      return runThrough(clock, decideAll(decider, 'trial', { takeover: false }))
    },
    async check({ ending, undisturbed }) {
      for (const runtime of runtimes) await runtime.close()
      checkWaits({ ...ending, before: [] })
      expect(toComparable(ending)).toEqual(toComparable(undisturbed))
      // Nobody died who drives: everything that was approved happened, once.
      expect(world.begun.map(({ call }) => call.replace(/^run_[^/]*/, ''))).toEqual(['//1.0', '//1.1'])
    }
  }
}
