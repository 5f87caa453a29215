import { describe, expect, test } from 'vitest'
import type { Json } from '../src/contracts/json.ts'
import type { VariableDeclaration } from '../src/contracts/publication.ts'
import { parseAgentManifest } from '../src/manifest/agent-manifest.ts'
import { resolveVariables } from '../src/manifest/variables.ts'
import { problemsOf, refusalOf, toCodes } from './refusal.ts'

const HEAD = 'schemaVersion: "1.0"\nmodel: { ref: fast }\n'
const parse = (text: string, file = 'a.agent.yaml') => parseAgentManifest(text, file)
const codesOf = async (text: string) => toCodes(await problemsOf(() => parse(HEAD + text)))

describe('an agent manifest', () => {
  test('gives the definition that the same agent has in code', async () => {
    const { definition, id, extensions } = await parse(`
schemaVersion: "1.0"
id: refunds
name: Refunds
description: Pays back.
model:
  provider: openai
  model: gpt-5
  options: { openai: { store: false } }
  settings: { temperature: 0, topP: 1, topK: 40, seed: -1, stopSequences: [END], toolChoice: { tool: refund }, maxOutputTokens: 100 }
variables:
  - { key: order, type: object, requiresOverride: true, description: What to pay back, metadata: { shown: true } }
systemPrompt: You serve {{ order.customer }}.
prompt: Pay back {{ order.id }}.
tools:
  - /agent-tools/os/read-file
  - { ref: refund, effect: once, timeoutMs: 1000 }
limits: { maxTurns: 3 }
outputSchema: { type: object }
metadata: { team: [a, b] }
extensions: { host: { x: 1 }, agentRuntime: { stateProjection: step-output-state-v1 } }
`)
    expect(definition).toEqual({
      name: 'Refunds',
      description: 'Pays back.',
      model: {
        provider: 'openai',
        model: 'gpt-5',
        options: { openai: { store: false } },
        settings: {
          temperature: 0,
          topP: 1,
          topK: 40,
          seed: -1,
          stopSequences: ['END'],
          toolChoice: { tool: 'refund' },
          maxOutputTokens: 100
        }
      },
      variables: [{ key: 'order', type: 'object', requiresOverride: true, description: 'What to pay back' }],
      systemPrompt: 'You serve {{ order.customer }}.',
      prompt: 'Pay back {{ order.id }}.',
      tools: ['/agent-tools/os/read-file', { ref: 'refund', effect: 'once', timeoutMs: 1000 }],
      limits: { maxTurns: 3 },
      outputSchema: { type: 'object' },
      metadata: { team: ['a', 'b'] }
    })
    expect(id).toBe('refunds')
    expect(extensions).toMatchObject({ host: { x: 1 } })
  })

  test.each([
    ['dir/refund.agent.yaml', 'refund'],
    ['refund.yml', 'refund'],
    ['C:\\agents\\refund.agent.yaml', 'refund'],
    ['.agent.yaml', 'agent'],
    ['notes', 'notes']
  ])('without a name is called after its file: %s', async (file, name) => {
    expect((await parse(HEAD, file)).definition.name).toBe(name)
  })

  test('is read from JSON by the rules of JSON', async () => {
    const { definition } = await parse('{"schemaVersion":"1.0","model":{"ref":"fast"},"name":"x"}', 'a.json')
    expect(definition).toEqual({ name: 'x', model: { ref: 'fast' } })
    expect(toCodes(await problemsOf(() => parse('{"schemaVersion":1.0,"model":{"ref":"fast"},"name":7}', 'a.json')))).toEqual([
      'invalid schemaVersion',
      'invalid name'
    ])
  })

  // B063
  test('keeps plain values as they were written where a text is meant', async () => {
    const { definition } = await parse(`
schemaVersion: 1.0
name: 007
description: 1.10
model: { provider: on, model: 4.10, settings: { stopSequences: [1e3] } }
variables:
  - { key: version, type: string, value: 1.10 }
  - { key: zip, type: string, value: 01234 }
  - { key: country, type: string, value: NO }
  - { key: flag, type: string, value: true }
  - { key: number, type: number, value: 1.10 }
`)
    expect(definition.name).toBe('007')
    expect(definition.description).toBe('1.10')
    expect(definition.model).toEqual({ provider: 'on', model: '4.10', settings: { stopSequences: ['1e3'] } })
    expect(definition.variables?.map(({ value }) => value)).toEqual(['1.10', '01234', 'NO', 'true', 1.1])
  })

  // B066
  test('takes null for no text', async () => {
    expect(await codesOf('name: ~\nvariables: [{ key: a, type: string, value: null }]')).toEqual([
      'invalid name',
      'invalid variables[0].value'
    ])
  })
})

