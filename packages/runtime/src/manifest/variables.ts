import { HoldfastError } from '../contracts/errors.ts'
import type { Json, JsonObject } from '../contracts/json.ts'
import type { VariableDeclaration } from '../contracts/publication.ts'
import type { AgentFault } from './agent-fault.ts'
import { toJsonCopy } from './json-value.ts'
import { nearest } from '../util/near-miss.ts'
import { toPathText } from './problem.ts'
import { foldKey, isVariableKey, KEY_EXPECTED } from './variable-key.ts'

/**
 * The values of a run's variables: what is declared, each whole value replaced by its override. Throws `invalid_input` (details: `problems`, each with
 * `key`, `code`, `message`) when an override has no declaration, one that is required is missing, or a value is not of the declared type.
 */
export function resolveVariables(
  declarations: readonly VariableDeclaration[],
  overrides: { readonly [key: string]: Json }
): { readonly [key: string]: Json } {
  const problems = findUnknown(declarations, overrides)
  const values: { [key: string]: Json } = {}
  for (const declaration of declarations) {
    const { key, value, requiresOverride } = declaration
    const given = Object.hasOwn(overrides, key) ? overrides[key] : undefined
    if (given !== undefined) {
      const checked = checkOverride(declaration, given)
      if (checked.ok) values[key] = checked.value
      else problems.push(checked.problem)
    } else if (requiresOverride === true)
      problems.push({ key, code: 'missing', message: `"${key}" must be given: ${expectedOf(declaration)}` })
    else if (value !== undefined) values[key] = value
  }
  if (problems.length === 0) return values
  const lines = problems.map(({ message }) => `  ${String(message)}`).join('\n')
  throw new HoldfastError('invalid_input', `The variables do not fit the definition:\n${lines}`, { details: { problems } })
}

/** What is wrong with the declarations of a definition: keys that templates could not name, two keys that are one, values of another type. */
export function findDeclarationFaults(declarations: readonly VariableDeclaration[]): readonly AgentFault[] {
  const faults: AgentFault[] = []
  const seen = new Map<string, number>()
  for (const [index, { key, type, value }] of declarations.entries()) {
    const folded = foldKey(key)
    const first = seen.get(folded)
    if (!isVariableKey(key)) {
      faults.push({ code: 'invalid', path: ['variables', index, 'key'], message: 'templates cannot name this key', expected: KEY_EXPECTED })
    } else if (first !== undefined) {
      const message = 'this variable is declared twice; case does not tell keys apart'
      faults.push({ code: 'duplicate', path: ['variables', index, 'key'], message, related: ['variables', first, 'key'] })
    } else seen.set(folded, index)
    if (value !== undefined && !isOfType(value, type)) {
      faults.push({
        code: 'invalid',
        path: ['variables', index, 'value'],
        message: 'the value is not of the declared type',
        expected: TYPES[type]
      })
    }
  }
  return faults
}

/** Whether a value is of a declared type; `json` is an object or a list. */
export function isOfType(value: Json, type: VariableDeclaration['type']): boolean {
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'json':
      return typeof value === 'object' && value !== null
  }
}

/** How many declared variables a message lists. */
const MAX_TOLD = 50

const TYPES: { readonly [type in VariableDeclaration['type']]: string } = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  json: 'an object or a list'
}

type Override = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: JsonObject }

function checkOverride(declaration: VariableDeclaration, given: Json): Override {
  const { key, type } = declaration
  const copy = toJsonCopy(given)
  if (!copy.ok) {
    const { code, path, message } = copy
    return { ok: false, problem: { key, code, path: toPathText([key, ...path]), message: `"${key}" cannot be used: ${message}` } }
  }
  if (isOfType(copy.value, type)) return copy
  const message = `"${key}" is not of its declared type: ${expectedOf(declaration)}`
  return { ok: false, problem: { key, code: 'invalid', expected: TYPES[type], message } }
}

function findUnknown(declarations: readonly VariableDeclaration[], overrides: { readonly [key: string]: Json }): JsonObject[] {
  const known = new Set(declarations.map(({ key }) => key))
  return Object.keys(overrides)
    .filter((key) => !known.has(key))
    .map((key) => {
      const [nearMiss] = nearest(key, known)
      const shown = key.slice(0, 100)
      const meant = nearMiss === undefined ? '' : ` Did you mean "${nearMiss}"?`
      const expected =
        known.size === 0 ? 'none, for the definition declares no variables' : `one of ${[...known].slice(0, MAX_TOLD).join(', ')}`
      return {
        key: shown,
        code: 'unknown_variable',
        expected,
        message: `"${shown}" is not declared (expected ${expected}).${meant}`,
        ...(nearMiss === undefined ? {} : { nearMiss })
      }
    })
}

function expectedOf({ type, description }: VariableDeclaration): string {
  return description === undefined ? TYPES[type] : `${TYPES[type]}, ${description.slice(0, 200)}`
}
