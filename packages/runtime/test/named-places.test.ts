import { describe, expect, test } from 'vitest'
import { HoldfastError } from '../src/contracts/errors.ts'
import { defineTool } from '../src/define-tool.ts'
import { parseAgentManifest } from '../src/manifest/agent-manifest.ts'
import { toPlacedError } from '../src/manifest/placed-error.ts'
import { freezeDefinition } from '../src/manifest/publish.ts'
import { findPlace } from '../src/manifest/written-source.ts'
import { problemsOf, refusalOf } from './refusal.ts'

const registry = [
  defineTool({ name: 'refund', description: 'Does it.', input: { type: 'object' }, effect: 'idempotent', execute: () => null })
]

describe('what is wrong with a definition of a file', () => {
  const read = async (text: string) => (await parseAgentManifest(`schemaVersion: "1.0"\n${text}`, 'desk.yaml')).definition

  test('is told at its place: tools that are not known', async () => {
    const text = 'schemaVersion: "1.0"\nmodel: { ref: m }\ntools:\n  - refund\n  - { ref: nothing }\n'
    const { definition } = await parseAgentManifest(text, 'desk.yaml')
    const { details } = await refusalOf('tool_unknown', () => freezeDefinition({ ...definition, description: 'changed' }, registry))
    expect(details['unknown']).toMatchObject([{ path: 'tools[1]', file: 'desk.yaml', line: 5, column: 5 }])
    const inCode = await refusalOf('tool_unknown', () => freezeDefinition({ ...definition, tools: ['refund', 'nothing'] }, registry))
    expect((inCode.details['unknown'] as readonly object[])[0]).not.toHaveProperty('line')
  })

  test.each([
    ['a tool that the model must choose', 'model: { ref: m, settings: { toolChoice: { tool: x } } }', 'model.settings.toolChoice.tool', 50],
    [
      'a call of an initial prompt',
      'model: { ref: m }\ntools: [refund]\ninitialPrompts: [{ role: user, prompt: Hi., toolCalls: [{ tool: refund, arguments: 7 }] }]',
      'initialPrompts[0].toolCalls[0].arguments',
      84
    ]
  ])('is told at its place, also when only publishing finds it: %s', async (_, text, path, column) => {
    const { details } = await refusalOf('invalid_manifest', async () => freezeDefinition(await read(text), registry))
    expect(details['file']).toBe('desk.yaml')
    const problems = await problemsOf(async () => freezeDefinition(await read(text), registry))
    expect(problems).toMatchObject([{ file: 'desk.yaml', line: text.split('\n').length + 1, column, path }])
  })

  test('is told at its place: a model that stands in and is not known', async () => {
    const definition = await read('model:\n  ref: m\n  fallbacks:\n    - { ref: n }\n    - { provider: p, model: o }\n')
    const refuse = (name: string) => () => {
      throw new HoldfastError('model_unknown', 'no', { details: { name } })
    }
    const placeOf = async (name: string) => {
      const { details } = await refusalOf('model_unknown', () =>
        freezeDefinition(definition, [], { models: { fallbacksOf: refuse(name) } })
      )
      return details['place']
    }
    expect(await placeOf('n')).toEqual({ file: 'desk.yaml', line: 5, column: 7, path: 'model.fallbacks[0]' })
    expect(await placeOf('p')).toEqual({ file: 'desk.yaml', line: 6, column: 7, path: 'model.fallbacks[1]' })
    expect(await placeOf('p/o')).toMatchObject({ line: 6 })
    expect(await placeOf('else')).toMatchObject({ line: 3, path: 'model' })
  })

  test('keeps the first place that it was given, and is without one in code', async () => {
    const definition = await read('model: { ref: m }\n')
    const error = new HoldfastError('model_unknown', 'no', { details: { name: 'm' } })
    const placed = toPlacedError(error, definition, ['model', 'ref'])
    expect(placed.details).toEqual({ name: 'm', place: { file: 'desk.yaml', line: 2, column: 15, path: 'model.ref' } })
    expect(toPlacedError(placed, definition, ['model'])).toBe(placed)
    expect(toPlacedError(error, { ...definition, model: { ref: 'm' } }, ['model'])).toBe(error)
    expect(findPlace(definition, ['model', 'nothing', 'here'])).toEqual({ file: 'desk.yaml', line: 2, column: 8 })
    expect(findPlace(definition, [])).toBeUndefined()
  })
})
