import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Json, JsonObject } from '../src/contracts/json.ts'
import { compileSchema } from '../src/manifest/json-schema.ts'
import { isPlainSchema } from '../src/manifest/plain-schema.ts'
import { propertyShare } from './model/share.ts'

const share = propertyShare()
const metaSchemas = [new Ajv2020({ strict: false, logger: false }), new Ajv({ strict: false, logger: false })]

/** What the meta-schemas of both drafts say. At the root the compiler itself reads `$schema`. */
const isWellFormed = (schema: JsonObject) => metaSchemas.every((ajv) => ajv.validateSchema({ not: schema }) === true)

const name = fc.constantFrom('a', 'b', 'type', 'pattern', '$ref', '__proto__', 'constructor', '')
const count = fc.nat(5)
const number = fc.constantFrom(-1.5, 0, 3, 1e300)
const text = fc.constantFrom('', 'text', '(')
const scalar = fc.constantFrom<Json>(null, true, false, 0, 1, '1', 'a')
const json: fc.Arbitrary<Json> = fc.constantFrom<Json>(null, 1, 'a', [], [1, 1], {}, { type: 5 })
const type = fc.constantFrom('array', 'boolean', 'integer', 'null', 'number', 'object', 'string')

/** What each keyword may be for a schema to be plain. */
function plainValues(inner: fc.Arbitrary<Json>): { readonly [keyword: string]: fc.Arbitrary<Json> } {
  const schemas = fc.array(inner, { minLength: 1, maxLength: 3 })
  return {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1 })),
    properties: fc.dictionary(name, inner, { maxKeys: 3 }),
    required: fc.uniqueArray(name),
    additionalProperties: inner,
    propertyNames: inner,
    minProperties: count,
    maxProperties: count,
    items: inner,
    prefixItems: schemas,
    minItems: count,
    maxItems: count,
    uniqueItems: fc.boolean(),
    enum: fc.uniqueArray(scalar, { minLength: 1 }),
    const: json,
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    multipleOf: fc.constantFrom(0.01, 1, 7),
    minLength: count,
    maxLength: count,
    anyOf: schemas,
    oneOf: schemas,
    allOf: schemas,
    not: inner,
    format: text,
    title: text,
    description: text,
    default: json,
    examples: fc.array(json, { maxLength: 2 }),
    deprecated: fc.boolean(),
    readOnly: fc.boolean(),
    writeOnly: fc.boolean()
  }
}

const { schema: plainSchema } = fc.letrec<{ schema: JsonObject; inner: Json }>((tie) => {
  const entries = Object.entries(plainValues(tie('inner'))).map(([keyword, value]) => fc.tuple(fc.constant(keyword), value))
  return {
    schema: fc.array(fc.oneof(...entries), { maxLength: 4 }).map(fromEntries),
    inner: fc.oneof({ depthSize: 'small' }, fc.boolean(), tie('schema'))
  }
})

const oddValues: readonly Json[] = [
  null,
  true,
  -1,
  0,
  1.5,
  3,
  -0.5,
  1e300,
  '',
  'text',
  'string',
  [],
  [true],
  [null],
  [1, 1],
  ['a', 'a'],
  ['string', 'string'],
  ['string', 'text'],
  [{ a: 1 }, { a: 1 }],
  [{ type: 5 }],
  {},
  { a: 1 },
  { a: [] },
  { a: { type: 5 } },
  { type: 5 },
  { required: true }
]

const oddKeywords = [
  ...['$ref', '$id', '$schema', '$anchor', '$defs', '$async', '$comment', '$dynamicRef', 'id', 'definitions', 'dependencies'],
  ...['pattern', 'patternProperties', 'nullable', 'discriminator', 'constructor', 'toString', '__proto__', 'unheard', 'contains', 'if']
]

