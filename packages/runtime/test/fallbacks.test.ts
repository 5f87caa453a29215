import { describe, expect, test } from 'vitest'
import type { AgentDefinition } from '../src/contracts/api.ts'
import type { ModelReference } from '../src/contracts/publication.ts'
import { defineTool } from '../src/define-tool.ts'
import { parseAgentManifest } from '../src/manifest/agent-manifest.ts'
import { freezeDefinition } from '../src/manifest/publish.ts'
import { scriptedModel } from '../src/models/scripted-model.ts'
import { createRuntime } from '../src/runtime.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { problemsOf, toCodes } from './refusal.ts'

const mail = defineTool({ name: 'send-mail', description: 'Sends.', input: { type: 'object' }, execute: () => null })
const freeze = (extra: object) => freezeDefinition({ name: 'a', ...extra } as AgentDefinition, [mail])
const parse = (text: string) => parseAgentManifest(text, 'a.yaml')

describe('the models that stand in', () => {
  const model = {
    ref: 'main',
    fallbacks: [{ ref: 'small' }, { provider: 'p', model: 'm', settings: { toolChoice: { tool: 'send_mail' } } }]
  }

  test('are frozen in their order, and choose a tool as the first one does', async () => {
    const { definition } = await freeze({ tools: ['send-mail'], model })
    expect(definition.model).toEqual({
      ref: 'main',
      fallbacks: [{ ref: 'small' }, { provider: 'p', model: 'm', settings: { toolChoice: { tool: 'send-mail' } } }]
    })
    const wrong = { ref: 'main', fallbacks: [{ ref: 'small', settings: { toolChoice: { tool: 'sent' } } }] }
    expect(toCodes(await problemsOf(() => freeze({ tools: ['send-mail'], model: wrong })))).toEqual([
      'invalid model.fallbacks[0].settings.toolChoice.tool'
    ])
  })

  test('are those of the profile where the definition lists none', async () => {
    const models = { fallbacksOf: ({ fallbacks }: ModelReference) => fallbacks ?? [{ ref: 'small' }] }
    const frozen = async (reference: ModelReference) => (await freezeDefinition({ name: 'a', model: reference }, [], { models })).definition
    expect((await frozen({ ref: 'main' })).model).toEqual({ ref: 'main', fallbacks: [{ ref: 'small' }] })
    expect((await frozen({ ref: 'main', fallbacks: [{ ref: 'b' }] })).model).toEqual({ ref: 'main', fallbacks: [{ ref: 'b' }] })
    expect((await frozen({ ref: 'main', fallbacks: [] })).model).toEqual({ ref: 'main' })
  })

  test('make another publication, and none at all the same as an empty list', async () => {
    const digest = async (extra: object) => (await freeze(extra)).digest
    const plain = await digest({ model: { ref: 'main' } })
    expect(await digest({ model: { ref: 'main', fallbacks: [] } })).toBe(plain)
    const one = await digest({ model: { ref: 'main', fallbacks: [{ ref: 'a' }, { ref: 'b' }] } })
    expect(one).not.toBe(plain)
    expect(await digest({ model: { ref: 'main', fallbacks: [{ ref: 'b' }, { ref: 'a' }] } })).not.toBe(one)
  })

  test('must be among the models of the runtime', async () => {
    await using store = memoryStore()
    await using runtime = createRuntime({ store, models: { main: scriptedModel({ turns: [] }) }, concurrency: 0 })
    await expect(runtime.publish({ name: 'a', model: { ref: 'main', fallbacks: [{ ref: 'smal' }] } })).rejects.toMatchObject({
      code: 'model_unknown'
    })
    const { definition } = await runtime.publish({ name: 'a', model: { ref: 'main', fallbacks: [{ ref: 'main' }] } })
    expect(definition.model.fallbacks).toEqual([{ ref: 'main' }])
  })

  test('are told in a manifest, each at its place, when something is wrong with them', async () => {
    const text = (fallbacks: string) => `schemaVersion: "1.0"\nmodel: { ref: a, fallbacks: ${fallbacks} }`
    const wrong = '[{ ref: b, modle: m }, small, { provider: p }, { ref: c, fallbacks: [] }, { ref: d, settings: { topP: 2, sed: 1 } }]'
    expect(toCodes(await problemsOf(() => parse(text(wrong)))).toSorted()).toEqual([
      'invalid model.fallbacks[1]',
      'invalid model.fallbacks[4].settings.topP',
      'missing model.fallbacks[2].model',
      'unknown_field model.fallbacks[0].modle',
      'unknown_field model.fallbacks[3].fallbacks',
      'unknown_field model.fallbacks[4].settings.sed'
    ])
    expect(toCodes(await problemsOf(() => parse(text('{ ref: b }'))))).toEqual(['invalid model.fallbacks'])
    expect(toCodes(await problemsOf(() => parse(text(JSON.stringify(Array(17).fill({ ref: 'b' }))))))).toEqual(['invalid model.fallbacks'])
  })
})
