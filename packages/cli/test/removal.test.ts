import { existsSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderWith, holdfast, startHoldfast, threadOf } from './command-kit.ts'
import { calling, openGate, scriptedAgent } from './scripted-agent.ts'
import { atTerminal } from './terminal-kit.ts'

const memoOf = (folder: string, thread: string): string => join(folder, '.holdfast', 'threads', `${thread}.json`)

async function idsIn(folder: string): Promise<readonly string[]> {
  const { stdout } = await holdfast(folder, ['threads', '--json'])
  return (JSON.parse(stdout) as { items: { id: string }[] }).items.map(({ id }) => id)
}

describe('holdfast rm', () => {
  test('removes threads at rest, what is remembered of them, and nothing else, once', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'done' }]))
    const [one, two, kept] = [0, 1, 2].map(() => holdfast(folder, ['run', 'agent.yaml']))
    const threads = (await Promise.all([one, two, kept])).map((told) => threadOf(told ?? ''))
    const [first = '', second = '', third = ''] = threads
    expect(existsSync(memoOf(folder, first))).toBe(true)
    expect(await holdfast(folder, ['rm', first, second])).toEqual({ code: 0, stdout: `removed ${first}\nremoved ${second}\n`, stderr: '' })
    expect(await idsIn(folder)).toEqual([third])
    expect([first, second, third].map((thread) => existsSync(memoOf(folder, thread)))).toEqual([false, false, true])
    const again = await holdfast(folder, ['rm', first, third, '--json'])
    expect(again.code).toBe(0)
    expect(JSON.parse(again.stdout)).toEqual({
      items: [
        { thread: first, state: 'missing' },
        { thread: third, state: 'removed' }
      ]
    })
    expect((await holdfast(folder, ['show', third])).code).toBe(2)
  })

  test('leaves a thread whose run was let go, also with --force, and removes it once that run was cancelled', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'never', delayMs: 60_000 }]))
    const running = startHoldfast(folder, ['run', 'agent.yaml'])
    await running.until(/turn 1/)
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(143)
    const thread = threadOf(running.stderr())
    const refused = await holdfast(folder, ['rm', thread, 'thr_missing', '--force', '--json'])
    expect(refused.code).toBe(6)
    expect(JSON.parse(refused.stdout)).toMatchObject({ items: [{ thread, state: 'busy' }, { state: 'missing' }] })
    expect(refused.stderr).toContain(`holdfast cancel ${thread}`)
    expect(existsSync(memoOf(folder, thread))).toBe(true)
    await holdfast(folder, ['cancel', thread])
    expect((await holdfast(folder, ['rm', thread])).code).toBe(0)
    expect(await idsIn(folder)).toEqual([])
  })

  test('leaves a thread that is being driven', async () => {
    const folder = folderWith(scriptedAgent([calling('gate'), { text: 'done' }], { tools: ['gate'] }))
    const running = startHoldfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs', '--idempotency-key', 'k'])
    await running.until(/gate started/)
    expect((await holdfast(folder, ['rm', threadOf(running.stderr())])).code).toBe(6)
    openGate(folder)
    expect(await running.ended).toBe(0)
  })

  test('removes a thread as it stands with --unfinished once nobody drives it, whatever became of its tools', async () => {
    const folder = folderWith(scriptedAgent([calling('pay', { ms: 60_000 }), { text: 'never' }], { tools: ['pay'] }))
    const running = startHoldfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])
    await running.until(/pay/)
    const thread = threadOf(running.stderr())
    expect((await holdfast(folder, ['rm', '--unfinished', thread])).code).toBe(6)
    running.child.kill('SIGKILL')
    await running.ended
    unlinkSync(join(folder, 'tools.mjs'))
    expect((await holdfast(folder, ['rm', thread])).code).toBe(6)
    // Its owner is gone, and has the thread for the rest of its lease.
    expect(await holdfast(folder, ['rm', '--unfinished', thread])).toMatchObject({ code: 0, stdout: `removed ${thread}\n` })
    expect(await idsIn(folder)).toEqual([])
  })

  test('asks a person at a terminal, and takes only a yes for one', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'done' }]))
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    for (const [typed, code] of [
      ['\r', 1],
      ['no\r', 1],
      ['\u0004', 1],
      ['\u0003', 130]
    ] as const) {
      const asked = atTerminal(folder, ['rm', thread])
      await asked.until(/Remove thr_\w+ \(tester, completed\) with all that it holds\? \[y\/N\] $/)
      asked.type(typed)
      expect(await asked.ended).toBe(code)
      expect(await idsIn(folder)).toEqual([thread])
    }
    const agreed = atTerminal(folder, ['rm', thread])
    await agreed.until(/\[y\/N\] $/)
    agreed.type('y\r')
    expect(await agreed.ended).toBe(0)
    expect(await idsIn(folder)).toEqual([])
    const forced = atTerminal(folder, ['rm', '--force', thread])
    expect(await forced.ended).toBe(0)
    expect(forced.screen()).not.toContain('[y/N]')
  })

  test.for([['thr_../x'], ['x'], ['']])('refuses %j, which is no id', async ([id]) => {
    const folder = folderWith(scriptedAgent([{ text: 'done' }]))
    await holdfast(folder, ['run', 'agent.yaml'])
    expect((await holdfast(folder, ['rm', id ?? ''])).code).toBe(2)
  })
})