describe('a schema that a look finds plain', () => {
  test('is every one that is made of what is known', () => {
    fc.assert(
      fc.property(plainSchema, (schema) => {
        expect(isPlainSchema(schema)).toBe(true)
        expect(isWellFormed(schema)).toBe(true)
      }),
      share
    )
  })

  test('is well-formed in both drafts, whatever is broken in one place', () => {
    const tally = { plain: 0, refused: 0, broken: 0 }
    const broken = fc.tuple(plainSchema, fc.nat(), fc.constantFrom(...oddValues), fc.constantFrom(undefined, ...oddKeywords))
    fc.assert(
      fc.property(broken, ([schema, place, odd, keyword]) => {
        const changed = { not: breakAt(schema, place, odd, keyword) }
        const plain = isPlainSchema(changed)
        const wellFormed = isWellFormed(changed)
        expect(plain && !wellFormed).toBe(false)
        tally[plain ? 'plain' : 'refused'] += 1
        if (!wellFormed) tally.broken += 1
      }),
      { ...share, numRuns: share.numRuns * 4 }
    )
    expect(Math.min(tally.plain, tally.refused, tally.broken)).toBeGreaterThan(50)
  })

  test('is well-formed and can be compiled in both drafts, whatever value a keyword has', async () => {
    const keywords = [...Object.keys(plainValues(fc.constant(true))), ...oddKeywords]
    const schemas = keywords.flatMap((keyword) => oddValues.map((value) => fromEntries([[keyword, value]])))
    expect(schemas.filter((schema) => isPlainSchema(schema) && !isWellFormed(schema))).toEqual([])
    expect(schemas.filter((schema) => !isWellFormed(schema)).length).toBeGreaterThan(400)
    for (const schema of schemas.filter(isPlainSchema)) await compileInBoth(schema)
  })

  test.each<[string, JsonObject]>([
    [
      'of two numbers',
      {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
        additionalProperties: false
      }
    ],
    [
      'with texts about it',
      {
        title: 'Search',
        description: 'What is looked for',
        type: 'object',
        properties: {
          query: { type: 'string', minLength: 1, maxLength: 500, description: 'Words', examples: ['a b'] },
          limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
          sort: { type: 'string', enum: ['newest', 'oldest'] },
          since: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] }
        },
        required: ['query']
      }
    ],
    [
      'with lists and maps',
      {
        type: 'object',
        properties: {
          tags: { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true },
          at: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }] },
          labels: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: ['string', 'null'] } },
          change: { oneOf: [{ properties: { kind: { const: 'add' } } }, { properties: { kind: { const: 'remove' } } }] }
        }
      }
    ],
    [
      'of a library',
      toJsonSchemaOf(z.object({ city: z.string().min(1), days: z.int().optional(), units: z.enum(['c', 'f']).default('c') }))
    ],
    ['without anything', { type: 'object' }]
  ])('may be one %s', (_, schema) => {
    expect(isPlainSchema(schema)).toBe(true)
  })

  test('can be compiled in both drafts', async () => {
    await fc.assert(fc.asyncProperty(plainSchema, compileInBoth), { ...share, numRuns: share.numRuns / 5 })
  })
})

async function compileInBoth(schema: JsonObject): Promise<void> {
  await compileSchema({ ...schema, $schema: 'https://json-schema.org/draft/2020-12/schema' })
  await compileSchema({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' })
}

function toJsonSchemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _, '~standard': __, ...body } = z.toJSONSchema(schema, { io: 'input' })
  return body as JsonObject
}

/** The value with another one in one of its places, or with a keyword more where an object stands there. */
function breakAt(value: Json, place: number, odd: Json, keyword: string | undefined): Json {
  let left = place % countPlaces(value)
  const visit = (found: Json): Json => {
    left -= 1
    if (left === -1) return keyword !== undefined && isObject(found) ? fromEntries([...Object.entries(found), [keyword, odd]]) : odd
    if (isObject(found)) return fromEntries(Object.entries(found).map(([key, item]) => [key, visit(item)]))
    return Array.isArray(found) ? found.map(visit) : found
  }
  return visit(value)
}

function countPlaces(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, item: Json) => sum + countPlaces(item), 1)
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function fromEntries(entries: readonly (readonly [string, Json])[]): JsonObject {
  return Object.fromEntries(entries)
}
