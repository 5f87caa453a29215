// I8: no layer of rules makes up for another one.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../src/contracts/json.ts'
import type { PermissionRule, RuleEffect } from '../src/contracts/permission-rule.ts'
import { parsePermissionRules } from '../src/grants/parse-rules.ts'
import type { RuledCall, RuleLayer } from '../src/grants/rule-layers.ts'
import { compileRules } from '../src/grants/rule-layers.ts'
import { createRuntime } from '../src/runtime.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { propertyShare } from './model/share.ts'
import { callOf, matches } from './rule-kit.ts'

const share = { ...propertyShare(), numRuns: propertyShare().numRuns * 4 }
const STRICTNESS: readonly RuleEffect[] = ['allow', 'ask', 'deny']

async function verdictOf(rules: readonly PermissionRule[], call: RuledCall): Promise<RuleEffect> {
  return (await compileRules([{ id: 'host', rules }]))(call).verdict
}

describe('layers of rules', () => {
  const tools = ['pay', 'host:pay', 'p*', '*', 'read_*', 'mcp:bank/*', 'other']
  const rule = fc.record(
    {
      effect: fc.constantFrom<RuleEffect>('deny', 'ask', 'allow'),
      tool: fc.constantFrom(...tools),
      when: fc.oneof(
        fc.record({ path: fc.constantFrom('amount', 'to.0', 'to'), gt: fc.constantFrom(0, 10, 100) }),
        fc.record({ path: fc.constantFrom('amount', 'to.0', 'to'), glob: fc.constantFrom('*', 'a*', 'b') }),
        fc.record({ path: fc.constantFrom('amount', 'to.0', 'to'), eq: fc.constantFrom<Json>(null, 10, '10', 'b', ['b']) })
      )
    },
    { requiredKeys: ['effect', 'tool'] }
  ) satisfies fc.Arbitrary<PermissionRule>
  const layers = fc
    .array(fc.array(rule, { maxLength: 3 }), { maxLength: 4 })
    .map((all) => all.map((rules, index): RuleLayer => ({ id: index === 0 ? 'host' : `sha256:${index}`, rules })))
  const call = fc.record({
    identity: fc.constantFrom('host:pay', 'mcp:bank/pay', 'host:read_file'),
    name: fc.constantFrom('pay', 'alias__pay', 'read_file'),
    arguments: fc.record(
      { amount: fc.constantFrom<Json>(1, 50, 500, '50', null), to: fc.constantFrom<Json>('a', 'b', ['b'], [], { 0: 'a' }) },
      { requiredKeys: [] }
    )
  }) satisfies fc.Arbitrary<RuledCall>

  test('give the strictest of their verdicts, whatever their order and that of their rules', async () => {
    const tally = { allow: 0, ask: 0, deny: 0 }
    await fc.assert(
      fc.asyncProperty(layers, call, async (all, asked) => {
        const result = (await compileRules(all))(asked)
        const alone = await Promise.all(all.map(async (layer) => (await compileRules([layer]))(asked)))
        tally[result.verdict] += 1
        expect(STRICTNESS.indexOf(result.verdict)).toBe(Math.max(0, ...alone.map(({ verdict }) => STRICTNESS.indexOf(verdict))))
        expect(result.asks.map(({ id }) => id).toSorted()).toEqual(alone.flatMap(({ asks }) => asks.map(({ id }) => id)).toSorted())
        const turned = all.toReversed().map(({ id, rules }) => ({ id, rules: rules.toReversed() }))
        expect((await compileRules(turned))(asked)).toEqual(result)
      }),
      share
    )
    expect(Math.min(...Object.values(tally))).toBeGreaterThan(50)
  })

  test('are never less strict with one rule more', async () => {
    await fc.assert(
      fc.asyncProperty(layers, rule, fc.nat(4), call, async (all, added, at, asked) => {
        const more = all.map(({ id, rules }, index) => ({ id, rules: index === at % Math.max(1, all.length) ? [added, ...rules] : rules }))
        const [before, after] = [(await compileRules(all))(asked), (await compileRules(more))(asked)]
        expect(STRICTNESS.indexOf(after.verdict)).toBeGreaterThanOrEqual(STRICTNESS.indexOf(before.verdict))
      }),
      share
    )
  })

  test('allow only where none asks or denies', async () => {
    const all: readonly RuleLayer[] = [
      { id: 'host', rules: [{ effect: 'ask', tool: 'pay' }] },
      { id: 'sha256:a', rules: [{ effect: 'allow', tool: '*' }] },
      { id: 'sha256:b', rules: [{ effect: 'deny', tool: 'pay', when: { path: 'amount', gt: 100 } }] }
    ]
    const judge = await compileRules(all)
    expect(judge(callOf({ amount: 500 })).verdict).toBe('deny')
    expect(judge(callOf({ amount: 5 }))).toMatchObject({
      verdict: 'ask',
      denies: [],
      asks: [{ layer: 'host' }],
      allows: [{ layer: 'sha256:a' }]
    })
    expect(judge(callOf({}, { identity: 'host:read', name: 'read' })).verdict).toBe('allow')
  })

  test('say nothing when there are none, or none matches', async () => {
    const silence = { verdict: 'allow', denies: [], asks: [], allows: [] }
    expect((await compileRules([]))(callOf({}))).toEqual(silence)
    expect((await compileRules([{ id: 'host', rules: [{ effect: 'deny', tool: 'other' }] }]))(callOf({}))).toEqual(silence)
  })

  test('call a rule by its layer and what it says, not by its place', async () => {
    const ask = { effect: 'ask', tool: 'pay' } as const
    const idsOf = async (all: readonly RuleLayer[]) => (await compileRules(all))(callOf({})).asks.map(({ id }) => id)
    const [id] = await idsOf([{ id: 'host', rules: [ask] }])
    expect(await idsOf([{ id: 'host', rules: [{ effect: 'allow', tool: 'x' }, ask, ask] }])).toEqual([id])
    expect(await idsOf([{ id: 'sha256:a', rules: [ask] }])).not.toContain(id)
    expect(await idsOf([{ id: 'host', rules: [{ effect: 'ask', tool: 'pa[y]' }] }])).not.toContain(id)
  })

  test('with a glob that cannot be read refuse to judge', async () => {
    const rules: readonly PermissionRule[] = [{ effect: 'deny', tool: '{' }]
    await expect(compileRules([{ id: 'host', rules }])).rejects.toMatchObject({
      code: 'invalid_input',
      details: { layer: 'host', index: 0 }
    })
  })
})

