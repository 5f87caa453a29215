import type { ErrorObject } from 'ajv'
import { cutText } from '../util/well-formed.ts'

const MAX_ERRORS = 10
const MAX_LENGTH = 2_000
const MAX_PART = 200

/** Where a value is wrong: a JSON pointer, and what was expected there. */
export interface SchemaPlace {
  readonly pointer: string
  readonly expected: string
}

/** The places of errors, in their order. */
export function toSchemaPlaces(errors: readonly ErrorObject[]): readonly SchemaPlace[] {
  return errors.map((error) => ({ pointer: error.instancePath, expected: toExpectation(error) }))
}

/** What is wrong with a value, one line for each place: its JSON pointer, what was expected, and of what kind the value is. */
export function renderPlaces(places: readonly SchemaPlace[]): string {
  const lines = [...new Set(places.map(({ pointer, expected }) => renderPlace(pointer, expected)))]
  const told = lines.slice(0, MAX_ERRORS)
  const rest = lines.length - told.length
  return cutText([...told, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n'), MAX_LENGTH)
}

/** One line: a JSON pointer (`/items/0`, or `(root)`), and what was expected there. */
function renderPlace(pointer: string, expected: string): string {
  return `${pointer === '' ? '(root)' : cutText(pointer, MAX_PART)}: ${cutText(expected, MAX_PART)}`
}

function toExpectation({ keyword, params, message, data }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return `must be ${[params['type']].flat().join(' or ')}, but is ${kindOf(data)}`
    case 'required':
      return `must have the property ${quote(params['missingProperty'])}`
    case 'additionalProperties':
      return `must not have the property ${quote(params['additionalProperty'])}`
    case 'unevaluatedProperties':
      return `must not have the property ${quote(params['unevaluatedProperty'])}`
    case 'enum':
      return `must be one of ${quote(params['allowedValues'])}`
    case 'const':
      return `must be ${quote(params['allowedValue'])}`
    case 'uniqueItems':
      return 'must not hold the same item twice'
    default:
      return message ?? `must fit "${keyword}"`
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function quote(value: unknown): string {
  return cutText(JSON.stringify(value) ?? '', MAX_PART)
}
