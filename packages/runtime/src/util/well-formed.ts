/** The same JSON value with every lone surrogate replaced by U+FFFD: what a fact may hold. Returns the value itself when nothing changes. */
export function toWellFormedJson<T>(value: T): T {
  return isWhole(value) ? value : (mend(value) as T)
}

/** At most `length` UTF-16 units of a text, never cut inside a surrogate pair. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)
}

function isWhole(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (value === null || typeof value !== 'object') return true
  if (Array.isArray(value)) return value.every(isWhole)
  const fields = value as { readonly [key: string]: unknown }
  for (const key in fields) {
    if (!key.isWellFormed()) return false
    const item = fields[key]
    // Most fields are texts: no call for each.
    if (typeof item === 'string' ? !item.isWellFormed() : !isWhole(item)) return false
  }
  return true
}

function mend(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(mend)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), mend(item)]))
}
