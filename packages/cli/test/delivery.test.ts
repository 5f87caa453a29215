import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { folderWith, holdfast, linesOf, startHoldfast, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

const AGENT = scriptedAgent([{ text: 'first' }, calling('stamp'), { text: 'second' }], { tools: ['stamp'] })

async function started(): Promise<{ readonly folder: string; readonly thread: string }> {
  const folder = folderWith(AGENT)
  return { folder, thread: threadOf(await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])) }
}

describe('holdfast message', () => {
  test('begins the next run of a resting thread and drives it, with the tools of its start', async () => {
    const { folder, thread } = await started()
    const told = await holdfast(folder, ['message', thread, 'go on'])
    expect(told).toMatchObject({ code: 0, stdout: 'second\n' })
    // Only what is new is shown.
    expect(told.stderr).not.toContain('first')
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(1)
  })

  test('reads standard input', async () => {
    const { folder, thread } = await started()
    expect((await holdfast(folder, ['message', thread, '-'], { stdin: 'from a pipe' })).code).toBe(0)
    expect((await holdfast(folder, ['show', thread])).stdout).toContain('person: from a pipe')
  })

  test('only delivers with --detach, and whoever drives the thread takes it', async () => {
    const { folder, thread } = await started()
    const told = await holdfast(folder, ['message', thread, 'later', '--detach', '--json'])
    expect(told.code).toBe(0)
    expect(JSON.parse(told.stdout)).toMatchObject({ thread, state: 'queued', item: expect.any(String) })
    await sleep(300)
    expect(JSON.parse((await holdfast(folder, ['show', thread, '--json'])).stdout)).toMatchObject({
      thread: { pending: 1, row: { status: 'completed' } }
    })
    expect(await holdfast(folder, ['resume', thread])).toMatchObject({ code: 0, stdout: 'second\n' })
  })
})

describe('holdfast cancel', () => {
  test('ends a run that was let go, and says when there is nothing to end', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'never', delayMs: 60_000 }]))
    const running = startHoldfast(folder, ['run', 'agent.yaml'])
    await running.until(/asking/)
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(143)
    const thread = threadOf(running.stderr())
    expect(running.stderr()).toContain(`holdfast resume ${thread}`)
    const cancelled = await holdfast(folder, ['cancel', thread, '--reason', 'enough', '--json'])
    expect(cancelled.code).toBe(0)
    expect(JSON.parse(cancelled.stdout)).toMatchObject({ status: 'cancelled' })
    expect((await holdfast(folder, ['resume', thread])).code).toBe(4)
    expect(await holdfast(folder, ['cancel', thread])).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing to cancel') })
  })

  test('leaves a cancel to whoever drives the thread with --detach', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'never', delayMs: 60_000 }]))
    const running = holdfast(folder, ['run', 'agent.yaml', '--json'])
    const thread = await threadSoon(folder)
    expect((await holdfast(folder, ['cancel', thread, '--detach'])).code).toBe(0)
    const ended = await running
    expect(ended.code).toBe(4)
    expect(JSON.parse(ended.stdout)).toMatchObject({ thread, status: 'cancelled' })
  })
})

async function threadSoon(folder: string): Promise<string> {
  for (;;) {
    const { stdout, code } = await holdfast(folder, ['threads', '--json'])
    const [first] = code === 0 ? (JSON.parse(stdout) as { items: { id: string }[] }).items : []
    if (first !== undefined) return first.id
    await sleep(20)
  }
}
