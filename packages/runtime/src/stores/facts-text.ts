import type { Commit, Fact } from '../contracts/fact.ts'
import { FORMAT } from '../contracts/fact.ts'
import { HoldfastError } from '../contracts/errors.ts'
import type { Digest } from '../contracts/ids.ts'
import type { NewItem } from '../contracts/store.ts'
import { digestText } from '../util/canonical.ts'

/** The largest commit, in bytes of JSON: large bodies are artifacts. */
const MAX_FACTS_BYTES = 1_048_576
/** The largest body of an item, which is kept only until it is taken: a message of 16 MiB, and what a run is started with beside it. */
const MAX_ITEM_BYTES = 18_874_368

/** The one text under which a commit is stored, and its digest. */
export interface FactsText {
  readonly text: string
  readonly digest: Digest
}

/** Serialises the facts of a commit. Throws `value_too_large`, so call it before anything is written. */
export function toFactsText(thread: string, facts: readonly Fact[]): FactsText {
  const text = JSON.stringify(facts)
  assertSize(text, MAX_FACTS_BYTES, `the facts of one commit of thread ${thread}`)
  return { text, digest: digestText(text) }
}

/** Checks a stored commit against its digest and format and gives its facts. Throws `log_corrupt`, `format_unknown`. */
export function fromFactsText(
  stored: { readonly text: string } & Pick<Commit, 'thread' | 'sequence' | 'digest' | 'format'>
): readonly Fact[] {
  const details = { thread: stored.thread, sequence: stored.sequence }
  if (stored.format > FORMAT) {
    throw new HoldfastError(
      'format_unknown',
      `Commit ${stored.sequence} of thread ${stored.thread} has format ${stored.format}; this program reads formats up to ${FORMAT}. Use the version that wrote it, or a newer one.`,
      { details: { ...details, format: stored.format, known: FORMAT } }
    )
  }
  if (digestText(stored.text) !== stored.digest) {
    throw new HoldfastError(
      'log_corrupt',
      `Commit ${stored.sequence} of thread ${stored.thread} does not match its digest: the store's data was changed or damaged. Restore the store from a backup.`,
      { details }
    )
  }
  return JSON.parse(stored.text)
}

/** The body of an item as JSON text. Throws `value_too_large`. */
export function toBodyText(item: Pick<NewItem, 'id' | 'thread' | 'body'>): string {
  const text = JSON.stringify(item.body)
  assertSize(text, MAX_ITEM_BYTES, `the body of item ${item.id} for thread ${item.thread}`)
  return text
}

function assertSize(text: string, limit: number, what: string): void {
  if (text.length * 3 <= limit) return
  const bytes = Buffer.byteLength(text)
  if (bytes <= limit) return
  throw new HoldfastError(
    'value_too_large',
    `Expected at most ${limit} bytes of JSON for ${what}, got ${bytes}. Keep large values as artifacts.`,
    { details: { bytes, limit } }
  )
}
