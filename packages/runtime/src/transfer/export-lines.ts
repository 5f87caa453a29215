import type { Commit } from '../contracts/fact.ts'
import type { Digest } from '../contracts/ids.ts'
import type { Publication } from '../contracts/publication.ts'
import type { AcceptedItem, ThreadInfo } from '../contracts/store.ts'
import { toCanonicalJson } from '../util/canonical.ts'

/** The format of an export: raised when an older program could not read it any more. */
export const EXPORT_FORMAT = 1

/** What steers a terminal or changes how a line is shown is escaped, so that an export can be looked at. */
const HIDDEN = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** The first line: which thread it is, and how much follows. */
export function toHeaderLine({ id, key, root, path, attempt, head }: ThreadInfo, items: number): string {
  return toLine({ type: 'thread', format: EXPORT_FORMAT, id, ...(key === undefined ? {} : { key }), root, path, attempt, head, items })
}

/** The publication that the thread is pinned to, as the digest sees it. */
export function toPublicationLine({ digest, definition }: Publication): string {
  return toLine({ type: 'publication', digest, definition: JSON.parse(toCanonicalJson(definition)) })
}

/** One commit. Where it stands in its store's feed is not told: that is the store's. */
export function toCommitLine({ sequence, attempt, at, worker, format, digest, facts }: Commit): string {
  return toLine({ type: 'commit', sequence, attempt, at, worker, format, digest, facts })
}

/** The bytes of an artifact, which the next commit is the first to name. */
export function toArtifactLine(digest: Digest, bytes: Uint8Array): string {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  return toLine({ type: 'artifact', digest, bytes: bytes.length, data })
}

/** One accepted item. */
export function toItemLine(item: AcceptedItem): string {
  const { id, kind, from, at, scope, digest } = item
  const known = { type: 'item', id, kind, from: { kind: from.kind, id: from.id }, at, ...(scope === undefined ? {} : { scope }), digest }
  return item.state === 'consumed'
    ? toLine({ ...known, state: item.state, takenIn: item.takenIn })
    : toLine({ ...known, state: item.state, body: item.body })
}

function toLine(record: unknown): string {
  return `${JSON.stringify(record).replace(HIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`
}
