import { unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addFiles, folderWith, holdfast, linesOf, startHoldfast, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

/** A thread whose process was killed in the middle of a call. */
async function killed(tool: 'pay' | 'stamp'): Promise<{ readonly folder: string; readonly thread: string }> {
  const calls = [...(tool === 'stamp' ? ['stamp'] : []), 'pay'].map((name) => ({ name, arguments: { ms: 60_000 } }))
  const folder = folderWith(scriptedAgent([{ toolCalls: calls }, calling('stamp')], { tools: ['stamp', 'pay'] }))
  const running = startHoldfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])
  if (tool === 'stamp') await running.until(/stamp ok/)
  await running.until(/pay started/)
  running.child.kill('SIGKILL')
  await running.ended
  return { folder, thread: threadOf(running.stderr()) }
}

const LOSSES: readonly (readonly [string, (folder: string) => void])[] = [
  ['is gone', (folder) => unlinkSync(join(folder, 'tools.mjs'))],
  ['has none of its tools any more', (folder) => addFiles(folder, { 'tools.mjs': 'export const nothing = 1' })],
  ['throws', (folder) => addFiles(folder, { 'tools.mjs': `throw new Error('out of order')` })]
]

describe('a thread whose tools module', () => {
  test.each(LOSSES)('%s is cancelled without it, and then removed', async (_, lose) => {
    const { folder, thread } = await killed('stamp')
    lose(folder)
    expect((await holdfast(folder, ['resume', thread])).code).toBe(2)
    const before = linesOf(join(folder, 'ledger.txt'))
    expect((await holdfast(folder, ['cancel', thread, '--reason', 'tools are lost'])).code).toBe(0)
    const shown = JSON.parse((await holdfast(folder, ['show', thread, '--json'])).stdout) as { transcript: { outcome?: string }[] }
    expect(shown).toMatchObject({ thread: { row: { status: 'cancelled', why: 'tools are lost' } }, driving: 'resting' })
    expect(shown.transcript.flatMap(({ outcome }) => outcome ?? [])).toEqual(['ok', 'cancelled'])
    expect(linesOf(join(folder, 'ledger.txt'))).toEqual(before)
    expect((await holdfast(folder, ['rm', thread])).code).toBe(0)
  })
})
