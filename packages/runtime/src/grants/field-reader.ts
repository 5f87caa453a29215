import type { ShapeFault } from '../contracts/shape-fault.ts'
import { toKindText } from '../util/kind-text.ts'
import { nearest } from '../util/near-miss.ts'

// Readers of data that somebody wrote. Each gives what it read and notes what is wrong; with a fault noted, what it gives is not to be used.

/** A place in what is read, and where faults of all of it are noted. */
export interface Place {
  readonly path: readonly (string | number)[]
  readonly faults: ShapeFault[]
  /** Whether lists may be of any length: what was made from others may be longer than what somebody writes. */
  readonly isMade?: boolean
}

/** Reads a value at a place. Nothing there is `undefined`. */
export type Reader<T> = (value: unknown, place: Place) => T

/** The place of a field or an entry. */
export function placeIn(place: Place, part: string | number): Place {
  return { ...place, path: [...place.path, part] }
}

/** Notes that a value is missing, or is not what was expected. */
export function noteInvalid(value: unknown, { path, faults }: Place, expected: string): void {
  if (value === undefined) faults.push({ code: 'missing', path, message: 'this field is missing', expected })
  else
    faults.push({
      code: 'invalid',
      path,
      message: `${typeof value === 'string' ? 'this text' : toKindText(value)} cannot stand here`,
      expected
    })
}

/** The fields of an object by name: own ones only. Notes those that are not known; what is no object has none. */
export function readFields(value: unknown, place: Place, known: readonly string[]): (name: string) => unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    noteInvalid(value, place, 'an object')
    return () => undefined
  }
  for (const name of Object.keys(value)) if (!known.includes(name)) noteUnknown(name, place, known)
  return (name) => (Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined)
}

/** A value that may be left out. */
export function orElse<T>(reader: Reader<T>, otherwise: T): Reader<T> {
  return (value, place) => (value === undefined ? otherwise : reader(value, place))
}

/** One of some words. */
export function wordOf<Word extends string>(words: readonly [Word, ...Word[]]): Reader<Word> {
  return (value, place) => {
    const found = words.find((word) => word === value)
    if (found === undefined) noteInvalid(value, place, words.join(', ').replace(/, (?=[^,]*$)/, ' or '))
    return found ?? words[0]
  }
}

/** True or false. */
export function readFlag(value: unknown, place: Place): boolean {
  if (typeof value !== 'boolean') noteInvalid(value, place, 'true or false')
  return value === true
}

/** A text that `toCanonical` can read, as it writes it. */
export function textOf(toCanonical: (text: string) => string | undefined, expected: string): Reader<string> {
  return (value, place) => {
    const found = typeof value === 'string' && value.length <= MAX_TEXT_LENGTH ? toCanonical(value) : undefined
    if (found === undefined) noteInvalid(value, place, expected)
    return found ?? ''
  }
}

/** A list of values of one kind. */
export function listOf<T>(reader: Reader<T>, { max = MAX_ENTRIES } = {}): Reader<readonly T[]> {
  return (value, place) => {
    if (!Array.isArray(value) || (value.length > max && place.isMade !== true)) {
      noteInvalid(value, place, `a list of at most ${max}`)
      return []
    }
    return Array.from(value, (item: unknown, index) => reader(item ?? null, placeIn(place, index)))
  }
}

/** `all`, or a list. */
export function allOr<T>(reader: Reader<T>): Reader<'all' | readonly T[]> {
  const readList = listOf(reader)
  return (value, place) => {
    if (value === 'all') return value
    if (Array.isArray(value)) return readList(value, place)
    noteInvalid(value, place, 'all or a list')
    return []
  }
}

const MAX_ENTRIES = 1_000
const MAX_TEXT_LENGTH = 4_096

function noteUnknown(name: string, { path, faults }: Place, known: readonly string[]): void {
  const [nearMiss] = nearest(name, known)
  const fault: ShapeFault = {
    code: 'unknown_field',
    path: [...path, name],
    message: 'there is no such field',
    expected: `one of ${known.join(', ')}`
  }
  faults.push(nearMiss === undefined ? fault : { ...fault, nearMiss })
}
