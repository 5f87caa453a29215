// What JSON would drop in silence is kept as what says what it was: the model and the log must not take a full map for an empty one.
import { MAX_LEVELS } from '../util/nesting.ts'

/** How many values are written out: a circle of many objects has more ways through it than anybody can walk. */
const MAX_VALUES = 250_000

/**
 * The JSON of what code of the user returned; undefined for what is nothing. Plain values are as `JSON.stringify` writes them. Of the others a `Map`, a
 * `Set` and bytes are lists, numbers that are none, infinite and big ones are texts, and where JSON has nothing stands a text that says what was there.
 */
export function toResultJson(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value) as string | undefined
    if (!isUnseen(value, 0)) return text
  } catch {
    // A big number, what refers to itself, or what throws when it is looked at: each has a text of its own.
  }
  let values = 0
  return JSON.stringify(keep(() => value, { above: [], count: () => ++values }))
}

/** Whether there is something in a value that `JSON.stringify` does not write as what it is. The value must have JSON: it is walked to its end. */
export function isUnseen(value: unknown, level = 0, isOwn = false): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  if (typeof value !== 'object') return typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint'
  return value !== null && isUnseenObject(value, level, isOwn)
}

function isUnseenObject(value: object, level: number, isOwn: boolean): boolean {
  // Deeper ones are refused.
  if (level > MAX_LEVELS) return false
  if (Array.isArray(value)) return value.some((item) => isUnseen(item, level + 1))
  if (!isOwn && hasOwnJson(value)) return isNoDate(value) || (!(value instanceof Date) && isUnseen(value.toJSON(''), level, true))
  const names = Object.keys(value)
  if (!isPlain(value) && (names.length === 0 || hasMore(value))) return true
  return names.some((name) => isUnseen(toField((value as Fields)[name]), level + 1))
}

type Fields = { readonly [name: string]: unknown }

/** What an object can do is no data: JSON leaves it out. */
function toField(value: unknown): unknown {
  return typeof value === 'function' || typeof value === 'symbol' ? undefined : value
}

/** Also what was made elsewhere: an object of another realm has another prototype, which has none either. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null || isBoxed(value)
}

function isBoxed(value: object): boolean {
  return value instanceof Number || value instanceof String || value instanceof Boolean
}

/** Whether what it holds is not in its fields, or not as what it is. */
function hasMore(value: object): boolean {
  return value instanceof Map || value instanceof Set || value instanceof Error || ArrayBuffer.isView(value)
}

function hasOwnJson(value: object): value is { toJSON(key: string): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function'
}

/** JSON has null for it. */
function isNoDate(value: object): boolean {
  return value instanceof Date && Number.isNaN(value.getTime())
}

interface Place {
  /** What it stands in, from the outermost on. */
  readonly above: readonly object[]
  count(): number
}

/** `isOwn`: it is what an object gave as its JSON, and is not asked again. */
function keep(read: () => unknown, place: Place, isOwn = false): unknown {
  const isTooMuch = place.count() > MAX_VALUES
  try {
    const value = read()
    if (typeof value === 'function') return `[function${value.name === '' ? '' : ` ${value.name}`}]`
    if (typeof value === 'symbol') return `[${String(value)}]`
    if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))) return String(value)
    if (typeof value !== 'object' || value === null) return value
    return isTooMuch ? '[left out: too much]' : keepObject(value, place, isOwn)
  } catch (error) {
    return `[cannot be read: ${String(error instanceof Error ? error.message : 'unknown')}]`
  }
}

function keepObject(value: object, place: Place, isOwn: boolean): unknown {
  const { above, count } = place
  if (above.includes(value)) return '[refers to itself]'
  // What is nested deeper than may be is refused as a whole: no more of it is needed than shows that.
  if (above.length > MAX_LEVELS + 1) return null
  if (isNoDate(value)) return String(value)
  if (!isOwn && hasOwnJson(value)) return keep(() => value.toJSON(''), place, true)
  const within: Place = { above: [...above, value], count }
  if (isBoxed(value)) return keep(() => value.valueOf(), within)
  if (Array.isArray(value)) return value.map((item: unknown) => keep(() => item, within))
  return keepFields(value, within)
}

/** Its fields, or what it is where that is more than its fields. */
function keepFields(value: object, within: Place): unknown {
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return keepList(value, within)
  const names = Object.keys(value)
  const fields = names.map((name) => [name, keep(() => toField((value as Fields)[name]), within)] as const)
  if (isPlain(value) || (names.length > 0 && !hasMore(value))) return Object.fromEntries(fields)
  const own = ownOf(value, within)
  return names.length === 0 ? own : Object.fromEntries([[nameOf(value), own], ...fields])
}

/** What it is beside its fields. */
function ownOf(value: object, within: Place): unknown {
  if (value instanceof Map || value instanceof Set) return keepList(value, within)
  return value instanceof Error ? String(value) : nameOf(value)
}

function keepList(value: object, within: Place): unknown {
  return [...(value as Iterable<unknown>)].map((item) => keep(() => item, within))
}

function nameOf(value: object): string {
  return `[${typeof value.constructor === 'function' ? value.constructor.name : 'object'}]`
}
