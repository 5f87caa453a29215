import type { Json, JsonObject } from '../contracts/json.ts'

type Check = (value: Json) => boolean

/**
 * Whether a JSON Schema is surely well-formed, in draft 2020-12 and in draft 7: it says nothing but what stands in the table below, which means the same in
 * both, each with a value of the right form. It has no references and no patterns, so that it can be compiled, too.
 *
 * False says nothing: the meta-schema knows more, and takes about 80 ms to be compiled. The schema is within the bounds of `findSchemaExcess`.
 */
export function isPlainSchema(schema: JsonObject): boolean {
  for (const [keyword, value] of Object.entries(schema)) {
    const check = checks.get(keyword)
    if (check === undefined || !check(value)) return false
  }
  return true
}

const isText: Check = (value) => typeof value === 'string'
const isFlag: Check = (value) => typeof value === 'boolean'
const isNumber: Check = (value) => Number.isFinite(value)
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0
const isPositive: Check = (value) => Number.isFinite(value) && Number(value) > 0
const isList: Check = (value) => Array.isArray(value)
const isNames: Check = (value) => isListOf(value, isText) && isUnique(value)
/** An empty one may be written in 2020-12, and cannot be compiled. That values other than these differ is not seen here. */
const isEnum: Check = (value) => isListOf(value, isScalar) && value.length > 0 && isUnique(value)
const isType: Check = (value) => TYPES.has(value) || (isListOf(value, (item) => TYPES.has(item)) && value.length > 0 && isUnique(value))
const isSchema: Check = (value) => typeof value === 'boolean' || (isObject(value) && isPlainSchema(value))
const isSchemas: Check = (value) => isListOf(value, isSchema) && value.length > 0
const isSchemaMap: Check = (value) => isObject(value) && Object.values(value).every(isSchema)
const isAnything: Check = () => true

const TYPES: ReadonlySet<Json> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])

const checks: ReadonlyMap<string, Check> = new Map([
  ['type', isType],
  ['properties', isSchemaMap],
  ['required', isNames],
  ['additionalProperties', isSchema],
  ['propertyNames', isSchema],
  ['minProperties', isCount],
  ['maxProperties', isCount],
  ['items', isSchema],
  ['prefixItems', isSchemas],
  ['minItems', isCount],
  ['maxItems', isCount],
  ['uniqueItems', isFlag],
  ['enum', isEnum],
  ['const', isAnything],
  ['minimum', isNumber],
  ['maximum', isNumber],
  ['exclusiveMinimum', isNumber],
  ['exclusiveMaximum', isNumber],
  ['multipleOf', isPositive],
  ['minLength', isCount],
  ['maxLength', isCount],
  ['anyOf', isSchemas],
  ['oneOf', isSchemas],
  ['allOf', isSchemas],
  ['not', isSchema],
  ['format', isText],
  ['title', isText],
  ['description', isText],
  ['default', isAnything],
  ['examples', isList],
  ['deprecated', isFlag],
  ['readOnly', isFlag],
  ['writeOnly', isFlag]
])

function isListOf(value: Json, check: Check): value is readonly Json[] {
  return Array.isArray(value) && value.every(check)
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isScalar(value: Json): boolean {
  return typeof value !== 'object' || value === null
}

function isUnique(list: readonly Json[]): boolean {
  return new Set(list).size === list.length
}
