// What JSON would drop in silence is kept as a text that says what it was: the model and the log must not take a full map for an empty one.
import { MAX_LEVELS } from '../util/nesting.ts'

/**
 * The JSON of what code of the user returned; undefined for what has none. Plain values are as `JSON.stringify` writes them. Of the others a `Map` and a
 * `Set` are lists, numbers that are none, infinite and big ones are texts, and an object of which JSON sees nothing (an `Error`, a `Response`) is
 * a text that names it. Throws for what refers to itself.
 */
export function toResultJson(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value)
    if (!isUnseen(value, 0)) return text
  } catch {
    // A big number, which has a text, or something that has none: then the next line throws, too.
  }
  return JSON.stringify(value, (_, each: unknown) => (isHidden(each) ? toShown(each) : each))
}

/** Whether there is something in a value that JSON would not write as what it is. */
function isUnseen(value: unknown, level: number): boolean {
  if (isHidden(value)) return true
  // Deeper ones are refused, and what gives its own JSON is seen there.
  if (typeof value !== 'object' || value === null || level > MAX_LEVELS || hasOwnJson(value)) return false
  if (Array.isArray(value)) return value.some((item) => isUnseen(item, level + 1))
  for (const name of Object.keys(value)) if (isUnseen((value as { readonly [name: string]: unknown })[name], level + 1)) return true
  return false
}

function isHidden(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  if (typeof value === 'bigint') return true
  return typeof value === 'object' && value !== null && !isPlain(value) && !hasOwnJson(value) && Object.keys(value).length === 0
}

/** Also what was made elsewhere: an object of another realm has another prototype, which has none either. */
function isPlain(value: object): boolean {
  if (Array.isArray(value) || value instanceof Number || value instanceof String || value instanceof Boolean) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function hasOwnJson(value: object): boolean {
  return 'toJSON' in value && typeof value.toJSON === 'function'
}

function toShown(value: unknown): unknown {
  if (value instanceof Map || value instanceof Set) return [...value]
  if (typeof value !== 'object' || value instanceof Error) return String(value)
  return `[${typeof value?.constructor === 'function' ? value.constructor.name : 'object'}]`
}
