import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { ToolContext } from '../src/contracts/tool.ts'
import type { ToolSchema } from '../src/define-tool.ts'
import { defineTool } from '../src/define-tool.ts'
import { createArgumentsValidator } from '../src/manifest/tool-arguments.ts'
import { refusalOf } from './refusal.ts'

const described = { description: 'Does it.', execute: () => null }
const context = {} as ToolContext

describe('defineTool', () => {
  test('takes JSON Schema and fills in the careful defaults', () => {
    const tool = defineTool({ ...described, name: 'refund', input: { properties: { id: { type: 'string' } } } })
    expect(tool).toMatchObject({ name: 'refund', effect: 'once', parallelSafe: true })
    expect(tool.input).toEqual({ kind: 'json', jsonSchema: { type: 'object', properties: { id: { type: 'string' } } } })
    expect(tool).not.toHaveProperty('timeoutMs')
  })

  test('describes to the model what may be written, before defaults and transforms', () => {
    const input = z.object({ limit: z.number().default(10), at: z.string().transform((text) => text.length) })
    const tool = defineTool({ ...described, name: 'list', input })
    expect(tool.input.kind).toBe('standard')
    expect(tool.input.jsonSchema).toMatchObject({ type: 'object', required: ['at'], properties: { at: { type: 'string' } } })
  })

  test('takes alternatives of objects as arguments', () => {
    const input = z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })])
    expect(defineTool({ ...described, name: 'either', input }).input.jsonSchema['type']).toBe('object')
  })

  test('keeps its own copy of the schema', () => {
    const input = { type: 'object', properties: { id: { type: 'string' } } }
    const tool = defineTool({ ...described, name: 'refund', input })
    input.properties.id.type = 'number'
    expect(tool.input.jsonSchema).toEqual({ type: 'object', properties: { id: { type: 'string' } } })
  })

  test('runs the function that it was given', () => {
    const tool = defineTool({ ...described, name: 'add', input: z.object({ a: z.number() }), execute: ({ a }) => a + 1 })
    expect(tool.execute({ a: 1 }, context)).toBe(2)
  })

  // B068
  test.each(['', '1st', 'read file', 'lösche', 'a.b', '-x', '__proto__\u0000', 'x'.repeat(65)])('refuses the name %j', async (name) => {
    const error = await refusalOf('invalid_tools', () => defineTool({ ...described, name, input: {} }))
    expect(error.details['field']).toBe('name')
  })

  // B108
  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '10', null, 2 ** 53])('refuses the time-out %j', async (timeoutMs) => {
    const error = await refusalOf('invalid_tools', () => defineTool({ ...described, name: 'x', input: {}, timeoutMs: timeoutMs as number }))
    expect(error.details).toEqual({ tool: 'x', field: 'timeoutMs' })
  })

  // B108
  test('takes a time-out of more than 2^31 milliseconds', () => {
    expect(defineTool({ ...described, name: 'x', input: {}, timeoutMs: 3e9 }).timeoutMs).toBe(3e9)
  })

  test.each<[string, object]>([
    ['effect', { effect: 'never' }],
    ['parallelSafe', { parallelSafe: 'yes' }],
    ['maxResultLength', { maxResultLength: 0 }],
    ['version', { version: '' }],
    ['description', { description: undefined }],
    ['execute', { execute: undefined }]
  ])('refuses a wrong %s', async (field, options) => {
    const error = await refusalOf('invalid_tools', () => defineTool({ ...described, name: 'x', input: {}, ...options }))
    expect(error.details['field']).toBe(field)
  })

  const cyclic: { [key: string]: unknown } = { type: 'object' }
  cyclic['properties'] = cyclic
  const schemas: [string, unknown][] = [
    ['no schema', undefined],
    ['a schema of texts', z.string()],
    ['a schema that cannot be written as JSON Schema', z.object({ at: z.date() })],
    ['a Standard Schema without JSON Schema', { '~standard': { version: 1, vendor: 'x', validate: () => ({ value: 1 }) } }],
    ['a schema that holds itself', cyclic],
    ['a schema of more than 64 levels', deep(65)],
    ['a schema of more than 2,000 nodes', { enum: Array.from({ length: 2_001 }, (_, index) => index) }],
    ['a schema of more than 64 KB', { description: 'x'.repeat(65_537) }]
  ]
  test.each(schemas)('refuses %s', async (_, input) => {
    const error = await refusalOf('invalid_tools', () => defineTool({ ...described, name: 'x', input: input as ToolSchema }))
    expect(error.details['field']).toBe('input')
  })
})

