import { z } from 'zod'

type Schema = {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
}

/** A field of a shape: `tools[].ref` stands in a list, `models.NAME.provider` in an object under names that a user chooses. */
export interface ShapeRow {
  readonly path: string
  readonly type: string
  readonly required: boolean
}

/** What of a shape is listed. */
export interface ShapeRowOptions {
  /** Whether what stands below a field is told in another place. */
  readonly isToldElsewhere: (path: string) => boolean
}

/** Every field of a shape. */
export function readShapeRows(shape: z.ZodType, options: ShapeRowOptions): readonly ShapeRow[] {
  return rowsOf(z.toJSONSchema(shape, { unrepresentable: 'any', io: 'input' }) as Schema, '', options)
}

/** The fields below a schema; one that several forms of an object have stands once. */
function rowsOf(schema: Schema, path: string, options: ShapeRowOptions): readonly ShapeRow[] {
  const forms = schema.anyOf ?? [schema]
  const rows = new Map<string, ShapeRow>()
  for (const { properties = {}, required = [] } of forms) {
    for (const [name, field] of Object.entries(properties)) {
      const at = path === '' ? name : `${path}.${name}`
      if (rows.has(at)) continue
      rows.set(at, { path: at, type: typeOf(field), required: required.includes(name) && forms.length === 1 })
      if (options.isToldElsewhere(at)) continue
      for (const row of rowsOf(field, at, options)) if (!rows.has(row.path)) rows.set(row.path, row)
    }
  }
  for (const [inner, at] of insideOf(schema, path)) for (const row of rowsOf(inner, at, options)) rows.set(row.path, row)
  return [...rows.values()]
}

/** What stands in a list, or in an object under names of the user. */
function insideOf({ items, additionalProperties: named }: Schema, path: string): readonly (readonly [Schema, string])[] {
  if (items !== undefined) return [[items, `${path}[]`]]
  return typeof named === 'object' && (named.properties ?? named.anyOf) !== undefined ? [[named, `${path}.NAME`]] : []
}

function typeOf(schema: Schema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(formOf).join(' or ')
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ')
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`
  return schema.type === undefined ? 'anything' : `${NAMES[schema.type] ?? schema.type}${boundsOf(schema)}`
}

const NAMES: { readonly [type: string]: string } = { string: 'text', integer: 'whole number', boolean: '`true`, `false`' }

/** A form of a union: an object by the fields that it needs. */
function formOf(schema: Schema): string {
  return schema.required === undefined ? typeOf(schema) : `\`{ ${schema.required.join(', ')} }\``
}

function boundsOf({ minimum, maximum, exclusiveMinimum }: Schema): string {
  const isSafe = (bound: number | undefined) => bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER
  const above = exclusiveMinimum === undefined ? '' : ` above ${exclusiveMinimum}`
  return `${above}${isSafe(minimum) ? ` from ${minimum}` : ''}${isSafe(maximum) ? ` to ${maximum}` : ''}`
}
