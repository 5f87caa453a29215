import { expect, test } from 'vitest'
import { freezeDefinition } from '../src/manifest/publish.ts'
import { problemsOf, toCodes } from './refusal.ts'
import { agentOf, toolOf } from './runtime-kit.ts'

test('a tool is held for an approval when it or the definition says so, and no definition takes that back', async () => {
  const held = toolOf('wire', () => null, { approval: { quorum: 2 } })
  const note = toolOf('note', () => null)
  const { definition } = await freezeDefinition(agentOf({ tools: ['wire', { ref: 'note', approval: true }] }), [held, note])
  expect(definition.tools.map(({ approval }) => approval)).toEqual([{ quorum: 2 }, true])
  const widened = () => freezeDefinition(agentOf({ tools: [{ ref: 'wire', approval: false }] }), [held])
  expect(toCodes(await problemsOf(widened))).toEqual(['invalid tools[0].approval'])
})
