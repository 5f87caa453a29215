import type { WaitRow } from '@holdfast/runtime'
import { describe, expect, test } from 'vitest'
import { describeWait } from '../src/wait-text.ts'
import { folderWith, holdfast, threadOf } from './command-kit.ts'
import { scriptedAgent } from './scripted-agent.ts'

describe('whoever looks at a thread', () => {
  test('names each wait with the command that decides about it', async () => {
    const calls = [
      { name: 'stamp', arguments: {} },
      { name: 'ask_user', arguments: { question: 'Which one?' } }
    ]
    const folder = folderWith(
      scriptedAgent([{ toolCalls: calls }, { text: 'done' }], { tools: [{ ref: 'stamp', approval: true }, 'ask_user'] })
    )
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs']))
    const ids = (await holdfast(folder, ['waits', '--ids'])).stdout.trimEnd().split('\n')
    const { next } = JSON.parse((await holdfast(folder, ['explain', thread, '--json'])).stdout) as { readonly next: readonly string[] }
    expect(next).toEqual([`holdfast approve ${ids[0]}`, `holdfast deny ${ids[0]} --reason "..."`, `holdfast answer ${ids[1]} "..."`])
    for (const command of [
      ['show', thread],
      ['wait', thread],
      ['attach', thread]
    ]) {
      const told = await holdfast(folder, command)
      expect(told.stdout + told.stderr).toContain(`holdfast approve ${ids[0]}\n`)
    }
    const { items } = JSON.parse((await holdfast(folder, ['threads', '--json'])).stdout) as {
      readonly items: readonly { readonly waits: unknown }[]
    }
    expect(items[0]?.waits).toEqual([
      { id: ids[0], kind: 'approval' },
      { id: ids[1], kind: 'question' }
    ])
  })
})

test('a wait for several people tells who has approved what', () => {
  const vote = (id: string, more: object = {}) => ({ by: { kind: 'person', id }, decision: { decision: 'approve', ...more }, at: 1 })
  const wait: WaitRow = {
    ...{
      id: 'thr_1:run_1//1.0:approval:1',
      thread: 'thr_1',
      root: 'thr_1',
      path: '',
      kind: 'approval',
      digest: '',
      state: 'open',
      needed: 3
    },
    subject: { tool: 'pay', arguments: { amount: 1 }, asks: ['tool'] },
    votes: [vote('ann'), vote('bob', { arguments: { amount: '2\u202e' } })]
  }
  const lines = describeWait(wait, { asks: [] }).join('\n')
  expect(lines).toContain('3 must approve the same, so far have:')
  expect(lines).toContain('person ann\n')
  expect(lines).toContain(String.raw`person bob with {"amount":"2\u202e"}`)
  expect(describeWait({ ...wait, votes: [] }, { asks: [] }).join('\n')).toContain('3 must approve the same, nobody has')
})
