/** What a value of JSON is, without what stands in it: it may be a secret. */
export function toKindText(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return value === '' ? 'an empty text' : 'a text'
  if (typeof value === 'boolean') return String(value)
  return typeof value === 'number' ? 'a number' : typeof value === 'object' ? 'an object' : 'this value'
}
