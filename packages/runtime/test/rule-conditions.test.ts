import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../src/contracts/json.ts'
import type { RuleCondition } from '../src/contracts/permission-rule.ts'
import { propertyShare } from './model/share.ts'
import { callOf, matches } from './rule-kit.ts'

const share = { ...propertyShare(), numRuns: propertyShare().numRuns * 4 }

describe('a condition', () => {
  /** What holds: `yes` for each effect, `no` for none, `strict` for those that bound. */
  const rows: readonly (readonly [Omit<RuleCondition, 'path'>, JsonObject, 'yes' | 'no' | 'strict'])[] = [
    [{ eq: 1 }, { x: 1 }, 'yes'],
    [{ eq: 1 }, { x: 2 }, 'no'],
    [{ eq: 1 }, { x: '1' }, 'strict'],
    [{ eq: '1' }, { x: 1 }, 'strict'],
    [{ eq: true }, { x: 'true' }, 'strict'],
    [{ eq: true }, { x: false }, 'no'],
    [{ eq: false }, { x: 0 }, 'strict'],
    [{ eq: 0 }, { x: -0 }, 'yes'],
    [{ eq: -0 }, { x: 0 }, 'yes'],
    [{ eq: 1e21 }, JSON.parse('{ "x": 1000000000000000000000 }'), 'yes'],
    // Arguments are doubles, and so is what runs.
    [{ eq: 2 ** 53 }, JSON.parse('{ "x": 9007199254740993 }'), 'yes'],
    [{ eq: 'prod' }, { x: ['prod'] }, 'strict'],
    [{ eq: 'a' }, { x: 'A' }, 'no'],
    [{ eq: '\u00e9' }, { x: 'e\u0301' }, 'no'],
    [{ eq: ['a', 1] }, { x: ['a', 1] }, 'yes'],
    [{ eq: ['a', 1] }, { x: [1, 'a'] }, 'no'],
    [{ eq: { a: 1, b: [] } }, { x: { b: [], a: 1 } }, 'yes'],
    [{ eq: { a: 1 } }, { x: { a: 1, b: 2 } }, 'no'],
    [{ eq: {} }, { x: [] }, 'strict'],
    [{ eq: null }, { x: null }, 'yes'],
    [{ eq: null }, { x: 0 }, 'no'],
    [{ eq: null }, {}, 'no'],
    [{ eq: 1 }, { x: null }, 'no'],
    [{ eq: 1 }, {}, 'no'],
    [{ gt: 100 }, { x: 101 }, 'yes'],
    [{ gt: 100 }, { x: 100 }, 'no'],
    [{ gt: 100 }, { x: '5000' }, 'strict'],
    [{ gt: 100 }, { x: [5000] }, 'strict'],
    [{ gt: 100 }, { x: true }, 'strict'],
    [{ gt: 100 }, { x: null }, 'no'],
    [{ gt: 100 }, {}, 'no'],
    [{ gt: 100 }, { x: Number.NaN }, 'strict'],
    [{ gt: 100 }, JSON.parse('{ "x": 1e999 }'), 'yes'],
    [{ gt: 2 ** 53 }, { x: 2 ** 60 }, 'yes'],
    [{ lt: 0 }, { x: -0 }, 'no'],
    [{ lt: 0 }, { x: -5e-324 }, 'yes'],
    [{ gt: 10, lt: 20 }, { x: 15 }, 'yes'],
    [{ gt: 10, lt: 20 }, { x: 25 }, 'no'],
    [{ gt: 10, eq: '15' }, { x: '15' }, 'strict'],
    [{ gt: 10, eq: '15' }, { x: '16' }, 'no'],
    [{ glob: 'rm *' }, { x: 'rm -rf /etc/passwd' }, 'yes'],
    [{ glob: 'rm *' }, { x: ' rm -rf' }, 'no'],
    [{ glob: '*rm*' }, { x: 'a\nrm\nb' }, 'yes'],
    [{ glob: 'ls' }, { x: 'ls\n' }, 'no'],
    [{ glob: 'l?' }, { x: 'ls\n' }, 'no'],
    [{ glob: '/etc/*' }, { x: '/etc/ssh/key' }, 'yes'],
    [{ glob: '/etc/**' }, { x: '/etc/ssh/key' }, 'yes'],
    [{ glob: '/etc/*' }, { x: ['/etc/passwd'] }, 'strict'],
    [{ glob: '1*' }, { x: 12 }, 'strict'],
    [{ glob: '*' }, { x: null }, 'no'],
    [{ glob: '*' }, {}, 'no'],
    [{ glob: '*' }, { x: '' }, 'yes'],
    [{ glob: 'null' }, { x: null }, 'no']
  ]

  test.each(rows)('%j of %j', async (comparison, args, answer) => {
    const when = { path: 'x', ...comparison }
    const expected = { yes: [true, true, true], strict: [true, true, false], no: [false, false, false] }[answer]
    const found = await Promise.all((['deny', 'ask', 'allow'] as const).map((effect) => matches(effect, { tool: '*', when }, callOf(args))))
    expect(found).toEqual(expected)
  })

  test.each<readonly [string, JsonObject, 'yes' | 'no' | 'strict']>([
    ['a.b', { a: { b: 1 } }, 'yes'],
    ['a.0.b', { a: [{ b: 1 }] }, 'yes'],
    ['a.0', { a: { 0: 1 } }, 'yes'],
    ['a.b', { a: [{ b: 1 }] }, 'strict'],
    ['a.00', { a: [1] }, 'strict'],
    ['a.-1', { a: [1] }, 'strict'],
    ['a.1', { a: [1] }, 'no'],
    ['a.length', { a: [1] }, 'strict'],
    ['a.b', { a: '{"b":1}' }, 'strict'],
    ['a.b', { a: 1 }, 'strict'],
    ['a.b', { a: null }, 'no'],
    ['a.b', { a: {} }, 'no'],
    ['a.b', { 'a.b': 1 }, 'no'],
    ['constructor', {}, 'no'],
    ['__proto__', {}, 'no'],
    ['__proto__.x', {}, 'no'],
    ['__proto__', JSON.parse('{ "__proto__": 1 }'), 'yes'],
    ['toString.name', { a: 1 }, 'no']
  ])('finds %s in %j', async (path, args, answer) => {
    const when = { path, eq: 1 }
    const expected = { yes: [true, true], strict: [true, false], no: [false, false] }[answer]
    const found = await Promise.all((['deny', 'allow'] as const).map((effect) => matches(effect, { tool: '*', when }, callOf(args))))
    expect(found).toEqual(expected)
  })

  test('never holds for allow where it does not hold for deny', async () => {
    const value = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>
    const when = fc.record(
      {
        path: fc.constantFrom('x', 'x.0', 'x.a'),
        eq: value,
        lt: fc.double({ noNaN: true, noDefaultInfinity: true }),
        gt: fc.nat(3),
        glob: fc.constantFrom('*', 'a*', '?')
      },
      { requiredKeys: ['path'] }
    )
    await fc.assert(
      fc.asyncProperty(when, value, async (condition, x) => {
        const [isAllowed, isDenied] = await Promise.all(
          (['allow', 'deny'] as const).map((effect) => matches(effect, { tool: '*', when: condition }, callOf({ x })))
        )
        expect(isDenied || !isAllowed).toBe(true)
      }),
      share
    )
  })
})
