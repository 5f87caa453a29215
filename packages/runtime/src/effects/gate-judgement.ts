import type { FactOf } from '../contracts/fact.ts'
import type { Digest } from '../contracts/ids.ts'

/** What was decided, beside the call that it is about. */
export type Judgement = Pick<FactOf<'call.gated'>, 'verdict' | 'by' | 'result' | 'expiresAfterMs' | 'needed'> & {
  readonly asks?: readonly string[]
}

/** What an approval was about. */
export interface SecondLook {
  /** Who had asked. */
  readonly answered: readonly string[]
  /** Of what was shown; null when the decision brought arguments of its own. */
  readonly digest: Digest | null
  /** How often somebody has decided about this call. */
  readonly rounds: number
  /** How many have approved it. */
  readonly needed: number
}
