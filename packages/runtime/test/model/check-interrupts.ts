import type { Fact } from '../../src/contracts/fact.ts'
import type { WitnessedThread } from './witness.ts'
import { Violation } from './witness.ts'

/** Judges whether models are interrupted by somebody, and whether what interrupted them is taken at once. */
export interface InterruptJudge {
  judge(fact: Fact, before: { readonly isCancelled: boolean }): void
  endCommit(): void
}

/** Makes a judge for the log of one thread. */
export function createInterruptJudge(items: WitnessedThread['items'], { isLooked }: { readonly isLooked: boolean }): InterruptJudge {
  /** The turn whose last try was cut short. */
  let cutShort: string | null = null
  /** The same, as long as nobody is known who did that. */
  let unexplained: string | null = null

  function judge(fact: Fact, { isCancelled }: { readonly isCancelled: boolean }): void {
    if (fact.type === 'model.failed') {
      cutShort = fact.why === 'interrupted' ? fact.turn : null
      if (fact.why === 'interrupted' && !isCancelled) unexplained = fact.turn
    } else if (fact.type === 'turn.started' || fact.type === 'run.started') {
      if (fact.type === 'turn.started') explain()
      cutShort = null
    }
    if (isInterrupt(fact)) unexplained = null
    if (fact.type !== 'message.received' || fact.interrupts === undefined) return
    if (!isInterrupt(fact))
      throw new Violation('interrupt', `${fact.cause} is no interrupt and is said to have interrupted ${fact.interrupts}`)
    if (fact.interrupts !== cutShort) throw new Violation('interrupt', `${fact.cause} has not interrupted ${fact.interrupts}`)
  }

  function isInterrupt({ cause }: Fact): boolean {
    return cause !== undefined && items.get(cause)?.kind === 'interrupt'
  }

  function endCommit(): void {
    // Hooks look at it first: it is taken, or sent back, before the model is asked again.
    if (!isLooked) explain()
  }

  function explain(): void {
    if (unexplained !== null) throw new Violation('interrupt', `${unexplained} was interrupted, and nothing is taken that did so`)
  }

  return { judge, endCommit }
}
