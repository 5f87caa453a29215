import type { Json } from '../contracts/json.ts'

/** Whether an object in the value, or the value itself, has the key. */
export function holdsKey(value: Json, key: string): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, key) || Object.values(value).some((item) => holdsKey(item, key))
}
