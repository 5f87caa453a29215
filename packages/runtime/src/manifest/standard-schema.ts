import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import type { JsonObject } from '../contracts/json.ts'
import { findSchemaExcess } from './schema-bounds.ts'

/** The JSON Schema of what somebody may write, or what would have been needed instead. */
export type ConvertedSchema =
  | { readonly ok: true; readonly schema: JsonObject }
  | { readonly ok: false; readonly expected: string; readonly cause?: unknown }

/** Whether this is a Standard Schema: something of a schema library that can validate. */
export function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  const standard = standardOf(value)
  return standard !== undefined && typeof standard['validate'] === 'function'
}

/**
 * The JSON Schema (2020-12) of a user's schema, as an own copy that later edits do not reach. Of a Standard Schema it is the schema
 * of the input: what is to be written, before defaults and transforms.
 */
export function toJsonSchema(schema: unknown): ConvertedSchema {
  try {
    const source = standardOf(schema) === undefined ? schema : readStandard(schema)
    if (source === undefined) {
      return {
        ok: false,
        expected: 'a schema that offers JSON Schema (`~standard.jsonSchema`: zod 4.2 or later, valibot through toStandardJsonSchema)'
      }
    }
    const copy = toPlain(source)
    if (copy === undefined) return { ok: false, expected: 'a JSON Schema object or a Standard Schema' }
    const excess = findSchemaExcess(copy)
    return excess === undefined ? { ok: true, schema: copy } : { ok: false, expected: excess }
  } catch (cause) {
    return { ok: false, expected: 'a schema that can be written as JSON Schema', cause }
  }
}

function standardOf(value: unknown): { readonly [key: string]: unknown } | undefined {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return undefined
  if (!('~standard' in value)) return undefined
  const standard: unknown = value['~standard']
  return isRecord(standard) ? standard : undefined
}

function readStandard(schema: unknown): unknown {
  const converter = standardOf(schema)?.['jsonSchema']
  if (!isConverter(converter)) return undefined
  return converter.input({ target: 'draft-2020-12' })
}

/** A copy through JSON text: it proves that the value is JSON, and throws when it is cyclic. */
function toPlain(source: unknown): JsonObject | undefined {
  if (!isRecord(source)) return undefined
  const copy: unknown = JSON.parse(JSON.stringify(source))
  return isRecord(copy) ? (copy as JsonObject) : undefined
}

function isConverter(value: unknown): value is StandardJSONSchemaV1.Converter {
  return isRecord(value) && typeof value['input'] === 'function'
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
