import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../src/contracts/json.ts'
import { compileSchema, proveSchema } from '../src/manifest/json-schema.ts'
import { refusalOf } from './refusal.ts'

const check = async (schema: JsonObject, value: Json) => (await compileSchema(schema))(value)
const placesOf = async (schema: JsonObject, value: Json) => {
  const checked = await check(schema, value)
  return checked.ok ? [] : checked.errors.split('\n').map((line) => line.split(':')[0])
}

describe('a compiled schema', () => {
  test('takes what fits', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string', format: 'email' } }, required: ['a'] }
    expect(await check(schema, { a: 'no address: formats are not checked' })).toEqual({ ok: true })
  })

  test('says of every fault where it is', async () => {
    const order = {
      type: 'object',
      properties: { id: { type: 'string' }, n: { enum: [1, 2] } },
      required: ['id'],
      additionalProperties: false
    }
    const schema = { properties: { orders: { type: 'array', items: order, uniqueItems: true } } }
    expect(await placesOf(schema, { orders: [{ id: 1, n: 3 }, { x: 1 }] })).toEqual([
      '/orders/0/id',
      '/orders/0/n',
      '/orders/1',
      '/orders/1'
    ])
  })

  test('tells ten faults and 2,000 characters at most, and not the values', async () => {
    const many = await check(
      { items: { type: 'string' } },
      Array.from({ length: 5_000 }, (_, index) => index)
    )
    expect(many.ok ? [] : many.errors.split('\n')).toHaveLength(11)
    const long = await check({ required: Array.from({ length: 10 }, (_, index) => `${index}${'x'.repeat(500)}`) }, {})
    expect(long.ok ? 0 : long.errors.length).toBeLessThanOrEqual(2_000)
    const secret = await check({ type: 'number' }, 'hunter2')
    expect(secret.ok ? '' : secret.errors).not.toContain('hunter2')
  })

  test('tells the first fault of a huge value', async () => {
    expect(
      await placesOf(
        { items: { type: 'string' } },
        Array.from({ length: 100_000 }, (_, index) => index)
      )
    ).toEqual(['/0'])
  })

  test('does not change the value', async () => {
    const value = { a: '1' }
    await check({ properties: { a: { type: 'number' }, b: { default: 1 } } }, value)
    expect(value).toEqual({ a: '1' })
  })

  test('is compiled once', async () => {
    const schema = { type: 'string' }
    expect(await compileSchema(schema)).toBe(await compileSchema(schema))
  })

  test('tells two patterns apart', async () => {
    const schema = { properties: { a: { pattern: '^a+$' }, b: { pattern: '^b+$' } }, patternProperties: { '^x': { type: 'number' } } }
    expect(await placesOf(schema, { a: 'aa', b: 'bb', x: 1 })).toEqual([])
    expect(await placesOf(schema, { a: 'bb', b: 'aa', x: 'y' })).toEqual(['/a', '/b', '/x'])
  })

  test('matches Unicode as ECMAScript does with the flag u', async () => {
    expect(await placesOf({ items: { pattern: '^\\p{L}\\u00e9.$' } }, ['aé😀', 'aé\n'])).toEqual(['/1'])
  })

  test('matches in linear time what a backtracking matcher never ends', async () => {
    expect(await placesOf({ pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}!`)).toEqual(['(root)'])
  })

  test('finds equal items in linear time, whatever the order of their keys', async () => {
    const items = Array.from({ length: 20_000 }, (_, index) => ({ index, x: [] }))
    expect(await placesOf({ uniqueItems: true }, items)).toEqual([])
    expect(await placesOf({ uniqueItems: true }, [...items, { x: [], index: 7 }])).toEqual(['(root)'])
  })

  test('refuses a value that is nested too deeply to be checked', async () => {
    let value: Json = {}
    for (let level = 0; level < 100_000; level += 1) value = { n: value }
    expect((await check({ properties: { n: { $ref: '#' } } }, value)).ok).toBe(false)
  })

  test('follows references within itself', async () => {
    const schema = { $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } }, $ref: '#/$defs/node' }
    expect(await placesOf(schema, { next: { next: 1 } })).toEqual(['/next/next'])
  })

  test('reads draft 7 where it is named', async () => {
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }], definitions: {} }
    expect(await placesOf(schema, [1])).toEqual(['/0'])
  })

  test('keeps schemas of one name apart', async () => {
    expect(await placesOf({ $id: 'https://example.org/x', type: 'string' }, 1)).toEqual(['(root)'])
    expect(await placesOf({ $id: 'https://example.org/x', type: 'number' }, 1)).toEqual([])
  })
})

describe('what is no schema', () => {
  test.each<[string, JsonObject]>([
    ['an unknown type', { type: 'text' }],
    ['a keyword with a wrong value', { minLength: 'a' }],
    ['a list of items in 2020-12', { items: [{ type: 'string' }] }],
    ['a reference to another document', { $ref: 'https://example.org/schema.json' }],
    ['a reference to a part that is not there', { $ref: '#/$defs/none' }],
    ['a reference to itself', { $ref: '#' }],
    ['a broken pattern', { pattern: '(' }],
    ['a pattern with look-around', { pattern: '^(?=a)' }],
    ['a pattern with back-references', { pattern: '^(a)\\1$' }],
    ['an asynchronous schema', { $async: true }],
    ['an asynchronous part', { $defs: { a: { $async: true, type: 'string' } }, $ref: '#/$defs/a' }],
    ['an asynchronous value in a plain schema', { type: 'object', default: { $async: true } }],
    ['a plain schema without values', { enum: [] }],
    ['another draft', { $schema: 'http://json-schema.org/draft-04/schema#' }],
    ['more than 64 levels', deep(65)],
    ['more than 2,000 nodes', { enum: Array.from({ length: 2_000 }, (_, index) => index) }],
    ['more than 64 KB', { description: 'x'.repeat(65_536) }]
  ])('%s', async (_, schema) => {
    const error = await refusalOf('invalid_input', () => compileSchema(schema))
    expect(error.details['reason']).toBeTypeOf('string')
    const proof = await refusalOf('invalid_input', () => proveSchema(structuredClone(schema)))
    expect(proof.details).toEqual(error.details)
  })

  test('leaves other schemas usable', async () => {
    await refusalOf('invalid_input', () => compileSchema({ $ref: '#' }))
    expect(await placesOf({ type: 'string' }, 1)).toEqual(['(root)'])
  })
})

function deep(levels: number): JsonObject {
  let schema: JsonObject = {}
  for (let level = 1; level < levels; level += 1) schema = { not: schema }
  return schema
}
