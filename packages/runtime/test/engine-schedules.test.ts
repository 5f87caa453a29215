import { afterEach, describe, expect, test, vi } from 'vitest'
import { Bell } from '../src/engine/bell.ts'
import { FaultyThreads } from '../src/engine/faulty-threads.ts'
import { RestTimers } from '../src/engine/rest-timers.ts'
import { WantedThreads } from '../src/engine/wanted-threads.ts'
import { runEngineSchedule } from './engine/run-engine-schedule.ts'
import { schedulesOf } from './model/share.ts'
import type { Tally } from './model/witness.ts'

const share = schedulesOf({ some: 1_500, all: 20_000 })

/** What the schedules must have met: a check that never sees a race proves nothing. */
const MET = [
  'acquire failed',
  'acquired',
  'claimed expired',
  'claimed items',
  'claimed takeover',
  'claimed timer',
  'drive drained',
  'drive lost',
  'drive rested',
  'drive threw',
  'killed',
  'not acquired',
  'stands still',
  'stopped',
  'trouble append',
  'trouble beat',
  'trouble claim',
  'trouble thread'
]

describe(`engines under ${share.count} schedules from seed ${share.first}`, () => {
  // I15
  test('drive whatever was accepted in time, once, without spinning, and let go when they stop', { timeout: share.timeoutMs }, async () => {
    const tally: Tally = {}
    for (let seed = share.first; seed < share.first + share.count; seed++) {
      const result = await runEngineSchedule(seed)
      if (result.violation) {
        expect.fail(`${result.violation.message}\nreplay: HOLDFAST_SEED=${seed} HOLDFAST_SCHEDULES=1\n${result.journal.join('\n')}`)
      }
      for (const [event, count] of Object.entries(result.tally)) tally[event] = (tally[event] ?? 0) + count
    }
    if (share.count >= 500) expect(MET.filter((event) => !tally[event])).toEqual([])
  })

  // I15: after a stand-still of the process a claim under the name that has run out finds nothing.
  test('drive what was asked for before the process stood still beyond its lease', async () => {
    expect(await runEngineSchedule(9_323)).toMatchObject({ violation: null })
  })

  test('go the same way for the same seed', async () => {
    const [first, second] = [await runEngineSchedule(share.first), await runEngineSchedule(share.first)]
    expect(second).toEqual(first)
  })
})

describe('the schedules of engines find', () => {
  afterEach(() => void vi.restoreAllMocks())

  // I15
  test('an engine that forgets what was asked for while its places are full', async () => {
    const { first } = WantedThreads.prototype
    vi.spyOn(WantedThreads.prototype, 'first').mockImplementation(function (this: WantedThreads, most) {
      const asked = first.call(this, most)
      for (const thread of asked.keys()) this.delete(thread)
      return asked
    })
    expect(await firstViolation(200)).toBe('I15')
  })

  // I15
  test('an engine that drops what rings between a release and the end of its drive', async () => {
    vi.spyOn(Bell.prototype, 'isRung').mockReturnValue(false)
    expect(await firstViolation(500)).toBe('I15')
  })

  // I15
  test('an engine that forgets the timers of the threads that it has put to rest', async () => {
    vi.spyOn(RestTimers.prototype, 'set').mockImplementation(() => {})
    expect(await firstViolation(200)).toBe('I15')
  })

  test('an engine that does not leave faulty threads alone', async () => {
    vi.spyOn(FaultyThreads.prototype, 'pausing').mockReturnValue([])
    vi.spyOn(FaultyThreads.prototype, 'letGo').mockImplementation(async (_claim, error) => ({ error }))
    expect(['spin', 'pause', 'stop']).toContain(await firstViolation(200))
  })
})

/** The rule that the first schedule to fail names; null when none of them fails. */
async function firstViolation(withinSchedules: number): Promise<string | null> {
  for (let seed = 1; seed <= withinSchedules; seed++) {
    const { violation } = await runEngineSchedule(seed)
    if (violation) return violation.rule
  }
  return null
}
