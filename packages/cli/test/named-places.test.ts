import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderWith, holdfast } from './command-kit.ts'
import { refusalOf } from './refusal-kit.ts'

describe('what an agent names and nobody has', () => {
  test.for([
    ['a profile', '{ ref: smal }', 'model_unknown', { line: 3, column: 15, path: 'model.ref' }],
    ['a provider', '{ provider: opnai, model: m }', 'model_unknown', { line: 3, column: 20, path: 'model.provider' }],
    ['a key', '{ provider: openai, model: m }', 'secret_missing', { line: 3, column: 20, path: 'model.provider' }],
    ['a script', '{ provider: scripted, model: ./x.yaml }', 'file_not_found', { line: 3, column: 37, path: 'model.model' }],
    [
      'a model that stands in',
      '{ ref: main, fallbacks: [{ ref: no }] }',
      'model_unknown',
      { line: 3, column: 33, path: 'model.fallbacks[0]' }
    ]
  ] as const)('is told where the manifest names it: %s', async ([, model, code, place]) => {
    const folder = folderWith({
      'agent.yaml': `schemaVersion: "1.0"\nname: x\nmodel: ${model}\n`,
      'holdfast.config.yaml': 'version: "1.0"\nmodels: { main: { provider: scripted, model: ./s.yaml } }\n',
      's.yaml': 'turns: []\n'
    })
    expect(await refusalOf(folder, ['run', 'agent.yaml', 'x'], 2)).toMatchObject({
      code,
      details: { place: { file: 'agent.yaml', ...place } }
    })
    // What the command line says stands in no file.
    const error = await refusalOf(folder, ['run', 'agent.yaml', 'x', '--model', 'nothing'], 2)
    expect(error).toMatchObject({ code: 'model_unknown', details: { name: 'nothing' } })
    expect(error.details).not.toHaveProperty('place')
  })

  test('is told where the manifest names it: tools that are not known, or not granted', async () => {
    const folder = folderWith({
      'agent.yaml': 'schemaVersion: "1.0"\nmodel: { provider: scripted, model: ./s.yaml }\ntools:\n  - fetch-url\n  - { ref: read_file }\n',
      'other.yaml': 'schemaVersion: "1.0"\nmodel: { provider: scripted, model: ./s.yaml }\ntools: [task_complete, nothing]\n',
      's.yaml': 'turns: []\n'
    })
    for (const argv of [
      ['run', 'agent.yaml', 'x'],
      ['tools', 'agent.yaml']
    ]) {
      expect(await refusalOf(folder, argv, 2)).toMatchObject({
        code: 'tool_unknown',
        details: {
          ungranted: [
            { tool: 'fetch_url', file: 'agent.yaml', line: 4, column: 5 },
            { tool: 'read_file', file: 'agent.yaml', line: 5, column: 5 }
          ]
        }
      })
    }
    expect(await refusalOf(folder, ['run', 'other.yaml', 'x'], 2)).toMatchObject({
      code: 'tool_unknown',
      details: { unknown: [{ reference: 'nothing', file: 'other.yaml', line: 3, column: 24 }] }
    })
  })

  test('is told where the configuration names it: a tools module', async () => {
    const folder = folderWith({
      'agent.yaml': 'schemaVersion: "1.0"\nmodel: { provider: scripted, model: ./s.yaml }\n',
      'holdfast.config.yaml': 'version: "1.0"\ntools:\n  - ./sound.mjs\n  - ./nowhere.mjs\n',
      'sound.mjs': 'export const echo = { name: "echo", description: "Says it.", input: {}, execute: () => 1 }\n',
      's.yaml': 'turns: []\n'
    })
    const place = { file: join(folder, 'holdfast.config.yaml'), line: 4, column: 5, path: 'tools[1]' }
    expect(await refusalOf(folder, ['run', 'agent.yaml', 'x'], 2)).toMatchObject({ code: 'file_not_found', details: { place } })
    const named = await refusalOf(folder, ['run', 'agent.yaml', 'x', '--tools', 'elsewhere.mjs'], 2)
    expect(named.details).toMatchObject({ place })
  })

  test('is told with the file of the configuration: a store from a variable that is not set, or of another kind', async () => {
    const folder = folderWith({ 'holdfast.config.yaml': 'version: "1.0"\nstore: { env: MY_STORE }\n' })
    const path = join(folder, 'holdfast.config.yaml')
    expect(await refusalOf(folder, ['threads'], 2)).toMatchObject({ code: 'secret_missing', details: { path, variable: 'MY_STORE' } })
    const env = { MY_STORE: 'postgres://h/d' }
    expect(await refusalOf(folder, ['threads'], 2, { env })).toMatchObject({ code: 'invalid_config', details: { path } })
  })

  test('names the variable that a key is looked for in', async () => {
    const folder = folderWith({ 'agent.yaml': 'schemaVersion: "1.0"\nmodel: { provider: groq, model: m }\n' })
    const told = await holdfast(folder, ['run', 'agent.yaml', 'x'])
    expect(told).toMatchObject({ code: 2, stderr: expect.stringContaining('GROQ_API_KEY=…') })
  })
})
