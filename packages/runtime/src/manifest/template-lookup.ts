import type { Json } from '../contracts/json.ts'
import { foldKey } from './variable-key.ts'

/** Follows a path into a value. Undefined when there is nothing. */
export type Lookup = (value: Json, path: readonly string[]) => Json | undefined

/** A lookup that finds names as they are, else ignoring case; own properties only; items by their index. It remembers what it folded. */
export function createLookup(): Lookup {
  const folded = new WeakMap<object, ReadonlyMap<string, Json>>()
  const read = (value: Json | undefined, name: string): Json | undefined => {
    if (typeof value !== 'object' || value === null) return undefined
    if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined
    if (Object.hasOwn(value, name)) return (value as { readonly [key: string]: Json })[name]
    const index = folded.get(value) ?? toIndex(value)
    folded.set(value, index)
    return index.get(foldKey(name))
  }
  return (value, path) => path.reduce<Json | undefined>(read, value)
}

function toIndex(value: object): ReadonlyMap<string, Json> {
  const index = new Map<string, Json>()
  for (const [key, item] of Object.entries(value)) {
    const name = foldKey(key)
    if (!index.has(name)) index.set(name, item)
  }
  return index
}