describe('the check of arguments', () => {
  test('gives the output of a Standard Schema and leaves the raw arguments alone', async () => {
    const input = z.object({ limit: z.number().default(10), tags: z.array(z.string()).transform((tags) => tags.length) })
    const validate = await createArgumentsValidator(defineTool({ ...described, name: 'x', input }))
    const raw = { tags: ['a', 'b'] }
    expect(validate(raw)).toEqual({ ok: true, input: { limit: 10, tags: 2 } })
    expect(raw).toEqual({ tags: ['a', 'b'] })
  })

  test('waits for a schema that checks asynchronously', async () => {
    const input = z.object({ id: z.string().refine(async (id) => id === 'known') })
    const validate = await createArgumentsValidator(defineTool({ ...described, name: 'x', input }))
    expect(await validate({ id: 'known' })).toEqual({ ok: true, input: { id: 'known' } })
    expect(await validate({ id: 'other' })).toMatchObject({ ok: false })
  })

  test('gives a copy of the arguments with JSON Schema, so that a tool cannot change what is recorded', async () => {
    const validate = await createArgumentsValidator(defineTool({ ...described, name: 'x', input: {} }))
    const raw = { list: [1] }
    const checked = await validate(raw)
    expect(checked).toEqual({ ok: true, input: raw })
    expect(checked.ok && checked.input).not.toBe(raw)
  })

  const open: ToolSchema = { properties: { a: { type: 'number' } } }
  test.each<[string, ToolSchema, object | null]>([
    ['JSON Schema', open, { a: 1, b: 2 }],
    ['JSON Schema that names all fields', { ...open, additionalProperties: false }, null],
    ['z.object', z.object({ a: z.number() }), { a: 1 }],
    ['z.looseObject', z.looseObject({ a: z.number() }), { a: 1, b: 2 }],
    ['z.strictObject', z.strictObject({ a: z.number() }), null]
  ])('leaves fields that the schema does not name to what %s says of them', async (_, input, given) => {
    const validate = await createArgumentsValidator(defineTool({ ...described, name: 'x', input }))
    const checked = await validate({ a: 1, b: 2 })
    expect(checked.ok ? checked.input : null).toEqual(given)
  })

  test('says where the arguments are wrong', async () => {
    const validate = await createArgumentsValidator(defineTool({ ...described, name: 'x', input: z.object({ a: z.array(z.number()) }) }))
    const checked = await validate({ a: [1, 'two'] })
    expect(checked.ok ? '' : checked.errors.split(':')[0]).toBe('/a/1')
  })

  test('bounds what it says', async () => {
    const validate = await createArgumentsValidator(defineTool({ ...described, name: 'x', input: z.object({ a: z.array(z.number()) }) }))
    const checked = await validate({ a: Array.from({ length: 1_000 }, () => 'x') })
    expect(checked.ok ? '' : checked.errors.split('\n')).toHaveLength(11)
  })

  test('takes a schema that throws for one that refuses', async () => {
    const refine = () => {
      throw new Error('broken')
    }
    const validate = await createArgumentsValidator(
      defineTool({ ...described, name: 'x', input: z.object({ a: z.string().refine(refine) }) })
    )
    expect(await validate({ a: 'x' })).toMatchObject({ ok: false })
  })
})

function deep(levels: number): object {
  let schema: object = {}
  for (let level = 1; level < levels; level += 1) schema = { not: schema }
  return schema
}
