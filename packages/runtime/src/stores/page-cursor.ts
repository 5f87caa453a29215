import { HoldfastError } from '../contracts/errors.ts'
import type { Ms, ThreadId } from '../contracts/ids.ts'

/** How many entries a page has when the caller does not say. */
export const PAGE_LIMIT = 100

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
