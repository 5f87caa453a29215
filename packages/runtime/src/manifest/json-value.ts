import type { Json } from '../contracts/json.ts'
import { DOCUMENT_BOUNDS, RESERVED_KEYS } from './document-fault.ts'
import type { Path, ProblemCode } from './problem.ts'

/** A JSON copy of a value, or why and where there is none. */
export type JsonCopy =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly code: ProblemCode; readonly path: Path; readonly message: string }

interface Copying {
  readonly path: (string | number)[]
  nodes: number
  fault: { readonly code: ProblemCode; readonly path: Path; readonly message: string } | undefined
}

/**
 * Copies a value that came from a program as JSON. Properties that are undefined are left out. What is no JSON (a function, NaN, a class of one's
 * own, a cycle), has a reserved key, or is larger than a document may be, is refused.
 */
export function toJsonCopy(value: unknown): JsonCopy {
  const copying: Copying = { path: [], nodes: 0, fault: undefined }
  const copy = copyValue(value, copying)
  return copying.fault === undefined ? { ok: true, value: copy } : { ok: false, ...copying.fault }
}

function copyValue(value: unknown, copying: Copying): Json {
  if (copying.fault !== undefined) return null
  copying.nodes += 1
  if (copying.nodes > DOCUMENT_BOUNDS.nodes) return refuse(copying, 'too_large', 'the value is too large')
  if (copying.path.length > DOCUMENT_BOUNDS.depth) return refuse(copying, 'too_deep', 'the value is nested too deeply, or holds itself')
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? value : refuse(copying, 'text_ill_formed', 'the text holds half of a surrogate pair')
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : refuse(copying, 'number_infinite', 'the number is not finite')
    case 'object':
      return value === null ? null : copyObject(value, copying)
    default:
      return refuse(copying, 'invalid', `a ${typeof value} is no JSON`)
  }
}

function copyObject(value: object, copying: Copying): Json {
  if (Array.isArray(value)) return Array.from(value, (item: unknown, index) => copyAt(index, item ?? null, copying))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return refuse(copying, 'invalid', 'an object of a class is no JSON')
  const copy: { [key: string]: Json } = {}
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue
    if (RESERVED_KEYS.has(key)) return refuse(copying, 'reserved_key', `the key "${key}" is reserved`)
    copy[key] = copyAt(key, item, copying)
  }
  return copy
}

function copyAt(key: string | number, value: unknown, copying: Copying): Json {
  copying.path.push(key)
  const copy = copyValue(value, copying)
  copying.path.pop()
  return copy
}

function refuse(copying: Copying, code: ProblemCode, message: string): Json {
  copying.fault ??= { code, path: [...copying.path], message }
  return null
}
