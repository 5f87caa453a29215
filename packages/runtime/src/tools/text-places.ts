import { Buffer } from 'node:buffer'
import { occurrencesOf } from './occurrences.ts'
import type { ByteOrderMark } from './text-encoding.ts'
import { encodeText } from './text-encoding.ts'

/** Bytes, and what they are to be replaced by. */
export interface Replacement {
  readonly oldBytes: Uint8Array
  readonly newBytes: Uint8Array
}

/** A place in a file where a replacement applies. */
export interface Place {
  readonly start: number
  readonly replacement: Replacement
}

/** The texts of an edit. */
export interface EditTexts {
  readonly oldText: string
  readonly newText: string
}

/**
 * What an edit means in the bytes of a file. A line break in it stands for one with and for one without a carriage return; what is new gets the kind
 * that it replaces, or the one that prevails in the file.
 */
export function toReplacements(bytes: Buffer, { oldText, newText }: EditTexts, mark: ByteOrderMark): readonly Replacement[] {
  const pairs = hasBreak(oldText)
    ? WRITINGS.map((write) => [write(oldText), write(newText)] as const)
    : [[oldText, prevailingWriting(bytes, mark)(newText)] as const]
  const isFirst = ([text]: readonly [string, string], index: number) => pairs.findIndex(([other]) => other === text) === index
  return pairs.filter(isFirst).map((pair) => toBytes(pair, mark))
}

/** What an edit may have meant in a file whose line breaks were others: at least what `toReplacements` gave for the file before it was edited. */
export function toPossibleReplacements({ oldText, newText }: EditTexts, mark: ByteOrderMark): readonly Replacement[] {
  const oldTexts = hasBreak(oldText) ? WRITINGS.map((write) => write(oldText)) : [oldText]
  const newTexts = [...new Set(WRITINGS.map((write) => write(newText)))]
  return [...new Set(oldTexts)].flatMap((text) => newTexts.map((other) => toBytes([text, other], mark)))
}

/** Where replacements apply, in the order of the file. `isOverlapping`: also places that share bytes, to see that there is more than one. */
export function findPlaces(
  bytes: Buffer,
  replacements: readonly Replacement[],
  mark: ByteOrderMark,
  options: { readonly isOverlapping: boolean; readonly atMost?: number }
): readonly Place[] {
  const places: Place[] = []
  for (const replacement of replacements) {
    let count = 0
    for (const start of indexesOf(bytes, replacement.oldBytes, mark)) {
      if (isInsideBreak(bytes, start, mark)) continue
      places.push({ start, replacement })
      count += 1
      if (count >= (options.atMost ?? Number.POSITIVE_INFINITY)) break
    }
  }
  if (replacements.length > 1) places.sort((left, right) => left.start - right.start)
  return options.isOverlapping ? places : withoutOverlaps(places)
}

/** Where bytes stand in a text behind its byte order mark, at whole units, also where such places overlap. */
export function* indexesOf(bytes: Buffer, wanted: Uint8Array, mark: ByteOrderMark): Generator<number> {
  const unit = unitOf(mark)
  for (const index of occurrencesOf(bytes, wanted)) {
    if (index >= mark.length && (index - mark.length) % unit === 0) yield index
  }
}

/** The bytes with every place replaced. */
export function replacePlaces(bytes: Buffer, places: readonly Place[]): Buffer {
  const replaced = Buffer.alloc(lengthAfter(bytes, places))
  let from = 0
  let to = 0
  for (const { start, replacement } of places) {
    replaced.set(bytes.subarray(from, start), to)
    to += start - from
    replaced.set(replacement.newBytes, to)
    to += replacement.newBytes.length
    from = start + replacement.oldBytes.length
  }
  replaced.set(bytes.subarray(from), to)
  return replaced
}

/** How many bytes there are with every place replaced. */
export function lengthAfter(bytes: Buffer, places: readonly Place[]): number {
  return places.reduce((sum, { replacement }) => sum + replacement.newBytes.length - replacement.oldBytes.length, bytes.length)
}

/** Whether two texts differ in nothing but the kind of their line breaks, which an edit does not change. */
export function isSameText({ oldText, newText }: EditTexts): boolean {
  return toLf(oldText) === toLf(newText)
}

const toLf = (text: string) => text.replaceAll('\r\n', '\n')
const toCrlf = (text: string) => toLf(text).replaceAll('\n', '\r\n')
const asGiven = (text: string) => text

const WRITINGS = [toLf, toCrlf, asGiven] as const

function hasBreak(text: string): boolean {
  return text.includes('\n')
}

function prevailingWriting(bytes: Buffer, mark: ByteOrderMark): (text: string) => string {
  const count = (text: string) => [...indexesOf(bytes, encodeText(text, mark.encoding), mark)].length
  const all = count('\n')
  if (all === 0) return asGiven
  return count('\r\n') * 2 > all ? toCrlf : toLf
}

function toBytes([oldText, newText]: readonly [string, string], { encoding }: ByteOrderMark): Replacement {
  return { oldBytes: encodeText(oldText, encoding), newBytes: encodeText(newText, encoding) }
}

function unitOf({ encoding }: ByteOrderMark): number {
  return encoding === 'utf-8' ? 1 : 2
}

/** Whether a place begins between the carriage return and the line feed of one line break. */
function isInsideBreak(bytes: Buffer, start: number, mark: ByteOrderMark): boolean {
  const unit = unitOf(mark)
  const read = (at: number) => (unit === 1 ? bytes[at] : mark.encoding === 'utf-16le' ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at))
  if (start < mark.length + unit || start + unit > bytes.length) return false
  return read(start) === 0x0a && read(start - unit) === 0x0d
}

function withoutOverlaps(places: readonly Place[]): readonly Place[] {
  let end = 0
  return places.filter(({ start, replacement }) => {
    if (start < end) return false
    end = start + replacement.oldBytes.length
    return true
  })
}
