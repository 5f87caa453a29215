import { expect, test } from 'vitest'
import { folderWith, holdfast, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

test('holdfast records prints a line of JSON for each turn, the same each time, and one array with --json', async () => {
  const folder = folderWith(scriptedAgent([calling('stamp'), { text: 'done' }], { tools: ['stamp'] }))
  const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs']))
  const told = await holdfast(folder, ['records', thread])
  expect(told).toMatchObject({ code: 0, stderr: '' })
  const records = told.stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown)
  expect(records).toMatchObject([
    { record: 1, thread, calls: [{ tool: 'stamp', outcome: 'ok', result: { inline: { value: 'stamped' } } }] },
    { record: 1, thread, calls: [], end: { status: 'completed' } }
  ])
  expect((await holdfast(folder, ['records', thread])).stdout).toBe(told.stdout)
  expect(JSON.parse((await holdfast(folder, ['records', thread, '--json'])).stdout)).toEqual(records)
  expect(await holdfast(folder, ['records', 'thr_0000000000'])).toMatchObject({ code: 2, stdout: '' })
})
