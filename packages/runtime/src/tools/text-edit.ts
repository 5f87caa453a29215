// Keeps: an edit is applied at most once. Where an earlier try may have applied it, it is applied only when it can be shown that it was not.
import type { Buffer } from 'node:buffer'
import { digestBytes } from './file-content.ts'
import { readByteOrderMark } from './text-encoding.ts'
import type { EditTexts, Place, Replacement } from './text-places.ts'
import { findPlaces, indexesOf, lengthAfter, replacePlaces, toPossibleReplacements, toReplacements } from './text-places.ts'

/** What is replaced by what. */
export interface TextEdit extends EditTexts {
  /** Replaces every place, and not the only one. */
  readonly all: boolean
}

/** What is known beside the bytes of the file. */
export interface EditKnowledge {
  /** The digest of the file for which the edit was made. */
  readonly expectedDigest?: string | undefined
  /** Whether an earlier try of this edit was begun and its end is not known. */
  readonly isRepeat: boolean
}

/** What an edit makes of a file. */
export type EditOutcome =
  | { readonly kind: 'edited'; readonly bytes: Buffer; readonly places: number }
  | { readonly kind: 'already_applied' }
  | { readonly kind: 'refused'; readonly reason: EditRefusal; readonly places: number }

/** Why an edit does not apply. */
export type EditRefusal = 'text_not_found' | 'not_unique' | 'changed_since_read' | 'maybe_applied' | 'too_large'

/** How many bytes a file that is edited has at most, before and after. */
export const MAX_EDIT_BYTES = 10 * 1024 * 1024

/** How many places of an edit that must have one are counted. */
const MAX_COUNTED = 100

/** How many bytes are compared at most to find out whether an edit was applied before. */
const MAX_COMPARED_BYTES = 32 * 1024 * 1024

/**
 * Applies an edit to the bytes of a text file. Bytes outside of the places stay as they are, whatever the encoding, and a line break in the edit stands
 * for those of the file. An edit that is already applied is told from one that is not by the digest of the file before it, or by what the file would
 * have been.
 */
export function applyEdit(bytes: Buffer, edit: TextEdit, { expectedDigest, isRepeat }: EditKnowledge): EditOutcome {
  const refuse = (reason: EditRefusal, places = 0) => ({ kind: 'refused', reason, places }) as const
  if (expectedDigest !== undefined && digestBytes(bytes) !== expectedDigest) {
    const isOurs = mayBeResult(bytes, edit, (before) => digestBytes(before) === expectedDigest) === 'yes'
    return isOurs ? { kind: 'already_applied' } : refuse('changed_since_read')
  }
  const mark = readByteOrderMark(bytes)
  const replacements = toReplacements(bytes, edit, mark)
  const find = (text: Buffer) => findPlaces(text, replacements, mark, edit.all ? EVERY : COUNTED)
  const places = find(bytes)
  const isInDoubt = isRepeat && expectedDigest === undefined && mayBeResult(bytes, edit, (before) => fits(find(before), edit)) !== 'no'
  if (places.length === 0) return isInDoubt ? { kind: 'already_applied' } : refuse('text_not_found')
  if (isInDoubt) return refuse('maybe_applied', places.length)
  if (!fits(places, edit)) return refuse('not_unique', places.length)
  if (lengthAfter(bytes, places) > MAX_EDIT_BYTES) return refuse('too_large', places.length)
  return { kind: 'edited', bytes: replacePlaces(bytes, places), places: places.length }
}

const EVERY = { isOverlapping: false }
const COUNTED = { isOverlapping: true, atMost: MAX_COUNTED }

function fits(places: readonly Place[], { all }: TextEdit): boolean {
  return all ? places.length > 0 : places.length === 1
}

/** Whether the bytes may be what the edit makes of a file for which `isBefore` holds. */
function mayBeResult(bytes: Buffer, edit: TextEdit, isBefore: (before: Buffer) => boolean): 'yes' | 'no' | 'unknown' {
  const mark = readByteOrderMark(bytes)
  const replacements = toPossibleReplacements(edit, mark)
  if (edit.all) return mayBeResultOfAll(bytes, replacements, isBefore)
  let left = MAX_COMPARED_BYTES
  for (const { oldBytes, newBytes } of replacements) {
    const reverse = { oldBytes: newBytes, newBytes: oldBytes }
    for (const start of indexesOf(bytes, newBytes, mark)) {
      left -= bytes.length + oldBytes.length
      if (left < 0) return 'unknown'
      if (isBefore(replacePlaces(bytes, [{ start, replacement: reverse }]))) return 'yes'
    }
  }
  return 'no'
}

function mayBeResultOfAll(
  bytes: Buffer,
  replacements: readonly Replacement[],
  isBefore: (before: Buffer) => boolean
): 'yes' | 'no' | 'unknown' {
  const mark = readByteOrderMark(bytes)
  let isUnknown = false
  for (const { oldBytes, newBytes } of replacements) {
    // Which of its places were there before cannot be known.
    isUnknown ||= indexesOf(bytes, newBytes, mark).next().done !== true
    if (newBytes.length === 0) continue
    const places = findPlaces(bytes, [{ oldBytes: newBytes, newBytes: oldBytes }], mark, EVERY)
    if (places.length > 0 && lengthAfter(bytes, places) <= MAX_COMPARED_BYTES && isBefore(replacePlaces(bytes, places))) return 'yes'
  }
  return isUnknown ? 'unknown' : 'no'
}
