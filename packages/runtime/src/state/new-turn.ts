import type { FactOf } from '../contracts/fact.ts'
import type { Stamp } from '../contracts/heart.ts'
import type { TurnId } from '../contracts/ids.ts'
import type { Call, Turn } from './state.ts'
import type { TurnFailure } from './turn-failure.ts'

const NO_ASKS: Turn['asks'] = []

/** What a turn begins with. */
type Beginning = Pick<FactOf<'turn.started'>, 'turn' | 'try' | 'model' | 'candidate' | 'last' | 'hook' | 'reservedTokens'>

/** A turn whose first try begins. A class, though it only holds data, for the reason that calls are. */
export class NewTurn implements Turn {
  readonly id: TurnId
  readonly number: number
  phase: Turn['phase'] = 'infer'
  try: number
  stamp: Stamp
  candidate: number
  model: string
  last: boolean
  hook: string | null
  reserved: number
  failures: TurnFailure[] = []
  failure: TurnFailure | null = null
  calls: Call[] = []
  open = 0
  given: Turn['given'] = null
  asks = NO_ASKS
  withheld = false
  refused: Turn['refused'] = null

  constructor(fact: Beginning, stamp: Stamp) {
    this.id = fact.turn
    this.number = Number(fact.turn.slice(fact.turn.lastIndexOf('/') + 1))
    this.try = fact.try
    this.stamp = stamp
    this.candidate = fact.candidate ?? 0
    this.model = fact.model
    this.last = fact.last ?? false
    this.hook = fact.hook ?? null
    this.reserved = fact.reservedTokens ?? 0
  }
}