describe('a rule names a tool', () => {
  const alias = { identity: 'mcp:bank/pay', name: 'ledger__pay' }
  test.each<readonly [string, Partial<RuledCall>, boolean, boolean]>([
    ['pay', {}, true, true],
    ['host:pay', {}, true, true],
    ['os:pay', {}, false, false],
    ['*', {}, true, true],
    ['Pay', {}, false, false],
    ['pа?', {}, false, false],
    ['p?y', {}, true, true],
    // By whatever name the model sees, it is denied; a name that a definition chose allows nothing.
    ['ledger__pay', alias, true, false],
    ['pay', alias, true, false],
    ['mcp:bank/*', alias, true, true],
    ['mcp:*', alias, true, true],
    ['read_file', { identity: 'mcp:evil/read_file', name: 'read_file' }, true, false],
    ['read-file', { identity: 'host:read_file', name: 'read_file' }, true, false],
    ['read_file', { identity: 'host:read-file', name: 'read-file' }, true, false],
    ['code', { identity: 'code', name: 'code' }, true, true],
    ['gone', { name: 'gone' }, true, false]
  ])('%s for %j', async (tool, call, isDenied, isAllowed) => {
    const asked: RuledCall = call.identity === undefined && call.name !== undefined ? { name: call.name, arguments: {} } : callOf({}, call)
    expect(await matches('deny', { tool }, asked)).toBe(isDenied)
    expect(await matches('ask', { tool }, asked)).toBe(isDenied)
    expect(await matches('allow', { tool }, asked)).toBe(isAllowed)
  })
})

