import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addFiles, folderWith, holdfast, linesOf, startHoldfast, threadOf } from './command-kit.ts'
import { scriptedAgent } from './scripted-agent.ts'

const configOf = (models: object): string => JSON.stringify({ version: '1.0', models })
const MODELS = { main: { provider: 'scripted', model: './script.yaml' } }

describe('a thread whose profile is no longer in the configuration', () => {
  test('stays as it is when it is resumed, names the profile, and goes on with a configuration that has it', async () => {
    const folder = folderWith({
      ...scriptedAgent([{ toolCalls: [{ name: 'pay', arguments: { ms: 60_000 } }] }, { text: 'done' }], {
        model: { ref: 'main' },
        tools: ['pay']
      }),
      'holdfast.config.yaml': configOf(MODELS),
      'other.yaml': configOf(MODELS)
    })
    const running = startHoldfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])
    await running.until(/pay started/)
    running.child.kill('SIGKILL')
    await running.ended
    const thread = threadOf(running.stderr())
    addFiles(folder, { 'holdfast.config.yaml': configOf({}) })
    const read = async () => JSON.parse((await holdfast(folder, ['show', thread, '--json'])).stdout) as { thread: object }
    const before = (await read()).thread
    const ledger = linesOf(join(folder, 'ledger.txt'))
    const told = await holdfast(folder, ['resume', thread, '--json'])
    expect(told.code).toBe(2)
    expect(JSON.parse(told.stdout)).toMatchObject({ error: { code: 'thread_unplaceable', details: { missing: ['model:main'] } } })
    expect((await read()).thread).toEqual(before)
    expect(linesOf(join(folder, 'ledger.txt'))).toEqual(ledger)
    expect((await holdfast(folder, ['resume', thread])).stderr).toContain('--config FILE')
    expect((await holdfast(folder, ['resume', thread, '--config', 'other.yaml'])).code).toBe(0)
  })
})
