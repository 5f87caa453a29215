import { describe, expect, test } from 'vitest'
import type { AgentDefinition } from '../src/contracts/api.ts'
import { defineTool } from '../src/define-tool.ts'
import { parseAgentManifest } from '../src/manifest/agent-manifest.ts'
import { freezeInitialPrompts } from '../src/manifest/initial-prompts.ts'
import { freezeDefinition } from '../src/manifest/publish.ts'
import { problemsOf, toCodes } from './refusal.ts'

const HEAD =
  'schemaVersion: "1.0"\nmodel: { ref: fast }\nname: a\ntools: [/os/read-file, pay]\nvariables: [{ key: who, type: string, value: Ann }]\n'
const parse = (text: string) => parseAgentManifest(HEAD + text, 'a.agent.yaml')
const problems = (text: string) => problemsOf(() => parse(text))

const readFile = defineTool({
  name: 'read_file',
  description: 'Reads.',
  effect: 'read',
  input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'], additionalProperties: false },
  execute: () => 'text'
})
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object', properties: { amount: { type: 'integer', minimum: 1 } }, required: ['amount'], additionalProperties: false },
  execute: () => 'paid'
})
const base = {
  name: 'a',
  model: { ref: 'fast' },
  tools: [readFile, pay, 'ask_user'],
  variables: [{ key: 'n', type: 'string', value: '5' }]
} satisfies AgentDefinition
const freeze = (initialPrompts: unknown, more: object = {}) =>
  freezeDefinition({ ...base, ...more, initialPrompts } as AgentDefinition, [readFile, pay])
const call = (tool: string, args?: unknown) => [{ toolCalls: [{ tool, ...(args === undefined ? {} : { arguments: args }) }] }]

describe('initial prompts in a manifest', () => {
  test('are read as they are written', async () => {
    const { definition } = await parse(`initialPrompts:
  - { role: system, prompt: "You serve {{ who }}." }
  - prompt: Look at this first.
    toolCalls:
      - { tool: /os/read-file, arguments: { path: "notes/{{ who }}.md" } }
      - tool: pay
  - prompt: 12
`)
    expect(definition.initialPrompts).toEqual([
      { role: 'system', prompt: 'You serve {{ who }}.' },
      {
        prompt: 'Look at this first.',
        toolCalls: [{ tool: '/os/read-file', arguments: { path: 'notes/{{ who }}.md' } }, { tool: 'pay' }]
      },
      { prompt: '12' }
    ])
  })

  test.each([
    ['initialPrompts: go', 'invalid initialPrompts', 6, 17],
    ['initialPrompts: [{}]', 'missing initialPrompts[0]', 6, 18],
    ['initialPrompts: [{ toolCalls: [] }]', 'missing initialPrompts[0]', 6, 18],
    ['initialPrompts: [{ role: assistant, prompt: x }]', 'invalid initialPrompts[0].role', 6, 26],
    ['initialPrompts: [{ promt: x }]', 'unknown_field initialPrompts[0].promt', 6, 20],
    ['initialPrompts: [{ toolCalls: [{ arguments: {} }] }]', 'missing initialPrompts[0].toolCalls[0].tool', 6, 32],
    ['initialPrompts: [{ toolCalls: [{ tool: pay, args: {} }] }]', 'unknown_field initialPrompts[0].toolCalls[0].args', 6, 45],
    ['initialPrompts: [{ toolCalls: [{ tool: pay, arguments: [1] }] }]', 'invalid initialPrompts[0].toolCalls[0].arguments', 6, 56],
    ['initialPrompts: [{ toolCalls: [{ tool: pya }] }]', 'invalid initialPrompts[0].toolCalls[0].tool', 6, 40],
    ['initialPrompts: [{ toolCalls: [{ tool: task_complete }] }]', 'invalid initialPrompts[0].toolCalls[0].tool', 6, 40],
    ['initialPrompts: [{ prompt: "{{ whom }}" }]', 'unknown_variable initialPrompts[0].prompt', 6, 28],
    ['initialPrompts: [{ prompt: "{{ who" }]', 'template initialPrompts[0].prompt', 6, 28],
    [
      'initialPrompts: [{ toolCalls: [{ tool: pay, arguments: { a: [{ b: "{{ whom }}" }] } }] }]',
      'unknown_variable initialPrompts[0].toolCalls[0].arguments.a[0].b',
      6,
      67
    ]
  ])('%s is told where it stands', async (text, code, line, column) => {
    const found = await problems(text)
    expect(toCodes(found)).toEqual([code])
    expect(found[0]).toMatchObject({ line, column })
  })

  test('name the tool and the variable that may have been meant', async () => {
    const [tool] = await problems('initialPrompts: [{ toolCalls: [{ tool: pya }] }]')
    expect(tool).toMatchObject({ nearMiss: 'pay', expected: 'one of read_file, pay' })
    const [variable] = await problems('initialPrompts: [{ prompt: "{{ whi }}" }]')
    expect(variable).toMatchObject({ nearMiss: 'who' })
    const [field] = await problems('initialPrompts: [{ promt: x }]')
    expect(field).toMatchObject({ nearMiss: 'prompt' })
  })

  test('say nothing of tools where their list cannot be read', async () => {
    const text = 'schemaVersion: "1.0"\nmodel: { ref: fast }\ntools: 3\ninitialPrompts: [{ toolCalls: [{ tool: pay }] }]'
    expect(toCodes(await problemsOf(() => parseAgentManifest(text, 'a.agent.yaml')))).toEqual(['invalid tools'])
  })
})

