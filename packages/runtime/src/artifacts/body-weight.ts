/** What JSON makes of one UTF-16 unit at most. */
const UNIT_BYTES = 6
/** A number, a word, or the signs around a value or a name. */
const NODE_BYTES = 30

/** Whether a value may be larger than a number of bytes as JSON: quick, and true too often rather than too rarely. */
export function mayWeighMore(value: unknown, bytes: number): boolean {
  return weigh(value, bytes) < 0
}

/** What is left of the bytes; below zero as soon as it is known. */
function weigh(value: unknown, bytes: number): number {
  if (typeof value === 'string') return bytes - NODE_BYTES - value.length * UNIT_BYTES
  let left = bytes - NODE_BYTES
  if (value === null || typeof value !== 'object') return left
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++) left = weigh(value[index], left)
    return left
  }
  const fields = value as { readonly [name: string]: unknown }
  for (const name in fields) {
    if (left < 0) return left
    const field = fields[name]
    left -= NODE_BYTES + name.length * UNIT_BYTES
    // Most fields are texts: no call for each.
    left = typeof field === 'string' ? left - NODE_BYTES - field.length * UNIT_BYTES : weigh(field, left)
  }
  return left
}
