import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseYaml } from '../src/manifest/parse-yaml.ts'

const read = async (text: string) => {
  const { value, errors } = await parseYaml(text, 'a.json')
  return { value, errors: errors.map(({ code, line, column, path }) => `${code} ${line}:${column} ${path}`.trim()) }
}

describe('JSON files', () => {
  test.each<[string, string]>([
    ['', 'syntax 1:1'],
    ['a: b', 'syntax 1:1'],
    ['{"a":1,}', 'syntax 1:8'],
    ['{"a":1 "b"}', 'syntax 1:8'],
    ["{'a':1}", 'syntax 1:2'],
    ['[01]', 'syntax 1:3'],
    ['[1]\n[2]', 'syntax 2:1'],
    ['["a\nb"]', 'syntax 1:2'],
    ['{"a":1,"a":2}', 'duplicate 1:8 a'],
    ['{"a":{"__proto__":1}}', 'reserved_key 1:7 a.__proto__'],
    ['[12345678901234567890]', 'number_unsafe 1:2 [0]'],
    ['[1e400]', 'number_infinite 1:2 [0]'],
    ['["\\ud800"]', 'text_ill_formed 1:2 [0]']
  ])('refuse %j', async (text, error) => {
    expect((await read(text)).errors).toEqual([error])
  })

  // B062
  test('refuse deep nesting', async () => {
    expect((await read('['.repeat(5_000) + ']'.repeat(5_000))).errors).toEqual(['too_deep 1:129'])
  })

  test('have no plain text', async () => {
    expect((await parseYaml('{"a": 1.10}', 'a.json')).sourceAt(['a'])).toBeUndefined()
  })

  test('take tabs and long keys', async () => {
    const key = 'k'.repeat(2_000)
    expect(await read(`{\n\t"${key}":\n\t\t[\n\t1]\n}`)).toEqual({ value: { [key]: [1] }, errors: [] })
  })

  test('have the value that JSON.parse gives, with its place', async () => {
    const json = fc.json({ depthSize: 'medium', stringUnit: 'binary' }).filter((text) => isSafe(JSON.parse(text)))
    const spaced = fc.tuple(json, fc.constantFrom(undefined, 1, '\t', '\r\n'))
    await fc.assert(
      fc.asyncProperty(spaced, async ([text, space]) => {
        const value: unknown = JSON.parse(text)
        expect(await read(JSON.stringify(value, null, space))).toEqual({ value, errors: [] })
      }),
      { numRuns: 300 }
    )
  })
})

function isSafe(value: unknown): boolean {
  if (typeof value === 'number')
    return !Object.is(value, -0) && (!Number.isInteger(value) || Number.isSafeInteger(value) || String(value).includes('e'))
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(
    ([key, item]) => key.isWellFormed() && !['__proto__', 'prototype', 'constructor'].includes(key) && isSafe(item)
  )
}
