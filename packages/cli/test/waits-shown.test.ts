import { describe, expect, test } from 'vitest'
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