describe('rules as they are written', () => {
  test('are given as they are', () => {
    const rules = [
      { effect: 'deny', tool: 'pay', when: { path: 'a.0', eq: { b: [null] }, gt: 1 } },
      { effect: 'allow', tool: '*' }
    ]
    expect(parsePermissionRules(rules)).toStrictEqual({ ok: true, value: rules })
    expect(parsePermissionRules([])).toEqual({ ok: true, value: [] })
  })

  test.each<readonly [unknown, readonly object[]]>([
    [undefined, [{ code: 'missing', path: [] }]],
    [{}, [{ code: 'invalid', path: [] }]],
    [['deny'], [{ code: 'invalid', path: [0] }]],
    [
      [{}],
      [
        { code: 'missing', path: [0, 'effect'] },
        { code: 'missing', path: [0, 'tool'] }
      ]
    ],
    [[{ effect: 'block', tool: 'a' }], [{ code: 'invalid', path: [0, 'effect'] }]],
    [
      [{ effect: 'deny', tools: 'a' }],
      [
        { code: 'unknown_field', path: [0, 'tools'], nearMiss: 'tool' },
        { code: 'missing', path: [0, 'tool'] }
      ]
    ],
    [[{ effect: 'deny', tool: '' }], [{ code: 'invalid', path: [0, 'tool'] }]],
    [[{ effect: 'deny', tool: '{a' }], [{ code: 'invalid', path: [0, 'tool'] }]],
    [[{ effect: 'deny', tool: 'a', when: null }], [{ code: 'invalid', path: [0, 'when'] }]],
    [[{ effect: 'deny', tool: 'a', when: { path: 'x' } }], [{ code: 'missing', path: [0, 'when', 'eq'] }]],
    [[{ effect: 'deny', tool: 'a', when: { eq: 1 } }], [{ code: 'missing', path: [0, 'when', 'path'] }]],
    [[{ effect: 'deny', tool: 'a', when: { path: 'x', glob: 'a}' } }], [{ code: 'invalid', path: [0, 'when', 'glob'] }]],
    [
      [{ effect: 'deny', tool: 'a', when: { path: 'x', gte: 1, gt: 1 } }],
      [{ code: 'unknown_field', path: [0, 'when', 'gte'], nearMiss: 'gt' }]
    ],
    ...['', '.', 'a.', '.a', 'a..b', 'a\ud800'].map(
      (path) => [[{ effect: 'deny', tool: 'a', when: { path, eq: 1 } }], [{ code: 'invalid', path: [0, 'when', 'path'] }]] as const
    ),
    ...['1', Number.NaN, Number.POSITIVE_INFINITY, null].map(
      (lt) => [[{ effect: 'deny', tool: 'a', when: { path: 'x', lt } }], [{ code: 'invalid', path: [0, 'when', 'lt'] }]] as const
    ),
    ...[Number.NaN, () => 1, new Date(0), [undefined], '\ud800', nested(40)].map(
      (eq) => [[{ effect: 'deny', tool: 'a', when: { path: 'x', eq } }], [{ code: 'invalid', path: [0, 'when', 'eq'] }]] as const
    )
  ])('are refused: %j', (value, faults) => {
    const parsed = parsePermissionRules(value)
    expect(parsed.ok ? [] : parsed.faults).toMatchObject(faults)
    expect(parsed.ok ? 0 : parsed.faults.length).toBe(faults.length)
  })
})

test('a parent that asks is asked for its child, whatever the child says', async () => {
  // B056 (4): a child's own rules do not silence those of its parent.
  const parent: PermissionRule = { effect: 'ask', tool: 'write_file' }
  const own: PermissionRule = { effect: 'allow', tool: '*' }
  const call = { identity: 'host:write_file', name: 'write_file', arguments: {} }
  expect(await verdictOf([own], call)).toBe('allow')
  const judge = await compileRules([
    { id: 'sha256:parent', rules: [parent] },
    { id: 'sha256:child', rules: [own] }
  ])
  expect(judge(call).verdict).toBe('ask')
})

function nested(levels: number): Json {
  return levels === 0 ? 1 : [nested(levels - 1)]
}

describe('rules that a host gives a runtime', () => {
  // I9: one that cannot be read would stop nothing.
  test.each<readonly [string, unknown, string]>([
    ['with a field that is misspelt', [{ efect: 'deny', tool: 'pay' }], 'permissions.0.efect'],
    ['with an effect that there is not', [{ effect: 'Deny', tool: 'pay' }], 'permissions.0.effect'],
    [
      'with a glob that cannot be read',
      [
        { effect: 'allow', tool: 'x' },
        { effect: 'deny', tool: '{pay' }
      ],
      'permissions.1.tool'
    ],
    ['with a condition that says nothing', [{ effect: 'deny', tool: 'pay', when: { path: 'amount' } }], 'permissions.0.when.eq'],
    ['that are no list', { effect: 'deny', tool: 'pay' }, 'permissions'],
    ['that are null', null, 'permissions']
  ])('%s are refused at once', (_, permissions, path) => {
    const options = { store: memoryStore(), permissions: permissions as readonly PermissionRule[] }
    expect(() => createRuntime(options)).toThrow(expect.objectContaining({ code: 'invalid_input', details: { path } }))
  })
})
