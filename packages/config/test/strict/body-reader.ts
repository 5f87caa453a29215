/** What lies at a path of a body that somebody sent; undefined where there is nothing. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => (isObject(inner) || Array.isArray(inner) ? Reflect.get(inner, key) : undefined), value)
}

/** The list at a path; an empty one where there is none. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

/** The text at a path; an empty one where there is none. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : ''
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a list names something twice. */
export function hasTwice(names: readonly string[]): boolean {
  return new Set(names).size !== names.length
}

/** Whether every text of a body, and every name of a field, is Unicode. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (Array.isArray(value)) return value.every(isWellFormed)
  return !isObject(value) || Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner))
}
