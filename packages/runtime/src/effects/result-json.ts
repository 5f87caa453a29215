// What JSON drops in silence is kept as what says what it was: the model and the log must not take a full map for an empty one.
import { MAX_LEVELS } from '../util/nesting.ts'

/** How many values are written out where JSON does not do it: a circle of many objects has more ways through it than anybody can walk. */
const MAX_VALUES = 250_000
const LEFT_OUT = '[left out: too much]'
/** What an error holds beside its message, and does not list. */
const ERROR_FIELDS = ['cause', 'errors']

/**
 * The JSON of what code of the user returned; undefined for what is nothing. Plain values are as `JSON.stringify` writes them. Of the others a `Map`, a
 * `Set` and bytes are lists, numbers that are none, infinite and big ones are texts, and where JSON has nothing stands a text that says what was there.
 */
export function toResultJson(value: unknown): string | undefined {
  return isWholeInJson(value) ? JSON.stringify(value) : JSON.stringify(new Keeper().keep(() => value))
}

/** Whether `JSON.stringify` writes all that is in a value, and as what it is. */
export function isWholeInJson(value: unknown): boolean {
  try {
    return isWhole(value, [])
  } catch {
    // It throws when it is looked at.
    return false
  }
}

function isWhole(value: unknown, above: object[], isOwn = false): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object') return typeof value !== 'function' && typeof value !== 'symbol' && typeof value !== 'bigint'
  if (value === null) return true
  if (above.length > MAX_LEVELS || (!isOwn && above.includes(value))) return false
  above.push(value)
  const whole = isWholeObject(value, above, isOwn)
  above.pop()
  return whole
}

function isWholeObject(value: object, above: object[], isOwn: boolean): boolean {
  if (Array.isArray(value)) return value.every((item) => isWhole(item, above))
  if (Buffer.isBuffer(value)) return value.length <= MAX_VALUES
  if (isDate(value)) return !isNoDate(value)
  if (!isOwn && hasOwnJson(value)) return isWhole(value.toJSON(''), above, true)
  if (hasMore(value)) return false
  const names = Object.keys(value)
  if (names.length === 0 && !isPlain(value)) return false
  return names.every((name) => isWhole(toField((value as Fields)[name]), above))
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

/** Whether what it holds is not in its fields, or not as what it is. */
function hasMore(value: object): boolean {
  return isCollection(value) || isError(value) || isRawBytes(value) || ArrayBuffer.isView(value)
}

/** Unlike `instanceof`, what JavaScript itself calls a value is the same in every realm. */
function kindOf(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1)
}

function isCollection(value: object): value is Iterable<unknown> {
  const kind = kindOf(value)
  return (kind === 'Map' || kind === 'Set') && Symbol.iterator in value
}

function isError(value: object): boolean {
  return value instanceof Error || kindOf(value) === 'Error'
}

function isRawBytes(value: object): value is ArrayBuffer {
  return ['ArrayBuffer', 'SharedArrayBuffer'].includes(kindOf(value))
}

function isDate(value: object): value is Date {
  return kindOf(value) === 'Date' && 'getTime' in value
}

function isBoxed(value: object): boolean {
  return ['Number', 'String', 'Boolean', 'BigInt', 'Symbol'].includes(kindOf(value))
}

function hasOwnJson(value: object): value is { toJSON(key: string): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function'
}

/** JSON has null for it. */
function isNoDate(value: object): boolean {
  return isDate(value) && Number.isNaN(value.getTime())
}

/** Writes out one value, so far as it can be. */
class Keeper {
  /** What is being written out, from the outermost on. */
  readonly #above: object[] = []
  #values = 0
  /** The outermost of what has been found to refer to itself, by its place in the list above, since somebody began to look. */
  #back = Number.POSITIVE_INFINITY

  /** `isOwn`: it is what an object gave as its JSON, and is not asked again. */
  keep(read: () => unknown, isOwn = false): unknown {
    this.#values += 1
    try {
      const value = read()
      if (typeof value === 'function') return `[function${value.name === '' ? '' : ` ${value.name}`}]`
      if (typeof value === 'symbol') return `[${String(value)}]`
      if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))) return String(value)
      if (typeof value !== 'object' || value === null) return value
      return this.#isFull ? LEFT_OUT : this.#object(value, isOwn)
    } catch (error) {
      return `[cannot be read: ${String(error instanceof Error ? error.message : 'unknown')}]`
    }
  }

  get #isFull(): boolean {
    return this.#values > MAX_VALUES
  }

  #object(value: object, isOwn: boolean): unknown {
    const known = isOwn ? -1 : this.#above.indexOf(value)
    if (known >= 0) {
      this.#back = Math.min(this.#back, known)
      return '[refers to itself]'
    }
    // What is nested deeper than may be is refused as a whole: no more of it is needed than shows that.
    if (this.#above.length > MAX_LEVELS + 1) return null
    this.#above.push(value)
    try {
      return this.#written(value, isOwn)
    } finally {
      this.#above.pop()
    }
  }

  #written(value: object, isOwn: boolean): unknown {
    if (isNoDate(value)) return String(value)
    if (Buffer.isBuffer(value)) return { type: 'Buffer', data: this.#list(value) }
    if (!isOwn && hasOwnJson(value)) return this.keep(() => value.toJSON(''), true)
    if (isBoxed(value)) return this.keep(() => value.valueOf())
    if (Array.isArray(value)) return this.#list(value)
    if (ArrayBuffer.isView(value))
      return this.#list(isList(value) ? value : new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
    if (isRawBytes(value)) return this.#list(new Uint8Array(value))
    return isPlain(value) ? this.#fields(value, Object.keys(value)) : this.#instance(value)
  }

  /** What is of a class and refers back to itself is a hold on something, and no data: a request, a connection, with all that it knows. */
  #instance(value: object): unknown {
    const names = [...Object.keys(value), ...(isError(value) ? ERROR_FIELDS.filter((name) => isHidden(value, name)) : [])]
    const before = this.#back
    this.#back = Number.POSITIVE_INFINITY
    const own = hasMore(value) || names.length === 0 ? this.#own(value) : undefined
    const fields = this.#fields(value, names)
    const isCircle = this.#back < this.#above.length
    this.#back = Math.min(before, this.#back)
    if (names.length === 0) return own
    if (isCircle) return own ?? nameOf(value)
    return own === undefined ? fields : { [nameOf(value)]: own, ...fields }
  }

  /** What it is beside its fields. */
  #own(value: object): unknown {
    if (isCollection(value)) return this.#list(value)
    return isError(value) ? String(value) : nameOf(value)
  }

  #fields(value: object, names: readonly string[]): { readonly [name: string]: unknown } {
    const fields: [string, unknown][] = []
    for (const name of names) {
      if (this.#isFull) {
        fields.push([LEFT_OUT, true])
        break
      }
      fields.push([name, this.keep(() => toField((value as Fields)[name]))])
    }
    return Object.fromEntries(fields)
  }

  #list(values: Iterable<unknown>): readonly unknown[] {
    const kept: unknown[] = []
    for (const item of values) {
      if (this.#isFull) {
        kept.push(LEFT_OUT)
        break
      }
      kept.push(this.keep(() => item))
    }
    return kept
  }
}

function isList(value: ArrayBufferView): value is ArrayBufferView & Iterable<unknown> {
  return Symbol.iterator in value
}

function isHidden(value: object, name: string): boolean {
  return Object.getOwnPropertyDescriptor(value, name)?.enumerable === false
}

function nameOf(value: object): string {
  return `[${typeof value.constructor === 'function' ? value.constructor.name : 'object'}]`
}
