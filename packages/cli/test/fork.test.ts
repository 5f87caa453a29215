import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addFiles, folderWith, holdfast, linesOf, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

const STAMPING = scriptedAgent([calling('stamp'), { text: 'done' }, { text: 'said again' }], { tools: ['stamp'] })

async function stamped(): Promise<{ readonly folder: string; readonly thread: string; readonly call: string }> {
  const folder = folderWith(STAMPING)
  const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs']))
  const { stdout } = await holdfast(folder, ['records', thread, '--json'])
  const [record] = JSON.parse(stdout) as { readonly calls: readonly { readonly call: string }[] }[]
  return { folder, thread, call: record?.calls[0]?.call ?? '' }
}

/** The thread that a command made: the first that it names is the one that it made it from, or itself. */
const forkOf = (told: { readonly stderr: string }) => /thread (thr_\w+), forked/.exec(told.stderr)?.[1] ?? ''
const ledger = (folder: string) => linesOf(join(folder, 'ledger.txt'))

describe('holdfast fork', () => {
  test('asks a turn anew, does nothing twice, and remembers how the thread is driven', async () => {
    const { folder, thread } = await stamped()
    const told = await holdfast(folder, ['fork', thread, '--at', 'turn:2'])
    expect(told).toMatchObject({ code: 0, stdout: 'done\n' })
    expect(ledger(folder)).toHaveLength(1)
    const fork = forkOf(told)
    expect(await holdfast(folder, ['message', fork, 'again'])).toMatchObject({ code: 0, stdout: 'said again\n' })
    expect(JSON.parse((await holdfast(folder, ['store', 'check', '--json'])).stdout)).toMatchObject({ threads: 2 })
  })

  test('shows the model another result, of a file or as an error', async () => {
    const { folder, thread, call } = await stamped()
    writeFileSync(join(folder, 'other.json'), '{"stamp":"other"}')
    const other = await holdfast(folder, ['fork', thread, '--call-result', `${call}=@other.json`])
    expect(other).toMatchObject({ code: 0, stdout: 'done\n' })
    const log = await holdfast(folder, ['log', forkOf(other), '--facts'])
    expect(log.stdout).toContain('"value":{"stamp":"other"}')
    const failed = await holdfast(folder, ['fork', thread, '--call-error', `${call}=out of ink`])
    expect(failed).toMatchObject({ code: 0 })
    expect((await holdfast(folder, ['log', forkOf(failed), '--facts'])).stdout).toContain('"error":"out of ink"')
    expect(ledger(folder)).toHaveLength(1)
    expect(await holdfast(folder, ['fork', thread, '--call-result', 'nothing'])).toMatchObject({ code: 2, stdout: '' })
    expect(await holdfast(folder, ['fork', thread, '--at', '1', '--call-result', `${call}=x`])).toMatchObject({ code: 2 })
  })

  test('goes on with another model, or with another agent', async () => {
    const { folder, thread } = await stamped()
    addFiles(folder, {
      'second.yaml': JSON.stringify({ turns: [{ text: 'by the second' }, { text: 'by the second' }] }),
      'b/agent.yaml': JSON.stringify({ schemaVersion: '1.0', name: 'other', model: { provider: 'scripted', model: './s.yaml' } }),
      'b/s.yaml': JSON.stringify({ turns: [{ text: 'one' }, { text: 'by another agent' }] })
    })
    const model = await holdfast(folder, ['fork', thread, '--at', 'turn:2', '--model', 'scripted/second.yaml'])
    expect(model).toMatchObject({ code: 0, stdout: 'by the second\n' })
    const agent = await holdfast(folder, ['fork', thread, '--at', 'turn:2', '--agent', 'b/agent.yaml'])
    expect(agent).toMatchObject({ code: 0, stdout: 'by another agent\n' })
    expect(JSON.parse((await holdfast(folder, ['show', forkOf(agent), '--json'])).stdout)).toMatchObject({
      thread: { row: { agent: 'other' } }
    })
  })

  test('only makes it with --detach, once for a key, and its id is the result', async () => {
    const { folder, thread } = await stamped()
    const argv = ['fork', thread, '--message', 'again', '--detach', '--idempotency-key', 'k']
    const told = await holdfast(folder, argv)
    expect(told).toMatchObject({ code: 0, stdout: `${forkOf(told)}\n` })
    const again = await holdfast(folder, [...argv, '--json'])
    expect(JSON.parse(again.stdout)).toMatchObject({ thread: forkOf(told), from: thread, created: false, calls: [], ran: [] })
    expect(await holdfast(folder, ['resume', forkOf(told)])).toMatchObject({ code: 0, stdout: 'said again\n' })
    expect(await holdfast(folder, ['fork', thread, '--message', 'other', '--idempotency-key', 'k'])).toMatchObject({ code: 2 })
  })

  test.each([['0'], ['turn:0'], ['turn:'], ['x']])('refuses --at %s', async (at) => {
    const { folder, thread } = await stamped()
    expect(await holdfast(folder, ['fork', thread, '--at', at])).toMatchObject({ code: 2, stdout: '' })
  })
})

test('holdfast usage counts what a fork has copied once, also since a point in time', async () => {
  const turns = [
    { ...calling('stamp'), usage: { inputTokens: 100, outputTokens: 10 } },
    { text: 'done', usage: { inputTokens: 7, outputTokens: 3 } }
  ]
  const folder = folderWith(scriptedAgent(turns, { tools: ['stamp'] }))
  const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs']))
  await holdfast(folder, ['fork', thread, '--at', 'turn:2'])
  for (const argv of [['usage'], ['usage', '--since', '1h']]) {
    const { stdout } = await holdfast(folder, [...argv, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ total: { usage: { inputTokens: 114, outputTokens: 16 } } })
  }
})

describe('holdfast diff', () => {
  test('compares a thread and its fork from where they part', async () => {
    const { folder, thread, call } = await stamped()
    addFiles(folder, { 'second.yaml': JSON.stringify({ turns: [{ text: 'x' }, { text: 'by the second' }] }) })
    const fork = forkOf(await holdfast(folder, ['fork', thread, '--call-result', `${call}=other`, '--model', 'scripted/second.yaml']))
    const told = await holdfast(folder, ['diff', thread, fork])
    expect(told.code).toBe(0)
    const lines = told.stdout.split('\n')
    expect(lines.filter((line) => line.startsWith('- ')).join()).toContain('says: done')
    expect(lines.filter((line) => line.startsWith('+ ')).join()).toContain('says: by the second')
    const { stdout } = await holdfast(folder, ['diff', thread, fork, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      common: 4,
      a: { thread, status: 'completed', turns: 1 },
      b: { thread: fork, status: 'completed', turns: 1 },
      turns: [{ differs: expect.arrayContaining(['answer', 'end']) }]
    })
    const same = JSON.parse((await holdfast(folder, ['diff', thread, thread, '--json'])).stdout) as { turns: unknown[] }
    expect(same.turns).toEqual([])
    expect(await holdfast(folder, ['diff', thread, 'thr_0000000000'])).toMatchObject({ code: 2 })
  })

  test('marks with a space what both have done the same', async () => {
    const { folder, thread } = await stamped()
    const fork = forkOf(await holdfast(folder, ['fork', thread, '--at', '1']))
    const { stdout } = await holdfast(folder, ['diff', thread, fork])
    expect(stdout.split('\n').filter((line) => line.startsWith('  '))).toContain('    says: done')
  })
})
