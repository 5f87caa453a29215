import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadAgents, loadConfig, NO_CONFIG } from '../src/index.ts'
import { problemsOf } from './problems-of.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-agents-'))
  await mkdir(join(folder, 'agents'))
  await writeFile(join(folder, 'agents/good.yaml'), 'schemaVersion: "1.0"\nname: good one\nmodel: { ref: main }\n')
  await writeFile(join(folder, 'agents/bad.yaml'), 'schemaVersion: "1.0"\nmodle: { ref: main }\n')
})
afterAll(() => rm(folder, { recursive: true }))

async function load(agents: string) {
  const file = join(folder, 'holdfast.config.yaml')
  await writeFile(file, `version: "1.0"\nagents:\n${agents}`)
  return loadAgents(await loadConfig(file))
}

describe('the agents that a configuration registers', () => {
  test('are read from beside the configuration, under their names', async () => {
    const agents = await load('  refunds: ./agents/good.yaml\n')
    expect(agents).toMatchObject({ refunds: { path: join(folder, 'agents/good.yaml'), manifest: { definition: { name: 'good one' } } } })
    expect(await loadAgents(NO_CONFIG)).toEqual({})
  })

  test('are told all at once when they cannot be used: in the configuration, and in their own files', async () => {
    const problems = await problemsOf(
      load('  one: ./agents/good.yaml\n  two: ./agents/none.yaml\n  three: ./agents/bad.yaml\n  four: ./agents\n')
    )
    const config = join(folder, 'holdfast.config.yaml')
    const bad = join(folder, 'agents/bad.yaml')
    expect(problems).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ file: config, line: 4, column: 8, path: 'agents.two' }),
        expect.objectContaining({ file: config, line: 5, column: 10, path: 'agents.three' }),
        expect.objectContaining({ file: bad, code: 'unknown_field', line: 2, column: 1, path: 'modle', nearMiss: 'model' }),
        expect.objectContaining({ file: config, line: 6, column: 9, path: 'agents.four' })
      ])
    )
    expect(problems.filter(({ path }) => path === 'agents.one')).toEqual([])
  })

  test('need no file of a configuration', async () => {
    const agents = { good: join(folder, 'agents/good.yaml') }
    expect(Object.keys(await loadAgents({ ...NO_CONFIG, agents }))).toEqual(['good'])
    await expect(loadAgents({ ...NO_CONFIG, agents: { none: join(folder, 'none') } })).rejects.toMatchObject({
      code: 'invalid_config',
      details: { problems: [{ path: 'agents.none', line: 0 }] }
    })
  })
})
