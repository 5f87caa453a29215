import { describe, expect, test } from 'vitest'
import { parseAgentManifest } from '../src/manifest/agent-manifest.ts'
import { problemsOf } from './refusal.ts'

const HEAD = 'schemaVersion: "1.0"\nmodel: { ref: fast }\n'
const parse = (text: string) => parseAgentManifest(text, 'a.agent.yaml')

describe('problems of a manifest', () => {
  test('say what is near to a word that is none', async () => {
    const problems = await problemsOf(() => parse(`${HEAD}tools: [{ ref: a, effect: idempotant }]\n`))
    expect(problems).toMatchObject([{ code: 'invalid', path: 'tools[0].effect', nearMiss: 'idempotent' }])
  })

  test.each([
    ['limits: { maxTurns: "12" }', '"12"'],
    ['limits: { maxTurns: 0 }', '0'],
    ['budget: { maxCost: -3 }', '-3']
  ])('say which number came: %s', async (text, shown) => {
    const [problem] = await problemsOf(() => parse(HEAD + text))
    expect(problem?.message).toContain(shown)
  })
})