describe('the problems of a manifest', () => {
  test('are told together, in their order, each where it stands', async () => {
    const problems = await problemsOf(() =>
      parse(`
schemaVersion: "1.0"
model: { provder: openai, model: x }
systemPromt: hi
prompt: "{{ a b }}"
limits:
  maxTurns: 4
  maxTurns: 5
variables:
  - { key: x, type: text }
outputSchema: { type: objekt }
`)
    )
    expect(problems.map(({ line, column, code, path }) => `${line}:${column} ${code} ${path}`)).toEqual([
      '3:8 missing model.provider',
      '3:10 unknown_field model.provder',
      '4:1 unknown_field systemPromt',
      '5:9 template prompt',
      '8:3 duplicate limits.maxTurns',
      '10:21 invalid variables[0].type',
      '11:15 invalid outputSchema'
    ])
    expect(problems.every(({ file }) => file === 'a.agent.yaml')).toBe(true)
    expect(problems.map(({ nearMiss }) => nearMiss).filter(Boolean)).toEqual(['provider', 'systemPrompt'])
    expect(problems[4]?.related).toEqual({ line: 7, column: 3 })
  })

  test('stand in the message, too', async () => {
    const { message } = await refusalOf('invalid_manifest', () => parse(`${HEAD}promt: x`))
    expect(message).toMatch(/a\.agent\.yaml:3:1: promt: .*"prompt"/)
  })

  test('are at most fifty, and the rest is counted', async () => {
    const fields = Array.from({ length: 60 }, (_, index) => `field${index}: 1`).join('\n')
    const { details } = await refusalOf('invalid_manifest', () => parse(HEAD + fields))
    expect(details['problems']).toHaveLength(50)
    expect(details['total']).toBe(60)
  })

  test.each<[string, string]>([
    ['', 'invalid '],
    ['[]', 'invalid '],
    ['a: [1', 'syntax '],
    ['a: &a {x: *a}', 'alias_cycle a.x']
  ])('of %j', async (text, code) => {
    expect(toCodes(await problemsOf(() => parse(text)))).toContain(code)
  })

  test('name what is missing', async () => {
    expect(toCodes(await problemsOf(() => parse('name: x')))).toEqual(['missing schemaVersion', 'missing model'])
    expect(toCodes(await problemsOf(() => parse('schemaVersion: "1.1"\nmodel: fast')))).toEqual(['invalid schemaVersion', 'invalid model'])
  })

  test.each([...['steps', 'connections', 'contextStrategy', 'skills']])(
    'tell %s, which a later version runs, from a field that nobody knows',
    async (field) => {
      const [problem] = await problemsOf(() => parse(`${HEAD}${field}: []`))
      expect(problem).toMatchObject({ code: 'unsupported', path: field, line: 3, column: 1 })
    }
  )

  test('tell where the entries of hooks are none', async () => {
    const fields = 'hooks: [audit, { name: trace, options: { level: high } }, { nam: x }]'
    expect(await codesOf(fields)).toEqual(['missing hooks[2].name', 'unknown_field hooks[2].nam'])
    const { definition } = await parse(`${HEAD}hooks: [audit, { name: trace, options: { level: high } }]`)
    expect(definition.hooks).toEqual(['audit', { name: 'trace', options: { level: 'high' } }])
  })

  test('tell later fields of parts of a manifest, too', async () => {
    expect(await codesOf('limits: { maxSteps: 1, maxDepth: 2 }')).toEqual(['unsupported limits.maxSteps', 'unsupported limits.maxDepth'])
  })

  test('say of a workflow only that it is one', async () => {
    expect(toCodes(await problemsOf(() => parse('schemaVersion: "1.0"\nsteps: [{ id: a, type: prompt }]')))).toEqual(['unsupported steps'])
  })

  test('include fields that do not go together', async () => {
    const both = 'schemaVersion: "1.0"\nmodel: { ref: a, provider: b, model: c }'
    expect(toCodes(await problemsOf(() => parse(both)))).toEqual(['invalid model.ref'])
  })

  test('include settings out of their range', async () => {
    const settings = 'temperature: -1, topP: 2, topK: 0, seed: 1.5, toolChoice: maybe, stopSequences: x, maxOutputTokens: 0'
    const codes = toCodes(await problemsOf(() => parse(`schemaVersion: "1.0"\nmodel: { ref: a, settings: { ${settings} } }`)))
    expect(codes).toEqual(
      ['temperature', 'topP', 'topK', 'seed', 'toolChoice', 'stopSequences', 'maxOutputTokens'].map(
        (field) => `invalid model.settings.${field}`
      )
    )
  })

  test('include the reserved namespace of extensions', async () => {
    expect(await codesOf('extensions: { agentRuntime: { stateKey: x } }')).toEqual(['invalid extensions.agentRuntime.stateKey'])
    expect(await codesOf('extensions: { x: 1 }')).toEqual(['invalid extensions.x'])
  })
})

