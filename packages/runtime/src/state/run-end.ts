import type { Fact, RunEnd } from '../contracts/fact.ts'
import type { Fault } from '../contracts/fault.ts'
import type { Json } from '../contracts/json.ts'
import type { Run } from './state.ts'

/** How a run would end at this turn boundary. */
export interface End {
  readonly status: RunEnd
  readonly why?: string
  readonly error?: Fault
  readonly output?: Json
}

/** The fact that a run has ended. */
export function toRunEnded(run: Run, end: End): Fact {
  return {
    v: 1,
    type: 'run.ended',
    run: run.id,
    status: end.status,
    ...(end.why === undefined ? {} : { why: end.why }),
    ...(end.error === undefined ? {} : { error: end.error }),
    ...(end.output === undefined ? {} : { output: { inline: end.output } })
  }
}
