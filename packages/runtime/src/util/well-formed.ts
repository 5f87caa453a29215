/** The same JSON value with every lone surrogate replaced by U+FFFD: what a fact may hold. Returns the value itself when nothing changes. */
export function toWellFormedJson<T>(value: T): T {
  return wellFormed(value) as T
}

/** At most `length` UTF-16 units of a text, never cut inside a surrogate pair. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed()
  if (value === null || typeof value !== 'object') return value
  return Array.isArray(value) ? mapArray(value) : mapObject(value)
}

function mapArray(list: readonly unknown[]): unknown {
  let changed = false
  const mapped = list.map((item) => {
    const next = wellFormed(item)
    if (next !== item) changed = true
    return next
  })
  return changed ? mapped : list
}

function mapObject(object: object): unknown {
  let changed = false
  const entries: [string, unknown][] = []
  for (const [key, item] of Object.entries(object)) {
    const name = key.isWellFormed() ? key : key.toWellFormed()
    const next = wellFormed(item)
    if (next !== item || name !== key) changed = true
    entries.push([name, next])
  }
  return changed ? Object.fromEntries(entries) : object
}
