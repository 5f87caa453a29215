import { HoldfastError } from '../contracts/errors.ts'
import type { Ms, ThreadId } from '../contracts/ids.ts'
import type { Page } from '../contracts/query.ts'

const PAGE_LIMIT = 100
const MAX_PAGE_LIMIT = 1000

/** How many entries a page has: what the caller asks for, within bounds. */
export function toPageLimit(limit = PAGE_LIMIT): number {
  return Math.max(1, Math.min(Math.floor(limit), MAX_PAGE_LIMIT))
}

/** The place after a thread in the list of threads. */
export function toThreadCursor(at: Ms, id: ThreadId): string {
  return `${at}:${id}`
}

/** The place that a cursor names. Throws `invalid_input`. */
export function fromThreadCursor(cursor: string): { readonly at: Ms; readonly id: ThreadId } {
  const separator = cursor.indexOf(':')
  const at = Number(cursor.slice(0, Math.max(0, separator)))
  if (separator < 1 || !Number.isFinite(at)) {
    throw new HoldfastError(
      'invalid_input',
      `Expected the cursor of a page of threads, got ${JSON.stringify(cursor)}. Use \`next\` of the page before.`
    )
  }
  return { at, id: cursor.slice(separator + 1) }
}

/** The position that a cursor names, zero for the empty one. Throws `invalid_input`. */
export function fromPositionCursor(cursor: string): number {
  const position = cursor === '' ? 0 : Number(cursor)
  if (Number.isSafeInteger(position) && position >= 0) return position
  throw new HoldfastError(
    'invalid_input',
    `Expected a position in a list or feed, got ${JSON.stringify(cursor)}. Use \`next\` of the page before.`
  )
}

/** A page of what was found; one more than the limit tells that there is a next one. */
export function toPage<Found, Shown>(
  found: readonly Found[],
  limit: number,
  toCursor: (last: Found) => string,
  toShown: (found: Found) => Shown
): Page<Shown> {
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  return { items: shown.map(toShown), ...(last !== undefined && found.length > limit ? { next: toCursor(last) } : {}) }
}
