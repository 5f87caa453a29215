/** A copy of a JSON value that shares nothing with it. `structuredClone` takes ten times as long for the few fields of most calls. */
export function copyJson<T>(value: T): T {
  return (typeof value === 'object' && value !== null ? copy(value) : value) as T
}

/** Calls itself for what is nested alone: most of what is copied is not. */
function copy(value: object): unknown {
  if (Array.isArray(value)) return value.map(copyJson)
  const fields = value as { readonly [name: string]: unknown }
  const copied: { [name: string]: unknown } = {}
  for (const name of Object.keys(fields)) {
    const item = fields[name]
    const own: unknown = typeof item === 'object' && item !== null ? copy(item) : item
    // Assigned it would be no field like any other.
    if (name === '__proto__') Object.defineProperty(copied, name, { value: own, configurable: true, enumerable: true, writable: true })
    else copied[name] = own
  }
  return copied
}
