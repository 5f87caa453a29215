import { describe, expect, test } from 'vitest'
import { runSchedule } from './model/run-schedule.ts'
import { schedulesOf } from './model/share.ts'
import type { Tally } from './model/witness.ts'

const share = schedulesOf({ some: 10_000, all: 50_000 })

/** What the schedules must have met: a check that never sees a race proves nothing. */
const MET = [
  'answer changed',
  'answer reviewed',
  'answer withheld',
  'answered by a hook',
  'begun with prompts',
  'budget cancelled',
  'budget decided',
  'claim expired',
  'claim timer',
  'decided conflict',
  'decided counted',
  'decided expired',
  'decided repeated',
  'delivered repeated',
  'drive drained',
  'drive lost',
  'drive rested',
  'ended cancelled',
  'ended completed',
  'ended failed empty_model_response',
  'ended failed hook_blocked',
  'ended failed hook_failed',
  'ended failed output_truncated',
  'ended failed provider_unavailable',
  'ended failed quarantined',
  'ended failed usage_missing',
  'ended stopped cost_budget',
  'ended stopped cost_unknown',
  'ended stopped repeated_call',
  'ended stopped time_budget',
  'ended stopped time_limit',
  'ended stopped token_budget',
  'ended stopped tool_call_budget',
  'ended stopped turn_limit',
  'failed aborted',
  'failed interrupted',
  'failed lost',
  'failed transient',
  'interrupted',
  'message admitted',
  'message changed',
  'message refused',
  'moved provider_rejected',
  'moved transient',
  'pause decided',
  'pause expired',
  'leg 2',
  'leg 3',
  'killed',
  'lease over',
  'quarantined',
  'reconciled done',
  'reconciled done at last',
  'reconciled failed',
  'reconciled failed at last',
  'reconciled not_done',
  'reconciled not_done at last',
  'reconciled unknown',
  'refused decided',
  'refused fenced',
  'release refused',
  'repeated',
  'repeated too late',
  'request changed',
  'request prepared',
  'request refused',
  'reviewed',
  'reviewed and changed',
  'settled blocked',
  'settled cancelled',
  'settled denied',
  'settled expired',
  'settled unknown',
  'stopped',
  'suspended approval',
  'suspended external',
  'suspended question',
  'tried again idempotent',
  'tried again once',
  'told happened',
  'told not_happened'
]

describe(`the protocol under ${share.count} schedules from seed ${share.first}`, () => {
  // I2 I3 I4 I5 I6 I7 I10 I11 I12 I16 I17 B060
  test('keeps its invariants whatever is killed, stopped, lost, delayed, cancelled and decided', { timeout: share.timeoutMs }, async () => {
    const tally: Tally = {}
    for (let seed = share.first; seed < share.first + share.count; seed++) {
      const result = await runSchedule(seed)
      if (result.violation) {
        expect.fail(`${result.violation.message}\nreplay: HOLDFAST_SEED=${seed} HOLDFAST_SCHEDULES=1\n${result.dump}`)
      }
      for (const [event, count] of Object.entries(result.tally)) tally[event] = (tally[event] ?? 0) + count
    }
    if (share.count >= 10_000) expect(MET.filter((event) => !tally[event])).toEqual([])
  })

  test('runs the same schedule for the same seed', async () => {
    const [first, second] = [await runSchedule(share.first), await runSchedule(share.first)]
    expect(second).toEqual(first)
  })
})
