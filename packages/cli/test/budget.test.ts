import { describe, expect, test } from 'vitest'
import { folderWith, holdfast, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

const usage = { inputTokens: 90, outputTokens: 10 }
const turns = [
  { ...calling('echo', { text: '1' }), usage },
  { ...calling('echo', { text: '2' }), usage },
  { text: 'done', usage }
]
const START = ['run', 'agent.yaml', '--tools', 'tools.mjs']

describe('holdfast budget', () => {
  test('extends what a run waits for, and drives it from there; show and explain say what is used and left', async () => {
    const folder = folderWith(scriptedAgent(turns, { tools: ['echo'] }))
    const waiting = await holdfast(folder, [...START, '--budget', 'tokens=250,tool-calls=9'])
    expect(waiting.code).toBe(3)
    const thread = threadOf(waiting)
    const why = 'the next call may use more than is left (the next call needs about 128 tokens)'
    expect(waiting.stderr).toContain(`${why}; 200 of 250 tokens used, 50 left; 2 of 9 tool calls used`)
    expect(waiting.stderr).not.toContain('{"reason"')
    expect((await holdfast(folder, ['waits'])).stdout).toContain(why)
    expect((await holdfast(folder, ['explain', thread])).stdout).toContain(`holdfast budget extend ${thread} LIMIT`)
    expect((await holdfast(folder, ['show', thread])).stdout).toMatch(/^budget +200 of 250 tokens used, 50 left$/m)
    const status = JSON.parse((await holdfast(folder, ['budget', 'show', thread, '--json'])).stdout)
    expect(status).toMatchObject({
      limit: { maxTotalTokens: 250, maxToolCalls: 9 },
      used: { tokens: 200, toolCalls: 2 },
      left: { tokens: 50 }
    })
    expect(await holdfast(folder, ['budget', 'extend', thread, 'tokens=200'])).toMatchObject({ code: 3 })
    const told = await holdfast(folder, ['budget', 'extend', thread, 'tokens=none', 'cost=2.50'])
    expect(told).toMatchObject({ code: 0, stdout: 'done\n' })
    expect((await holdfast(folder, ['budget', 'show', thread])).stdout).toBe('$0 of $2.5 used, $2.5 left\n2 of 9 tool calls used, 7 left\n')
  })

  test('that is hard stops the run with exit code 5, and is extended between runs', async () => {
    const folder = folderWith(scriptedAgent(turns, { tools: ['echo'], budget: { maxTotalTokens: 250, hard: true } }))
    const stopped = await holdfast(folder, START)
    expect(stopped.code).toBe(5)
    const thread = threadOf(stopped)
    expect((await holdfast(folder, ['explain', thread])).stdout).toContain('200 of 250 tokens used, 50 left')
    expect((await holdfast(folder, ['budget', 'extend', thread, 'tokens=9000', 'soft', '--detach'])).code).toBe(0)
    expect(await holdfast(folder, ['retry', thread])).toMatchObject({ code: 0, stdout: 'done\n' })
  })

  test('that cannot be kept names what to set, and setting it is no failure of the run that has ended', async () => {
    const folder = folderWith(scriptedAgent([calling('echo', { text: '1' }), { text: 'done' }], { tools: ['echo'] }))
    const failed = await holdfast(folder, [...START, '--budget', 'tokens=9000'])
    expect(failed.code).toBe(1)
    const thread = threadOf(failed)
    expect(failed.stderr).toContain(`holdfast budget extend ${thread}`)
    const told = await holdfast(folder, ['budget', 'extend', thread, 'tokens=none', '--json'])
    expect(told.code).toBe(0)
    expect(JSON.parse(told.stdout)).toMatchObject({ thread, state: 'taken', status: 'failed' })
    expect(told.stderr).toContain(`holdfast retry ${thread}`)
    expect(told.stderr).not.toContain('error[')
    expect(await holdfast(folder, ['retry', thread])).toMatchObject({ code: 0, stdout: 'done\n' })
    // Nothing to go on with, and nothing that is told a second time.
    expect(await holdfast(folder, ['budget', 'extend', thread, 'tokens=9000'])).toMatchObject({ code: 0, stdout: '' })
  })

  test('refuses what is no budget before anything is started or sent', async () => {
    // B108
    const folder = folderWith(scriptedAgent([{ text: 'done' }]))
    for (const budget of ['tokens=0', 'tokens=-1', 'tokens=1.5', 'cost=free', 'cost=0', 'time=0', 'toString=1', 'money=5', '', 'cost=none'])
      expect(await holdfast(folder, ['run', 'agent.yaml', '--budget', budget]), budget).toMatchObject({ code: 2, stdout: '' })
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    expect((await holdfast(folder, ['budget', 'show', thread])).stdout).toBe('It has no budget.\n')
    for (const limit of ['tokens=0', 'valueOf=1', 'tokens'])
      expect(await holdfast(folder, ['budget', 'extend', thread, limit]), limit).toMatchObject({ code: 2 })
    expect(await holdfast(folder, ['budget', 'extend', 'thr_none', 'tokens=5'])).toMatchObject({ code: 2 })
  })
})
