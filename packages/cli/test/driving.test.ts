import { describe, expect, test } from 'vitest'
import { toDriving } from '../src/driving.ts'
import { folderWith, holdfast, startHoldfast, threadOf } from './command-kit.ts'
import { scriptedAgent } from './scripted-agent.ts'

const SLOW = scriptedAgent([{ text: 'never', delayMs: 60_000 }])

async function stands(folder: string, thread: string) {
  const { stdout: threads } = await holdfast(folder, ['threads', '--json'])
  const { stdout: shown } = await holdfast(folder, ['show', thread, '--json'])
  const { stdout: explained } = await holdfast(folder, ['explain', thread, '--json'])
  const { items } = JSON.parse(threads) as { readonly items: readonly { readonly driving: string }[] }
  return [items[0]?.driving, (JSON.parse(shown) as { driving: string }).driving, (JSON.parse(explained) as { driving: string }).driving]
}

const every = (driving: string): readonly string[] => [driving, driving, driving]

describe('who drives a thread', () => {
  test('is its process, and nobody from the moment on that the process is dead', async () => {
    const folder = folderWith(SLOW)
    const running = startHoldfast(folder, ['run', 'agent.yaml'])
    await running.until(/turn 1/)
    const thread = threadOf(running.stderr())
    expect(await stands(folder, thread)).toEqual(every('driven'))
    expect((await holdfast(folder, ['show', thread])).stdout).not.toContain('holdfast resume')
    running.child.kill('SIGKILL')
    expect(await running.ended).toBe(137)
    expect(await stands(folder, thread)).toEqual(every('interrupted'))
    for (const argv of [['threads'], ['show', thread], ['explain', thread]]) {
      const { stdout, stderr } = await holdfast(folder, argv)
      expect(stdout + stderr).toContain('nobody drives it')
      expect(stdout + stderr).toContain(`holdfast resume ${thread}`)
    }
  })

  test('is nobody after a run was let go, and before one was begun', async () => {
    const folder = folderWith(SLOW)
    const running = startHoldfast(folder, ['run', 'agent.yaml'])
    await running.until(/turn 1/)
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(143)
    expect(await stands(folder, threadOf(running.stderr()))).toEqual(every('interrupted'))
    const detached = threadOf((await holdfast(folder, ['run', 'agent.yaml', '--detach'])).stdout)
    expect(await stands(folder, detached)).toEqual(every('queued'))
    await holdfast(folder, ['cancel', detached])
    expect(await stands(folder, detached)).toEqual(every('resting'))
  })

  const row = { status: 'running', agent: 'a', needs: [], turns: 1 }
  const owner = { worker: 'w', leaseUntil: 2_000 }
  test.each([
    ['driven', { owner }, 'alive'],
    ['driven', { owner }, 'unknown'],
    ['driven', { owner, row: { ...row, status: 'completed' } }, 'alive'],
    ['interrupted', { owner }, 'dead'],
    ['interrupted', { owner, timerAt: 1_500 }, 'dead'],
    ['interrupted', {}, undefined],
    ['interrupted', { timerAt: 1_000 }, undefined],
    ['pausing', { timerAt: 1_500 }, undefined],
    ['queued', { row: { ...row, status: 'queued' } }, undefined],
    ['resting', { row: { ...row, status: 'waiting' }, timerAt: 1_500 }, undefined],
    ['resting', { owner, row: { ...row, status: 'failed' } }, 'dead']
  ] as const)('is %s for %j whose owner is %s', (driving, info, life) => {
    expect(toDriving({ row, ...info } as unknown as Parameters<typeof toDriving>[0], { life, now: 1_000 })).toBe(driving)
  })
})
