import type { Fault } from './fault.ts'
import type { ItemId, Principal, TurnId } from './ids.ts'
import type { Body, Part } from './message.ts'

/** What becomes of messages, and of other items that nothing follows from. */
export type MessageFact =
  | {
      readonly type: 'message.received'
      readonly source: Principal
      readonly parts: Body<readonly Part[]>
      /** What hooks left to be seen in its place. */
      readonly seen?: Body<readonly Part[]>
      readonly injected?: boolean
      /** The turn whose model call was aborted for this message. */
      readonly interrupts?: TurnId
    }
  | {
      readonly type: 'message.returned'
      readonly item: ItemId
      readonly why: 'cancelled' | 'blocked' | 'no_conversation' | 'ambiguous'
      /** What was said and by whom: its item is gone with this commit. */
      readonly source?: Principal
      readonly parts?: Body<readonly Part[]>
    }
  | {
      readonly type: 'message.admitted'
      /** It is taken, or returned, as soon as its turn comes. */
      readonly item: ItemId
      /** What is seen in place of what it says. */
      readonly seen?: Body<readonly Part[]>
      /** Why it goes back unread. */
      readonly error?: Fault
    }
  | { readonly type: 'item.discarded'; readonly item: ItemId; readonly why: 'closed' | 'stale' | 'no_run' }
