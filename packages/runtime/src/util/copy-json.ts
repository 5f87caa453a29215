/** A copy of a JSON value that shares nothing with it. `structuredClone` takes ten times as long for the few fields of most calls. */
export function copyJson<T>(value: T): T {
  return copy(value) as T
}

function copy(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(copy)
  // Own fields are defined, not assigned: `__proto__` is a field like any other.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item)]))
}
