import { HoldfastError } from './contracts/errors.ts'
import type { Grants } from './contracts/grants.ts'
import { DEFAULT_GRANTS } from './grants/effective-grants.ts'
import { parseGrants } from './grants/parse-grants.ts'

/** Grants that somebody wrote, in normal form. Throws `invalid_input`. */
export function toGrants(input: unknown, what: string): Grants {
  const parsed = parseGrants(input)
  if (parsed.ok) return parsed.value
  const [fault] = parsed.faults
  const place = ['grants', ...(fault?.path ?? [])].join('.')
  throw new HoldfastError('invalid_input', `The ${what} cannot be read at \`${place}\`: expected ${fault?.expected ?? 'grants'}.`, {
    details: { path: place }
  })
}

/** What a host grants: where it says nothing, its own tools and agents and nothing of the machine. Throws `invalid_input`. */
export function toHostGrants(input: unknown): Grants {
  return input === undefined ? DEFAULT_GRANTS : toGrants(input, 'grants of the runtime')
}
