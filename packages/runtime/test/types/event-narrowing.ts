import type { CallOutcome, HoldfastEvent } from '../../src/index.ts'

/** Type-checked only: what a client may rely on when it looks at the type of an event. */
export function outcomeOf(event: HoldfastEvent): CallOutcome | string | null {
  if (event.type === 'call.settled') return event.data.outcome
  if (event.type === 'text.delta') return event.text
  // @ts-expect-error an answer has no outcome
  if (event.type === 'model.responded') return event.data.outcome
  return null
}
