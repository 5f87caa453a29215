import type { Fact, FactOf } from '../../src/contracts/fact.ts'
import { APPROVALS } from './clients.ts'
import { Violation } from './witness.ts'

/** Judges whether a thread that was set aside is left alone until a person says something, and does what they say. */
export interface QuarantineJudge {
  judge(fact: Fact): void
  /** Whether a person has given the run up that is under way. */
  readonly isGivenUp: boolean
}

const DRIVEN: ReadonlySet<Fact['type']> = new Set(['turn.started', 'call.started', 'model.responded', 'message.received'])

/** Makes a judge for the log of one thread. */
export function createQuarantineJudge(): QuarantineJudge {
  let aside: string | null = null
  let isGivenUp = false

  function judge(fact: Fact): void {
    if (fact.type === 'run.started') isGivenUp = false
    else if (fact.type === 'run.ended') end(fact)
    else if (fact.type === 'wait.opened' && fact.kind === 'quarantine') open(fact)
    else if (fact.type === 'wait.resolved' && fact.wait === aside) resolve(fact)
    else if (DRIVEN.has(fact.type) && (aside !== null || isGivenUp)) fail(`${fact.type} in a run that is set aside or given up`)
  }

  function open({ wait }: FactOf<'wait.opened'>): void {
    if (aside !== null) fail(`${wait} is opened while ${aside} is open`)
    aside = wait
  }

  function resolve({ as, decision, wait }: FactOf<'wait.resolved'>): void {
    if (as === 'expired') fail(`${wait} expires: nobody gives up or tries again by silence`)
    aside = null
    isGivenUp = as === 'decided' && !APPROVALS.includes(JSON.stringify(decision))
  }

  function end({ run, status, why }: FactOf<'run.ended'>): void {
    if (status === 'cancelled') isGivenUp = false
    if (isGivenUp !== (why === 'quarantined')) fail(`${run} ends ${status} ${why ?? ''}, and ${isGivenUp ? 'was' : 'was not'} given up`)
    isGivenUp = false
  }

  function fail(message: string): never {
    throw new Violation('quarantine', message)
  }

  return {
    judge,
    get isGivenUp() {
      return isGivenUp
    }
  }
}
