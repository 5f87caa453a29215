import { z } from 'zod'
import { AGENT_FIELDS, AgentManifestShape } from '../../packages/runtime/src/manifest/agent-shape.ts'
import { DEFAULT_LIMITS } from '../../packages/runtime/src/state/limits.ts'
import { FIELD_NOTES } from './field-notes.ts'
import { assertCovers, toPage, toTable } from './markdown.ts'

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
type Row = { readonly path: string; readonly type: string; readonly required: boolean }

const INTRODUCTION = `An agent as a file, YAML or JSON. In code \`defineAgent\` takes the same fields but those that say "only in a file". A field that is not listed is
refused; all problems are told at once, each with its place and, where one is near, the name that was meant. Templates write a variable as \`{{ name }}\`.`

/** Every field of an agent. */
export function manifestPage(): string {
  const shape: Schema = z.toJSONSchema(AgentManifestShape, { unrepresentable: 'any', io: 'input' }) as Schema
  const rows = rowsOf(shape, '')
  assertCovers(
    'notes of fields',
    FIELD_NOTES,
    rows.map(({ path }) => path)
  )
  return toPage('The agent manifest', [
    INTRODUCTION,
    toTable(['field', 'type', 'default', ''], rows.map(toCells)),
    '## Fields of later versions',
    'Known and not supported yet; they are refused as such:',
    toTable(
      ['in', 'fields'],
      Object.entries(AGENT_FIELDS).flatMap(([path, { later }]) =>
        later.length === 0 ? [] : [[placeOf(path), later.map((name) => `\`${name}\``).join(', ')]]
      )
    )
  ])
}

function toCells({ path, type, required }: Row): readonly string[] {
  const note = FIELD_NOTES[path]
  return [`\`${path}\``, type, required ? 'required' : (note?.without ?? defaultOf(path)), note?.is ?? '']
}

function defaultOf(path: string): string {
  if (!path.startsWith('limits.')) return ''
  const value: unknown = Reflect.get(DEFAULT_LIMITS, path.slice('limits.'.length))
  return value === undefined ? 'no bound' : `${Number(value)}`
}

function placeOf(path: string): string {
  return path === '' ? 'the manifest' : `\`${path.replaceAll('.*', '[]')}\``
}

/** The fields below a schema; one that several forms of an object have stands once. */
function rowsOf(schema: Schema, path: string): readonly Row[] {
  const forms = schema.anyOf ?? [schema]
  const rows = new Map<string, Row>()
  for (const { properties = {}, required = [] } of forms) {
    for (const [name, field] of Object.entries(properties)) {
      const at = path === '' ? name : `${path}.${name}`
      if (rows.has(at)) continue
      rows.set(at, { path: at, type: typeOf(field), required: required.includes(name) && forms.length === 1 })
      for (const row of rowsOf(field, at)) rows.set(row.path, row)
    }
  }
  if (schema.items !== undefined) for (const row of rowsOf(schema.items, `${path}[]`)) rows.set(row.path, row)
  return [...rows.values()]
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
