import { HoldfastError } from '../contracts/errors.ts'
import type { Ms } from '../contracts/ids.ts'
import type { AppendRequest } from '../contracts/store.ts'
import { toBodyText, toFactsText } from './facts-text.ts'
import { birthPublication } from './thread-birth.ts'

/** Throws for a request that must not even begin: `invalid_input` for what no driver may ask, `value_too_large`. */
export function assertAppendable(request: AppendRequest): void {
  if (request.facts.length === 0 && request.then === 'keep') {
    throw new HoldfastError(
      'invalid_input',
      `Expected at least one fact in an append to thread ${request.thread} that keeps the owner, got none.`
    )
  }
  for (const item of request.send) toBodyText(item)
  for (const child of request.spawn) {
    birthPublication(child)
    toFactsText(child.id, [child.created])
    toBodyText(child.first)
  }
}

/** The point of a timer on the store's clock: the earlier of `at` and the commit's time + `inMs`. */
export function toTimer(timer: AppendRequest['timer'], at: Ms): Ms | null {
  if (timer === null) return null
  const point = Math.min(timer.at ?? Infinity, timer.inMs === undefined ? Infinity : at + timer.inMs)
  return point === Infinity ? null : Math.min(Math.ceil(point), Number.MAX_SAFE_INTEGER)
}
