import type { Json } from '../contracts/json.ts'
import type { Path } from './problem.ts'

/** The path that a JSON pointer means in a value: parts of lists are indexes. */
export function toSchemaPath(pointer: string, value: Json): Path {
  const path: (string | number)[] = []
  let current: Json | undefined = value
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(current)) {
      path.push(Number(key))
      current = current[Number(key)] as Json | undefined
    } else {
      path.push(key)
      current = isFields(current) && Object.hasOwn(current, key) ? current[key] : undefined
    }
  }
  return path
}

function isFields(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null
}
