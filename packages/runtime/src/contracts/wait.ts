import type { WaitKind } from './fact.ts'
import type { Digest, Ms, ThreadId, WaitId } from './ids.ts'
import type { Json } from './json.ts'

/** A wait, as the store keeps it for lists and decisions. */
export interface WaitRow {
  readonly id: WaitId
  readonly thread: ThreadId
  readonly root: ThreadId
  readonly path: string
  readonly kind: WaitKind
  readonly subject: Json
  readonly digest: Digest
  /** How many distinct principals must decide. */
  readonly needed: number
  readonly votes: readonly Json[]
  readonly state: 'open' | 'decided' | 'closed'
  readonly decision?: Json
  /** On the store's clock. */
  readonly expiresAt?: Ms
  readonly targets?: readonly ThreadId[]
}

/** A wait as its opener gives it; the store turns `expiresInMs` into a point on its own clock. */
export type NewWait = Omit<WaitRow, 'state' | 'votes' | 'decision' | 'expiresAt'> & { readonly expiresInMs?: Ms }

/** The answer to a decision. Never throws for a refusal, never executes twice. */
export interface Decided {
  readonly state: 'accepted' | 'counted' | 'repeated' | 'conflict' | 'expired' | 'closed' | 'unknown'
  readonly recorded?: Json
}
