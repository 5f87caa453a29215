import type { Fault } from '../contracts/fault.ts'
import type { TurnId } from '../contracts/ids.ts'

/** What hooks have said of the request of a turn. */
export interface PreparedRequest {
  readonly turn: TurnId
  /** What they add to it. */
  readonly context: readonly string[]
  /** Why it is not made. */
  readonly error: Fault | null
}

const NOTHING: readonly string[] = []

/** What hooks add to the request of a turn. */
export function contextOf(prepared: PreparedRequest | null, turn: TurnId): readonly string[] {
  return prepared?.turn === turn ? prepared.context : NOTHING
}
