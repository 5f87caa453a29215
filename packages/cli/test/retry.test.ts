import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addFiles, folderWith, holdfast, linesOf, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

async function runsOf(folder: string, thread: string): Promise<readonly string[]> {
  const { stdout } = await holdfast(folder, ['show', thread, '--json'])
  return (JSON.parse(stdout) as { runs: { status: string }[] }).runs.map(({ status }) => status)
}

describe('holdfast retry', () => {
  test('tries a failed run again where it stood, as the next run, without doing anything twice', async () => {
    const folder = folderWith(scriptedAgent([calling('stamp'), { error: { status: 400 } }, { text: 'done' }], { tools: ['stamp'] }))
    const failed = await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])
    const thread = threadOf(failed)
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining(`holdfast retry ${thread}`) })
    addFiles(folder, scriptedAgent([calling('stamp'), { text: 'done' }]))
    const told = await holdfast(folder, ['retry', thread])
    expect(told).toMatchObject({ code: 0, stdout: 'done\n' })
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(1)
    expect(await runsOf(folder, thread)).toEqual(['failed', 'completed'])
    const again = await holdfast(folder, ['retry', thread, '--json'])
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining(`holdfast explain ${thread}`) })
    expect(JSON.parse(again.stdout)).toMatchObject({ error: { code: 'conflict', details: { status: 'completed' } } })
  })

  test('goes on after a limit, with the same limit anew', async () => {
    const turns = [calling('echo', { text: '1' }), calling('echo', { text: '2' }), { text: 'done' }]
    const folder = folderWith(scriptedAgent(turns, { tools: ['echo'], limits: { maxTurns: 2 } }))
    const stopped = await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])
    expect(stopped.code).toBe(5)
    expect(await holdfast(folder, ['retry', threadOf(stopped)])).toMatchObject({ code: 0, stdout: 'done\n' })
  })

  test('asks for a word where the model has said its last one', async () => {
    const folder = folderWith(
      scriptedAgent([
        { text: 'half', finish: 'length' },
        { text: 'whole', when: 'shorter' }
      ])
    )
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    expect(await holdfast(folder, ['retry', thread])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`holdfast retry ${thread} "..."`)
    })
    expect(await holdfast(folder, ['retry', thread, '-'], { stdin: 'shorter' })).toMatchObject({ code: 0, stdout: 'whole\n' })
  })

  test('only delivers with --detach, and two of them are one', async () => {
    const folder = folderWith(scriptedAgent([{ error: { status: 400 } }, { text: 'done' }]))
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    const states = []
    for (let count = 0; count < 2; count += 1) {
      const { stdout } = await holdfast(folder, ['retry', thread, '--detach', '--json'])
      states.push((JSON.parse(stdout) as { state: string }).state)
    }
    expect(states).toEqual(['queued', 'repeated'])
    expect(await runsOf(folder, thread)).toEqual(['failed'])
    addFiles(folder, scriptedAgent([{ text: 'done' }]))
    expect(await holdfast(folder, ['resume', thread])).toMatchObject({ code: 0, stdout: 'done\n' })
    expect(await runsOf(folder, thread)).toEqual(['failed', 'completed'])
  })
})
