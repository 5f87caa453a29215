import { describe, expect, test } from 'vitest'
import type { Tool } from '../src/contracts/tool.ts'
import { defineTool } from '../src/define-tool.ts'
import { freezeDefinition } from '../src/manifest/publish.ts'

describe('a tool that `defineTool` did not make', () => {
  const made = defineTool({ name: 'act', description: 'Acts.', input: { type: 'object' }, effect: 'read', execute: () => 1 })

  test('is as good as one that it made when it is whole', async () => {
    const own = { ...made }
    expect(await freezeDefinition({ name: 'a', model: { ref: 'm' }, tools: [own] })).toEqual(
      await freezeDefinition({ name: 'a', model: { ref: 'm' }, tools: [made] })
    )
  })

  // What it lacks would be lacking in the publication, for good: no export of such a thread could be imported.
  test.each<[string, object]>([
    ['effect', { effect: undefined }],
    ['effect', { effect: 'reed' }],
    ['parallelSafe', { parallelSafe: undefined }],
    ['parallelSafe', { parallelSafe: 'yes' }],
    ['description', { description: undefined }],
    ['timeoutMs', { timeoutMs: '10' }],
    ['approval', { approval: 'ask' }],
    ['input', { input: { type: 'object' } }],
    ['input', { input: { kind: 'standard', jsonSchema: {} } }],
    ['name', { name: 'a b' }]
  ])('is refused for its %s: %j', async (field, over) => {
    const own = { ...made, ...over } as Tool<never>
    await expect(freezeDefinition({ name: 'a', model: { ref: 'm' }, tools: [own] })).rejects.toMatchObject({
      code: 'invalid_tools',
      details: { field }
    })
  })
})
