import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv'
import { HoldfastError } from '../contracts/errors.ts'
import type { JsonObject } from '../contracts/json.ts'
import { toCanonicalJson } from '../util/canonical.ts'
import { holdsKey } from './holds-key.ts'
import { loadAjv2020, loadAjv7 } from './libraries.ts'
import { createLinearPatterns, NO_PATTERNS } from './linear-pattern.ts'
import { isPlainSchema } from './plain-schema.ts'
import { findSchemaExcess } from './schema-bounds.ts'
import type { SchemaPlace } from './schema-errors.ts'
import { renderPlaces, toSchemaPlaces } from './schema-errors.ts'

/** Whether a value fits, and if not, where and what was expected there: at most ten places, at most 2,000 characters. */
export type Validation = { readonly ok: true } | { readonly ok: false; readonly errors: string; readonly places: readonly SchemaPlace[] }

/** A compiled schema. Never throws, and does not change the value. */
export type Validator = (value: unknown) => Validation

type Draft = '2020-12' | '7'

/** How many values a value may have for all that is wrong with it to be told, and not only the first. */
const THOROUGH_NODES = 10_000

const compiled = new WeakMap<JsonObject, Promise<Validator>>()

/**
 * Compiles a user's JSON Schema: draft 2020-12, or draft 7 where `$schema` says so. Formats are not checked. The same object is compiled once.
 *
 * Rejects with `invalid_input` (details: `reason`) when the schema is too large, is none, refers to something outside of it, is asynchronous, or has a
 * pattern that cannot be matched in linear time.
 */
export function compileSchema(schema: JsonObject): Promise<Validator> {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const validator = compileNew(schema)
  compiled.set(schema, validator)
  return validator
}

/** Rejects as `compileSchema` does. Compiles nothing where a look shows that it would succeed: what is only published needs no compiler. */
export async function proveSchema(schema: JsonObject): Promise<void> {
  if (proven.has(schema)) return
  if (!readSchema(schema).plain) await compileSchema(schema)
  proven.add(schema)
}

const proven = new WeakSet<JsonObject>()

async function compileNew(schema: JsonObject): Promise<Validator> {
  const read = readSchema(schema)
  const { draft, body } = read
  try {
    if (!read.plain) await checkSyntax(draft, body)
    const compile = await loadCompiler(read)
    const first = compile(body, { allErrors: false })
    // A schema that is its own `$ref` compiles, and fails only here.
    first(null)
    let thorough: ValidateFunction | undefined
    return (value) =>
      validate(value, first, () => {
        thorough ??= compile(body, { allErrors: true })
        return thorough
      })
  } catch (cause) {
    throw refuse(cause instanceof RangeError ? 'it refers to itself without end' : toReason(cause), cause)
  }
}

interface ReadSchema {
  readonly draft: Draft
  readonly body: JsonObject
  /** It is well-formed, without references and patterns. */
  readonly plain: boolean
}

function readSchema(schema: JsonObject): ReadSchema {
  const excess = findSchemaExcess(schema)
  if (excess !== undefined) throw refuse(`it must be ${excess}`)
  const draft = draftOf(schema)
  if (draft === undefined) throw refuse('its `$schema` must be draft 2020-12 or draft 7')
  if (holdsKey(schema, '$async')) throw refuse('it must not be asynchronous')
  const { $schema: _, ...body } = schema
  return { draft, body, plain: isPlainSchema(body) }
}

function draftOf(schema: JsonObject): Draft | undefined {
  const name = schema['$schema']
  if (name === undefined) return '2020-12'
  if (typeof name !== 'string') return undefined
  if (/\/draft-0[67]\/schema#?$/.test(name)) return '7'
  return /\/draft\/20(?:19-09|20-12)\/schema#?$/.test(name) ? '2020-12' : undefined
}

async function checkSyntax(draft: Draft, body: JsonObject): Promise<void> {
  syntaxCheckers[draft] ??= loadAjv(draft).then((create) => create({ strict: false, logger: false }))
  const ajv = await syntaxCheckers[draft]
  if (ajv.validateSchema(body) !== true) throw new Error(ajv.errorsText(ajv.errors, { dataVar: 'schema' }).slice(0, 500))
}

/** They know nothing but the language itself, and cost some 80 ms each. */
const syntaxCheckers: { [draft in Draft]?: Promise<Ajv> } = {}

type Compile = (body: JsonObject, options: { readonly allErrors: boolean }) => ValidateFunction

/** An own instance for every schema: an overflow breaks an instance, and names (`$id`) of different schemas must not meet. */
async function loadCompiler({ draft, plain }: ReadSchema): Promise<Compile> {
  const create = await loadAjv(draft)
  const regExp = plain ? NO_PATTERNS : await createLinearPatterns()
  return (body, { allErrors }) => {
    const ajv = create({
      strict: false,
      logger: false,
      meta: false,
      validateSchema: false,
      validateFormats: false,
      verbose: true,
      allErrors,
      code: { regExp }
    })
    ajv.removeKeyword('uniqueItems')
    ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', errors: false, validate: isUnique })
    return ajv.compile(body)
  }
}

async function loadAjv(draft: Draft): Promise<(options: Options) => Ajv> {
  if (draft === '7') {
    const { Ajv } = await loadAjv7()
    return (options) => new Ajv(options)
  }
  const { Ajv2020 } = await loadAjv2020()
  return (options) => new Ajv2020(options)
}

/** The compiler's own compares every pair. */
function isUnique(wanted: boolean, list: readonly unknown[]): boolean {
  return !wanted || new Set(list.map(toCanonicalJson)).size === list.length
}

function validate(value: unknown, first: ValidateFunction, thorough: () => ValidateFunction): Validation {
  try {
    if (first(value)) return { ok: true }
    const errors: ErrorObject[] = [...(first.errors ?? [])]
    if (isSmall(value)) {
      const all = thorough()
      if (!all(value) && all.errors) return toInvalid(toSchemaPlaces(all.errors))
    }
    return toInvalid(toSchemaPlaces(errors))
  } catch {
    const message = 'The value cannot be checked: it is nested too deeply.'
    return { ok: false, errors: message, places: [{ pointer: '', expected: message }] }
  }
}

function toInvalid(places: readonly SchemaPlace[]): Validation {
  return { ok: false, errors: renderPlaces(places), places }
}

function isSmall(value: unknown): boolean {
  const stack: unknown[] = [value]
  let seen = 0
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    seen += 1
    if (seen > THOROUGH_NODES) return false
    if (typeof top !== 'object' || top === null) continue
    const inside = Object.values(top)
    if (inside.length > THOROUGH_NODES) return false
    for (const item of inside) stack.push(item)
  }
  return true
}

function toReason(cause: unknown): string {
  return cause instanceof Error ? cause.message.slice(0, 500) : 'it cannot be compiled'
}

function refuse(reason: string, cause?: unknown): HoldfastError {
  return new HoldfastError('invalid_input', `The JSON Schema cannot be used: ${reason}.`, {
    details: { reason },
    ...(cause === undefined ? {} : { cause })
  })
}
