import { describe, expect, test } from 'vitest'
import { addFiles, folderWith, holdfast, shell, startHoldfast, threadOf } from './command-kit.ts'
import { calling, openGate, scriptedAgent } from './scripted-agent.ts'

const TWO_TURNS = scriptedAgent([calling('gate'), { text: 'done' }], { tools: ['gate'] })

/** A run that was let go before its model had answered; whoever drives it then comes to the gate. */
async function letGo(): Promise<{ readonly folder: string; readonly thread: string }> {
  const folder = folderWith(scriptedAgent([{ text: 'never', delayMs: 600_000 }], { tools: ['gate'] }))
  const running = startHoldfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])
  await running.until(/asking/)
  running.child.kill('SIGTERM')
  await running.ended
  addFiles(folder, TWO_TURNS)
  return { folder, thread: threadOf(running.stderr()) }
}

describe('holdfast attach', () => {
  test('shows a run that another process drives, from its beginning to its end, and has its exit code', async () => {
    const folder = folderWith(TWO_TURNS)
    const running = startHoldfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])
    await running.until(/gate started/)
    const attached = startHoldfast(folder, ['attach', threadOf(running.stderr())])
    await attached.until(/gate started/)
    openGate(folder)
    expect([await running.ended, await attached.ended]).toEqual([0, 0])
    expect(attached.stdout()).toBe('done\n')
    // The same lines as `run` itself, but for the name of the thread.
    const lines = (text: string): readonly string[] => text.split('\n').filter((line) => !line.startsWith('thread '))
    expect(lines(attached.stderr())).toEqual(lines(running.stderr()))
  })

  test('shows a run that is over from its beginning, and earlier ones from a commit on', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'over' }, { text: 'over' }]))
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    const told = await holdfast(folder, ['attach', thread])
    expect(told).toMatchObject({ code: 0, stdout: 'over\n' })
    expect(told.stderr).toContain('run started')
    const typesOf = async (more: readonly string[] = []): Promise<readonly string[]> => {
      const lines = (await holdfast(folder, ['attach', thread, '--jsonl', ...more])).stdout.trimEnd().split('\n')
      return lines.map((line) => (JSON.parse(line) as { type: string }).type)
    }
    expect(await typesOf()).toEqual(expect.arrayContaining(['run.started', 'turn.started', 'model.responded', 'run.settled']))
    await holdfast(folder, ['message', thread, 'And now?'])
    expect(await typesOf()).not.toContain('thread.created')
    expect(await typesOf(['--from', '1'])).toEqual(expect.arrayContaining(['thread.created', 'run.settled']))
    expect(JSON.parse((await holdfast(folder, ['attach', thread, '--json'])).stdout)).toMatchObject({ thread, status: 'completed' })
  })

  test('has the exit code of a run that failed', async () => {
    const folder = folderWith(scriptedAgent([{ error: { status: 400 } }]))
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    expect(await holdfast(folder, ['attach', thread])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`holdfast retry ${thread}`)
    })
  })

  test('says that nobody drives the thread, does not drive it, and ends when it is interrupted', async () => {
    const { folder, thread } = await letGo()
    const attached = startHoldfast(folder, ['attach', thread])
    await attached.until(new RegExp(`holdfast resume ${thread}`))
    attached.child.kill('SIGINT')
    expect(await attached.ended).toBe(130)
    expect(JSON.parse((await holdfast(folder, ['show', thread, '--json'])).stdout)).toMatchObject({
      thread: { row: { status: 'running' } }
    })
    expect((await holdfast(folder, ['attach', 'thr_none'])).code).toBe(2)
  })

  test('drives a thread that nobody drives with --drive, and only watches one that somebody does', async () => {
    const { folder, thread } = await letGo()
    const driven = startHoldfast(folder, ['attach', thread, '--drive'])
    await driven.until(/gate started/)
    const watched = startHoldfast(folder, ['attach', thread, '--drive'])
    await watched.until(/gate started/)
    openGate(folder)
    expect([await driven.ended, await watched.ended]).toEqual([0, 0])
    expect([driven.stdout(), watched.stdout()]).toEqual(['done\n', 'done\n'])
    const runs = JSON.parse((await holdfast(folder, ['show', thread, '--json'])).stdout) as { thread: { attempt: number } }
    expect(runs.thread.attempt).toBe(2)
  })
})

describe('holdfast wait', () => {
  test('waits until the run of another process is over, and has its exit code', async () => {
    const folder = folderWith(TWO_TURNS)
    const running = startHoldfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])
    await running.until(/gate started/)
    const thread = threadOf(running.stderr())
    const waiting = holdfast(folder, ['wait', thread, '--json'])
    openGate(folder)
    const told = await waiting
    expect(told.code).toBe(0)
    expect(JSON.parse(told.stdout)).toMatchObject({ thread, status: 'completed', text: 'done' })
    expect(await running.ended).toBe(0)
    expect((await holdfast(folder, ['wait', thread])).stdout).toBe('done\n')
  })

  test('gives up after its time, and says that the run goes on', async () => {
    const { folder, thread } = await letGo()
    const told = await holdfast(folder, ['wait', thread, '--timeout', '300ms', '--json'])
    expect(told.code).toBe(124)
    expect(JSON.parse(told.stdout)).toEqual({ thread, status: 'running', interrupted: 'TIMEOUT' })
    expect(told.stderr).toContain(`holdfast resume ${thread}`)
    const stop = new AbortController()
    setTimeout(() => stop.abort('SIGINT'), 300)
    expect((await holdfast(folder, ['wait', thread], { signal: stop.signal })).code).toBe(130)
    expect((await holdfast(folder, ['wait', thread, '--timeout', 'soon'])).code).toBe(2)
  })

  test('joins shell commands', async () => {
    const folder = folderWith(scriptedAgent([{ error: { status: 400 } }]))
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    const line = shell(folder, `holdfast wait ${thread} && echo went on || echo "stopped with $?"`)
    await line.ended
    expect(line.stdout()).toBe('stopped with 1\n')
  })
})
