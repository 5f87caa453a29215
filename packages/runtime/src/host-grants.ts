import { HoldfastError } from './contracts/errors.ts'
import type { Grants } from './contracts/grants.ts'
import type { PermissionRule } from './contracts/permission-rule.ts'
import type { Checked } from './contracts/shape-fault.ts'
import type { Tool } from './contracts/tool.ts'
import { parsePermissionRules } from './grants/parse-rules.ts'
import { toDefaultGrants } from './grants/tool-needs.ts'
import { parseWrittenGrants } from './grants/written-grants.ts'

/** Grants that somebody wrote, in normal form. Throws `invalid_input`. */
export function toGrants(input: unknown, what: string): Grants {
  return readWhole('grants', what, parseWrittenGrants(input))
}

/** What a host grants: where it says nothing, its own tools and agents, and of the machine what these tools need. Throws `invalid_input`. */
export function toHostGrants(input: unknown, tools: Iterable<Pick<Tool, 'needs'>> = []): Grants {
  return input === undefined ? toDefaultGrants(tools) : toGrants(input, 'grants of the runtime')
}

/** The rules of a host. One that cannot be read would stop nothing, so it is refused at once. Throws `invalid_input`. */
export function toHostRules(input: unknown): readonly PermissionRule[] {
  return input === undefined ? [] : readWhole('permissions', 'permission rules of the runtime', parsePermissionRules(input))
}

function readWhole<T>(field: string, what: string, read: Checked<T>): T {
  if (read.ok) return read.value
  const [fault] = read.faults
  const place = [field, ...(fault?.path ?? [])].join('.')
  const expected = fault?.expected ?? field
  throw new HoldfastError('invalid_input', `The ${what} cannot be read at \`${place}\`: expected ${expected}.`, {
    details: { path: place }
  })
}
