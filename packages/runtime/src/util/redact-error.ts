/** What redacts texts and JSON. */
interface Redactor {
  readonly size: number
  has(text: string): boolean
  redact(text: string): string
  redactJson<T>(value: T): T
}

/** Causes of causes are looked at this far; what lies deeper is left out. */
const MAX_DEPTH = 8

/**
 * What was thrown, without secrets: itself when there are none in it. Else a copy of the same class with the same fields, whose message,
 * stack, fields and causes are redacted; what of them is no JSON is left out.
 */
export function redactError(error: unknown, secrets: Redactor): unknown {
  if (secrets.size === 0) return error
  return isClean(error, secrets, MAX_DEPTH) ? error : redact(error, secrets, MAX_DEPTH)
}

function isClean(value: unknown, secrets: Redactor, depth: number): boolean {
  if (depth === 0) return false
  if (Array.isArray(value)) return value.every((item) => isClean(item, secrets, depth - 1))
  if (!(value instanceof Error)) return isCleanJson(value, secrets)
  if (secrets.has(`${value.message}\n${value.stack}`)) return false
  return [...fieldsOf(value)].every(([key, field]) => !secrets.has(key) && isClean(field, secrets, depth - 1))
}

/** What cannot be looked through is not clean. */
function isCleanJson(value: unknown, secrets: Redactor): boolean {
  try {
    return !secrets.has(JSON.stringify(value) ?? '')
  } catch {
    return false
  }
}

function redact(value: unknown, secrets: Redactor, depth: number): unknown {
  if (depth === 0) return undefined
  if (Array.isArray(value)) return value.map((item) => redact(item, secrets, depth - 1))
  if (!(value instanceof Error)) return secrets.redactJson(toPlain(value))
  const copy = new Error(secrets.redact(value.message))
  Object.setPrototypeOf(copy, Object.getPrototypeOf(value))
  copy.stack = secrets.redact(value.stack ?? '')
  for (const [key, field] of fieldsOf(value)) {
    const redacted = redact(field, secrets, depth - 1)
    Object.defineProperty(copy, secrets.redact(key), { value: redacted, writable: true, enumerable: key !== 'cause', configurable: true })
  }
  return copy
}

/** What an error says beside its message and its stack. */
function fieldsOf(error: Error): ReadonlyMap<string, unknown> {
  const fields = new Map<string, unknown>(Object.entries(error))
  if (error.cause !== undefined) fields.set('cause', error.cause)
  if ('errors' in error) fields.set('errors', error.errors)
  fields.delete('message')
  fields.delete('stack')
  return fields
}

function toPlain(value: unknown): unknown {
  try {
    const text = JSON.stringify(value)
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
