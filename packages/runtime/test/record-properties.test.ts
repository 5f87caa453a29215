import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TurnRecord } from '../src/contracts/turn-record.ts'
import { addUsage, NO_USAGE } from '../src/contracts/usage.ts'
import { TurnRecorder } from '../src/state/turn-recorder.ts'
import { toRecordLine } from '../src/telemetry/jsonl-records.ts'
import { RecordedThread } from './model/recorded-thread.ts'
import { anyPrompts, anyStep, finish, play } from './model/script.ts'
import { propertyShare } from './model/share.ts'

function linesOf(log: RecordedThread['log']): readonly string[] {
  const recorder = new TurnRecorder('thr_1')
  return log.flatMap(({ sequence, at, facts }) =>
    facts.flatMap((fact, index) => recorder.take(fact, { cursor: { sequence, index }, at }).map(toRecordLine))
  )
}

// I1
test('of any log a beginning gives the beginning of the records; at rest each turn has one, and together they are what was spent', () => {
  void fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 40, size: 'max' }), anyPrompts, fc.nat(), (steps, initial, place) => {
      const thread = new RecordedThread(undefined, initial).claim()
      for (const step of steps) play(thread, step)
      const before = linesOf(thread.log.slice(0, place % (thread.log.length + 1)))
      expect(finish(thread)).toBe(true)
      const lines = linesOf(JSON.parse(JSON.stringify(thread.log)))
      expect(lines.slice(0, before.length)).toEqual(before)
      const records = lines.map((line) => JSON.parse(line) as TurnRecord)
      const begun = thread.factsOf('prompts.injected').filter(({ prompts }) => JSON.stringify(prompts).includes('"input"'))
      const turns = new Set([...begun, ...thread.factsOf('turn.started')].map(({ turn }) => turn))
      expect(records.map(({ turn }) => turn)).toEqual([...turns])
      expect(records.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE)).toEqual(thread.state.usage)
      const settled = thread.factsOf('call.settled').map(({ call, outcome }) => `${call} ${outcome}`)
      const told = records.flatMap(({ calls }) => calls.filter(({ outcome }) => outcome !== null))
      expect(told.map(({ call, outcome }) => `${call} ${outcome}`).sort()).toEqual(settled.sort())
      expect(records.filter(({ end }) => end).length).toBeLessThanOrEqual(thread.factsOf('run.ended').length)
    }),
    propertyShare()
  )
})
