// Keeps I9 and I10: a message that hooks are to look at is not taken before they have, and goes back where they are against it.
import type { Fault } from '../contracts/fault.ts'
import type { HookedPoints } from '../contracts/heart.ts'
import type { FactOf } from '../contracts/fact.ts'
import type { ItemId } from '../contracts/ids.ts'
import type { Part } from '../contracts/message.ts'
import type { InboxItem } from '../contracts/store.ts'
import { inlineOf } from './body.ts'

/** What hooks have said of a message that is not taken yet. */
export interface Admitted {
  /** What is seen in its place; null: what it says. */
  readonly seen: readonly Part[] | null
  /** Why it goes back unread. */
  readonly error: Fault | null
}

/** Messages that hooks have looked at, and that are not taken yet. */
export type Admissions = Map<ItemId, Admitted>

interface Admitting {
  readonly admitted: Admissions
}

/** Hooks have looked at a message. */
export function evolveMessageAdmitted({ admitted }: Admitting, _stamp: unknown, { item, seen, error }: FactOf<'message.admitted'>): void {
  admitted.set(item, { seen: seen === undefined ? null : inlineOf(seen), error: error ?? null })
}

/** Whether hooks are to look at a message first. */
export function isUnseen({ admitted }: Admitting, { id }: InboxItem, hooked: HookedPoints | undefined): boolean {
  return hooked?.onMessage === true && !admitted.has(id)
}
