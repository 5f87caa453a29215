import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ScriptTurn } from '../src/models/script-turn.ts'
import { fileTools } from '../src/tools/file-tools.ts'
import { twoFolders } from './file-kit.ts'
import { agentOf, outcomesOf, recordingModel, resultsIn, runtimeFor, within } from './runtime-kit.ts'

type Call = NonNullable<ScriptTurn['toolCalls']>[number]

/** Runs an agent with file tools in a root that makes these calls, one in each turn. */
async function run(inside: string, references: readonly string[], calls: readonly Call[]) {
  const model = recordingModel(({ answers }) => {
    const call = calls[answers]
    return call === undefined ? { text: 'done' } : { toolCalls: [call] }
  })
  const tools = fileTools({ read: [inside], write: [inside], hidden: [join(inside, '.holdfast')] })
  const handle = await runtimeFor(model, { tools }).start(agentOf({ tools: references }), { input: 'go' })
  const result = await within(handle.settled())
  return { result, outcomes: await outcomesOf(handle), shown: [...resultsIn(model.prompts.at(-1)).values()] }
}

test('an agent finds file tools by their paths, writes, edits, reads, lists and searches', async () => {
  // B103
  const { inside } = await twoFolders()
  const references = ['/agent-tools/os/read-file', 'write-file', 'os/edit_file', '/x/list-directory/', 'search_files']
  const { result, outcomes, shown } = await run(inside, references, [
    { name: 'write_file', arguments: { path: 'notes/a.md', content: 'one\ntwo\n' } },
    { name: 'edit_file', arguments: { path: 'notes/a.md', oldText: 'two', newText: 'three' } },
    { name: 'read_file', arguments: { path: 'notes/a.md' } },
    { name: 'list_directory', arguments: { depth: 2 } },
    { name: 'search_files', arguments: { pattern: '^th.*e$', regex: true } }
  ])
  expect(result).toMatchObject({ status: 'completed', text: 'done' })
  expect(outcomes).toEqual(['ok', 'ok', 'ok', 'ok', 'ok'])
  expect(shown).toMatchObject([
    { value: { path: 'notes/a.md', created: true } },
    { value: { applied: 'now', places: 1 } },
    { value: expect.stringMatching(/^notes\/a\.md: lines 1-2 of 2, .*\n\none\nthree\n$/) },
    { value: { entries: [{ name: 'notes' }, { name: 'notes/a.md', size: 10 }] } },
    { value: { files: [{ path: 'notes/a.md', lines: [{ line: 2, text: 'three' }] }] } }
  ])
  expect(readFileSync(join(inside, 'notes/a.md'), 'utf8')).toBe('one\nthree\n')
})

test('a refusal is a result that names its reason first, and the run goes on', async () => {
  // B103
  const { inside } = await twoFolders()
  mkdirSync(join(inside, '.holdfast'))
  writeFileSync(join(inside, 'f'), 'a a')
  const { result, outcomes, shown } = await run(
    inside,
    ['read_file', 'edit_file', 'write_file'],
    [
      { name: 'read_file', arguments: { path: '/etc/passwd' } },
      { name: 'edit_file', arguments: { path: 'f', oldText: 'a', newText: 'b' } },
      { name: 'write_file', arguments: { path: '.holdfast/f', content: '' } },
      { name: 'read_file', arguments: { path: 'g\u001b[2J' } },
      { name: 'read_file', arguments: { path: 'f', offset: 0 } },
      { name: 'edit_file', arguments: { path: 'f', old: 'a', newText: 'b' } }
    ]
  )
  expect(result).toMatchObject({ status: 'completed' })
  expect(outcomes).toEqual(['error', 'error', 'error', 'error', 'blocked', 'blocked'])
  expect(shown.map((output) => /^[a-z_]+(?=: )/.exec(String(output.value))?.[0]).slice(0, 4)).toEqual([
    'outside_roots',
    'not_unique',
    'hidden',
    'not_found'
  ])
  expect(shown.filter((output) => String(output.value).includes('\u001b'))).toEqual([])
})