describe('limits of a manifest', () => {
  // B108
  test.each([...['0', '-1', '-0', '1.5', '"10"', '5m', '1h30m', '""', 'null', '~', 'true', '[]', 'free', '1e300', '9007199254740991.5']])(
    'are refused when they are %s',
    async (value) => {
      const [problem, ...rest] = await problemsOf(() => parse(`${HEAD}limits:\n  toolTimeoutMs: ${value}`))
      expect(rest).toEqual([])
      expect(problem).toMatchObject({ code: 'invalid', path: 'limits.toolTimeoutMs', line: 4, column: 18 })
    }
  )

  // B108
  test.each(['.inf', '.nan', '1e999'])('are refused when they are %s', async (value) => {
    expect(await codesOf(`limits: { maxTurns: ${value} }`)).toEqual(['number_infinite limits.maxTurns'])
  })

  // B108
  test.each([
    ['3e9', 3e9],
    ['2160000000', 2_160_000_000],
    ['1', 1]
  ])('are kept when they are %s', async (text, value) => {
    expect((await parse(`${HEAD}limits: { runTimeoutMs: ${text} }`)).definition.limits).toEqual({ runTimeoutMs: value })
  })
})

describe('declared variables', () => {
  // B064 B068
  test.each([
    'a.b',
    '""',
    '" "',
    '"items[0]"',
    '"\\u200bx"',
    '1',
    '"a b"',
    'true',
    'empty',
    `"${'x'.repeat(101)}"`,
    '__proto__',
    'constructor'
  ])('may not be called %s, which no template could name', async (key) => {
    expect(await codesOf(`variables:\n  - key: ${key}\n    type: string`)).toEqual(['invalid variables[0].key'])
  })

  // B068
  test('may be called in any script', async () => {
    const { definition } = await parse(
      `${HEAD}variables: [{ key: café, type: string }, { key: x-y, type: string }, { key: ' αβ ', type: string }]`
    )
    expect(definition.variables?.map(({ key }) => key)).toEqual(['café', 'x-y', 'αβ'])
  })

  // B068
  test('may not differ only in case or composition', async () => {
    const variables =
      '[{ key: Name, type: string }, { key: name, type: string }, { key: "caf\\u00e9", type: json }, { key: "cafe\\u0301", type: json }]'
    expect(await codesOf(`variables: ${variables}`)).toEqual(['duplicate variables[1].key', 'duplicate variables[3].key'])
  })

  test.each<[string, string]>([
    ['number', '"1"'],
    ['boolean', '0'],
    ['object', '[]'],
    ['array', '{}'],
    ['json', 'x'],
    ['string', '[]']
  ])('of type %s do not hold %s', async (type, value) => {
    expect(await codesOf(`variables: [{ key: a, type: ${type}, value: ${value} }]`)).toEqual(['invalid variables[0].value'])
  })

  // B066
  test('are the only names that templates may use', async () => {
    const problems = await problemsOf(() =>
      parse(
        `${HEAD}prompt: "{{ Order.id }} {{ oder.id }}"\nsystemPrompt: "{{ x | default: y }}"\nvariables: [{ key: order, type: object }]`
      )
    )
    expect(toCodes(problems)).toEqual(['unknown_variable prompt', 'unknown_variable systemPrompt', 'unknown_variable systemPrompt'])
    expect(problems[0]?.nearMiss).toBe('order')
  })
})

describe('the variables of a run', () => {
  const declarations: readonly VariableDeclaration[] = [
    { key: 'a', type: 'string', value: 'x' },
    { key: 'b', type: 'number' },
    { key: 'c', type: 'json', requiresOverride: true, value: {} }
  ]
  const problemsWith = async (overrides: { readonly [key: string]: Json }) => {
    const { details } = await refusalOf('invalid_input', () => resolveVariables(declarations, overrides))
    return (details['problems'] as unknown as { readonly key: string; readonly code: string }[]).map(({ key, code }) => `${code} ${key}`)
  }

  test('are the declared values, replaced whole', () => {
    expect(resolveVariables(declarations, { c: [1] })).toEqual({ a: 'x', c: [1] })
    expect(resolveVariables(declarations, { a: '', b: 0, c: {} })).toEqual({ a: '', b: 0, c: {} })
  })

  test('must be declared, by their exact key', async () => {
    expect(await problemsWith({ A: 'x', toString: 'x', c: {} })).toEqual(['unknown_variable A', 'unknown_variable toString'])
    const { details } = await refusalOf('invalid_input', () => resolveVariables(declarations, { A: 'x', c: {} }))
    expect(details['problems']).toMatchObject([{ key: 'A', nearMiss: 'a', expected: 'one of a, b, c' }])
  })

  test('must be given when they are required, whatever their value', async () => {
    expect(await problemsWith({})).toEqual(['missing c'])
  })

  test('must be of the declared type', async () => {
    expect(await problemsWith({ a: 1, b: '1', c: 'x' })).toEqual(['invalid a', 'invalid b', 'invalid c'])
    expect(await problemsWith({ a: null, c: null })).toEqual(['invalid a', 'invalid c'])
  })

  // B064
  test('may not reach a prototype', async () => {
    const overrides = JSON.parse('{"c":{"x":{"__proto__":{"admin":true}}},"__proto__":{"p":1}}') as { [key: string]: Json }
    expect(await problemsWith(overrides)).toEqual(['unknown_variable __proto__', 'reserved_key c'])
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  // B108
  test('must be JSON', async () => {
    expect(await problemsWith({ b: Number.NaN, c: {} })).toEqual(['number_infinite b'])
    expect(await problemsWith({ c: { at: new Date() } as unknown as Json })).toEqual(['invalid c'])
  })
})
