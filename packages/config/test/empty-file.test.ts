import { parseAgentManifest } from '@holdfast/runtime'
import { describe, expect, test } from 'vitest'
import { parseConfig, parseScript } from '../src/index.ts'

/** What a file must have, at least. */
const READERS: readonly (readonly [what: string, code: string, wanted: string, read: (text: string) => Promise<unknown>])[] = [
  ['an agent', 'invalid_manifest', 'schemaVersion, model', (text) => parseAgentManifest(text, 'a.yaml')],
  ['a configuration', 'invalid_config', 'version', (text) => parseConfig(text, 'a.yaml')],
  ['the script of a model', 'invalid_config', 'turns', (text) => parseScript(text, 'a.yaml')]
]

describe.each(READERS)('a file without %s in it', (_, code, wanted, read) => {
  test.each(['', '\n\n', '# only a comment\n', '---\n', 'null\n'])('is told what belongs there: %j', async (text) => {
    const problem = { code: 'invalid', file: 'a.yaml', path: '', expected: expect.stringContaining(wanted) }
    await expect(read(text)).rejects.toMatchObject({ code, details: { problems: [problem] } })
  })
})
