import { describe, expect, test } from 'vitest'
import { runEngineSchedule } from './engine/run-engine-schedule.ts'
import { schedulesOf } from './model/share.ts'
import type { Tally } from './model/witness.ts'

const share = schedulesOf({ some: 1_000, all: 20_000 })

describe(`engines under ${share.count} schedules from seed ${share.first}`, () => {
  // I15
  test('drive whatever was accepted in time, once, without spinning, and let go when they stop', { timeout: share.timeoutMs }, async () => {
    const tally: Tally = {}
    let steps = 0
    for (let seed = share.first; seed < share.first + share.count; seed++) {
      const result = await runEngineSchedule(seed)
      steps += result.steps
      if (result.violation) {
        expect.fail(`${result.violation.message}\nreplay: HOLDFAST_SEED=${seed} HOLDFAST_SCHEDULES=1\n${result.journal.join('\n')}`)
      }
      for (const [event, count] of Object.entries(result.tally)) tally[event] = (tally[event] ?? 0) + count
    }
    if (process.env.DEBUG_TALLY) console.log(steps, tally)
  })
})
