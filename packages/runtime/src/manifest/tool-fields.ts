import { isApproval } from '../contracts/approval.ts'
import { HoldfastError } from '../contracts/errors.ts'
import type { Effect } from '../contracts/fact.ts'
import type { ToolNeeds } from '../contracts/tool.ts'
import { parseGrants } from '../grants/parse-grants.ts'

const EFFECTS: readonly unknown[] = ['read', 'idempotent', 'once'] satisfies readonly Effect[]

/** Throws `invalid_tools` for the first field that somebody wrote and that cannot be used. */
export function checkToolFields(tool: object): void {
  check(tool, FIELDS)
}

/** The same for a tool as the runtime takes it: whoever did not make it with `defineTool` has no defaults. */
export function checkWholeTool(tool: object): void {
  check(tool, FIELDS)
  check(tool, WHOLE)
}

function check(tool: object, rules: { readonly [field: string]: FieldRule }): void {
  for (const [field, { expected, fits }] of Object.entries(rules)) {
    const value: unknown = Reflect.get(tool, field)
    if (!fits(value)) throw refuseTool(Reflect.get(tool, 'name'), field, expected, value)
  }
}

interface FieldRule {
  readonly expected: string
  fits(value: unknown): boolean
}

const COUNT: FieldRule = {
  expected: 'a whole number above 0, or nothing for the default',
  fits: (value) => value === undefined || (Number.isSafeInteger(value) && Number(value) > 0)
}

const FIELDS: { readonly [field: string]: FieldRule } = {
  name: {
    expected: 'a name of 1 to 64 letters, digits, "_" and "-" that begins with a letter or "_"',
    fits: (value) => typeof value === 'string' && /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(value)
  },
  description: { expected: 'a text that tells the model what the tool does', fits: (value) => typeof value === 'string' },
  effect: { expected: 'read, idempotent or once', fits: (value) => value === undefined || EFFECTS.includes(value) },
  parallelSafe: { expected: 'true or false', fits: (value) => value === undefined || typeof value === 'boolean' },
  timeoutMs: COUNT,
  maxResultLength: COUNT,
  version: { expected: 'a text that is not empty', fits: (value) => value === undefined || (typeof value === 'string' && value !== '') },
  origin: { expected: 'os, or nothing for a tool of the host', fits: (value) => value === undefined || value === 'os' },
  needs: {
    expected: '{ files, network, env } as grants have them',
    fits: (value) => value === undefined || (isNeeds(value) && parseGrants(value).ok)
  },
  approval: {
    expected: 'true, false, { expiresInMs, quorum } with whole numbers above 0, or a function',
    fits: (value) => value === undefined || typeof value === 'function' || isApproval(value)
  },
  onUnknown: { expected: 'tell or ask', fits: (value) => value === undefined || value === 'tell' || value === 'ask' },
  reconcile: { expected: 'a function', fits: (value) => value === undefined || typeof value === 'function' },
  execute: { expected: 'a function', fits: (value) => typeof value === 'function' }
}

function isNeeds(value: unknown): boolean {
  const known: readonly string[] = ['files', 'network', 'env'] satisfies readonly (keyof ToolNeeds)[]
  return typeof value === 'object' && value !== null && Object.keys(value).every((field) => known.includes(field))
}

const MADE = ', as `defineTool` gives it'

const WHOLE: { readonly [field: string]: FieldRule } = {
  effect: { expected: `read, idempotent or once${MADE}`, fits: (value) => EFFECTS.includes(value) },
  parallelSafe: { expected: `true or false${MADE}`, fits: (value) => typeof value === 'boolean' },
  input: { expected: `{ kind, jsonSchema }${MADE}`, fits: isToolInput }
}

/** Whether it describes a value as `defineTool` does. */
export function isToolInput(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('kind' in value && 'jsonSchema' in value)) return false
  if (typeof value.jsonSchema !== 'object' || value.jsonSchema === null) return false
  return value.kind === 'json' || (value.kind === 'standard' && 'schema' in value)
}

/** Why a tool cannot be used: one field of it. */
export function refuseTool(tool: unknown, field: string, expected: string, value: unknown, cause?: unknown): HoldfastError {
  const label = typeof tool === 'string' ? tool.slice(0, 100) : ''
  const found = typeof value === 'string' || typeof value === 'number' ? JSON.stringify(String(value).slice(0, 100)) : typeof value
  const because = cause instanceof Error ? ` (${cause.message.slice(0, 500)})` : ''
  return new HoldfastError('invalid_tools', `Tool "${label}": \`${field}\` must be ${expected}, but is ${found}${because}.`, {
    details: { tool: label, field },
    ...(cause === undefined ? {} : { cause })
  })
}
