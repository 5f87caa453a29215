import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mayWeighMore } from '../src/artifacts/body-weight.ts'
import { toCallDigest } from '../src/state/call-digest.ts'
import { digestJson } from '../src/util/canonical.ts'
import { copyJson } from '../src/util/copy-json.ts'
import { toWellFormedJson } from '../src/util/well-formed.ts'

/** Any JSON value, with the names of fields that objects treat in a way of their own. */
const anyJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString')), tie('value')), { maxLength: 4 }).map(
      // As a parser makes it: each is a field of its own.
      (fields) => JSON.parse(`{${fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`)
    )
  )
})).value

/** The objects and arrays in a value. */
function nodesOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(nodesOf)] : []
}

describe('a JSON value', () => {
  test('is copied as it is, and shares nothing with its copy', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const copy = copyJson(value)
        expect(JSON.stringify(copy)).toBe(JSON.stringify(value))
        const nodes = new Set(nodesOf(value))
        expect(nodesOf(copy).filter((node) => nodes.has(node))).toEqual([])
      })
    )
  })

  test('that is well-formed is given back as the same, and any other as one that is', () => {
    const halves = fc.constantFrom('\ud83d', 'a\ude00', '\ud83d\ude00', 'whole')
    const texts = fc.oneof(
      halves,
      fc.array(halves),
      fc.tuple(halves, halves).map(([name, text]) => ({ [name]: [text, { text }] }))
    )
    fc.assert(
      fc.property(texts, (value) => {
        const isWhole = !/\\ud[89a-f]/i.test(JSON.stringify(value))
        const kept = toWellFormedJson(value)
        expect(kept === value).toBe(isWhole)
        expect(JSON.stringify(kept)).not.toMatch(/\\ud[89a-f]/i)
        expect(JSON.stringify(kept)).toHaveLength(JSON.stringify(value).replaceAll(/\\ud[89a-f]../gi, '\ufffd').length)
      })
    )
  })

  test('that is larger than so many bytes is never taken for a smaller one', () => {
    fc.assert(
      fc.property(anyJson, fc.nat(200), (value, less) => {
        const bytes = Buffer.byteLength(JSON.stringify(value))
        expect(mayWeighMore(value, bytes - 1 - less)).toBe(true)
        expect(mayWeighMore(value, 1_000_000)).toBe(false)
      })
    )
  })
})

// I6
test('a call is known by the canonical JSON of its tool, version, arguments and thread', () => {
  const text = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(anyJson, text, text, text, (args, identity, version, thread) => {
      const call = { tool: 'named', arguments: args as never, input: '{}' }
      expect(toCallDigest(thread, { identity, version }, call)).toBe(digestJson([identity, version, args ?? '{}', thread]))
      expect(toCallDigest(thread, null, { ...call, arguments: null })).toBe(digestJson(['named', '', '{}', thread]))
    })
  )
})