describe('initial prompts in a publication', () => {
  test('name their tools as the model does, and say nothing that is the default', async () => {
    const { definition } = await freeze([
      { role: 'user', prompt: 'x', toolCalls: [{ tool: '/os/read-file', arguments: { path: 'a' } }] },
      { role: 'system', prompt: 'y', toolCalls: [] },
      { toolCalls: [{ tool: 'ask-user', arguments: { question: 'Which?' } }] }
    ])
    expect(definition.initialPrompts).toEqual([
      { prompt: 'x', toolCalls: [{ tool: 'read_file', arguments: { path: 'a' } }] },
      { role: 'system', prompt: 'y' },
      { toolCalls: [{ tool: 'ask_user', arguments: { question: 'Which?' } }] }
    ])
  })

  test('are part of its digest; none are as good as an empty list', async () => {
    const { digest, definition } = await freeze(undefined)
    expect(definition).not.toHaveProperty('initialPrompts')
    expect((await freeze([])).digest).toBe(digest)
    const one = (await freeze([{ prompt: 'x' }])).digest
    expect(one).not.toBe(digest)
    expect((await freeze([{ role: 'user', prompt: 'x', toolCalls: [] }])).digest).toBe(one)
    expect((await freeze([{ prompt: 'y' }])).digest).not.toBe(one)
  })

  test.each([
    ['arguments that do not fit', call('pay', { amount: 0 }), 'invalid initialPrompts[0].toolCalls[0].arguments'],
    ['arguments that are missing', call('pay'), 'invalid initialPrompts[0].toolCalls[0].arguments'],
    ['a question without a question', call('ask_user', {}), 'invalid initialPrompts[0].toolCalls[0].arguments'],
    ['a tool that the definition has not got', call('mail', {}), 'invalid initialPrompts[0].toolCalls[0].tool'],
    ['task_complete', call('task_complete', { result: 1 }), 'invalid initialPrompts[0].toolCalls[0].tool'],
    ['a template of another language', call('pay', { amount: '{{ n }' }), 'template initialPrompts[0].toolCalls[0].arguments.amount'],
    ['what is no JSON', call('pay', { amount: Number.NaN }), 'number_infinite initialPrompts[0].toolCalls[0].arguments.amount']
  ])('refuse %s', async (_, initialPrompts, code) => {
    expect(toCodes(await problemsOf(() => freeze(initialPrompts)))).toEqual([code])
  })

  test('take arguments with a template as they are: they are judged when they are rendered', async () => {
    const { definition } = await freeze(call('read_file', { path: '{{ n }}.md' }))
    expect(definition.initialPrompts).toEqual(call('read_file', { path: '{{ n }}.md' }))
  })

  test('make no more calls at once than one answer may', async () => {
    const toolCalls = [1, 2, 3].map((amount) => ({ tool: 'pay', arguments: { amount } }))
    const limits = { maxToolCallsPerIteration: 2 }
    expect(toCodes(await problemsOf(() => freeze([{ toolCalls }], { limits })))).toEqual(['too_large initialPrompts[0].toolCalls'])
    await freeze([{ toolCalls: toolCalls.slice(1) }, { toolCalls: toolCalls.slice(2) }], { limits })
  })
})

test('a tool that only a publication knows of is looked for there', async () => {
  const prompts = [{ toolCalls: [{ tool: 'pya' }, { tool: 'task_complete', arguments: { result: 1 } }, { tool: '/x/pay' }] }]
  const descriptors = (await freeze(undefined, { tools: [...base.tools, 'task_complete'] })).definition.tools
  const frozen = await freezeInitialPrompts(prompts, descriptors, {})
  expect(frozen.ok ? [] : frozen.faults).toMatchObject([
    { path: ['initialPrompts', 0, 'toolCalls', 0, 'tool'], nearMiss: 'pay' },
    { path: ['initialPrompts', 0, 'toolCalls', 1, 'tool'] },
    { path: ['initialPrompts', 0, 'toolCalls', 2, 'arguments'] }
  ])
})
