import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderWith, holdfast, threadOf } from './command-kit.ts'
import { scriptedAgent } from './scripted-agent.ts'

interface List {
  readonly items: readonly { readonly id?: string; readonly thread?: string; readonly labels?: object }[]
  readonly total?: { readonly threads: number; readonly usage: { readonly inputTokens: number } }
  readonly next?: string
}

const answer = { text: 'done', usage: { inputTokens: 10, outputTokens: 1 } }

async function list(folder: string, ...argv: readonly string[]): Promise<List> {
  const { stdout, code } = await holdfast(folder, [...argv, '--json'])
  expect(code).toBe(0)
  return JSON.parse(stdout) as List
}

async function started(folder: string, ...argv: readonly string[]): Promise<string> {
  return threadOf(await holdfast(folder, ['run', 'agent.yaml', ...argv]))
}

describe('labels', () => {
  test('of run and chat are shown, filtered by in every list of threads, and go with an export', async () => {
    const folder = folderWith(scriptedAgent([answer]))
    const blue = await started(folder, '--label', 'team=blue', '--label', 'ticket=4711=x')
    const talk = threadOf(await holdfast(folder, ['chat', 'agent.yaml', '--label', 'team=blue'], { stdin: 'hello\n' }))
    const plain = await started(folder)
    const ids = async (...argv: readonly string[]) => (await list(folder, ...argv)).items.map((item) => item.id ?? item.thread)
    expect(await ids('threads', '--label', 'team=blue')).toEqual([talk, blue])
    expect(await ids('threads', '--label', 'team=blue', '--label', 'ticket=4711=x')).toEqual([blue])
    expect(await ids('threads', '--label', 'team=red')).toEqual([])
    expect(await ids('threads')).toEqual([plain, talk, blue])
    const first = await list(folder, 'usage', '--label', 'team=blue', '--limit', '1')
    expect(first).toMatchObject({ items: [{ thread: talk }], total: { threads: 2, usage: { inputTokens: 20 } } })
    expect(await ids('usage', '--label', 'team=blue', '--limit', '1', '--after', first.next ?? '')).toEqual([blue])
    expect((await list(folder, 'usage', '--status', 'failed')).total).toMatchObject({ threads: 0 })
    expect(await list(folder, 'show', blue)).toMatchObject({ thread: { labels: { team: 'blue', ticket: '4711=x' } } })
    expect((await holdfast(folder, ['show', blue])).stdout).toContain('team=blue ticket=4711=x')
    expect((await holdfast(folder, ['threads'])).stdout).toContain('team=blue ticket=4711=x')
    await holdfast(folder, ['export', blue, '-o', 'x.jsonl'])
    const other = folderWith({ 'x.jsonl': readFileSync(join(folder, 'x.jsonl'), 'utf8') })
    await holdfast(other, ['import', 'x.jsonl'])
    expect((await list(other, 'threads', '--label', 'team=blue')).items).toMatchObject([{ id: blue, labels: { ticket: '4711=x' } }])
  })

  test.for([
    [['run', 'agent.yaml', '--label', 'team']],
    [['run', 'agent.yaml', '--label', '=blue']],
    [['run', 'agent.yaml', '--label', 'a=1', '--label', 'a=2']],
    [['run', 'agent.yaml', '--label', 'a b=1']],
    [['run', 'agent.yaml', '--label', `a=${'x'.repeat(257)}`]],
    [['threads', '--label', 'team']],
    [['usage', 'thr_x', '--label', 'team=blue']]
  ])('are refused in %j, and nothing is started', async ([argv]) => {
    const folder = folderWith(scriptedAgent([answer]))
    const kept = await started(folder)
    expect(await holdfast(folder, argv ?? [])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('error[invalid_input]')
    })
    expect((await list(folder, 'threads')).items.map(({ id }) => id)).toEqual([kept])
  })
})

describe('a list', () => {
  test('of threads begins at a point in time', async () => {
    const folder = folderWith(scriptedAgent([answer]))
    await started(folder)
    await new Promise((resolve) => setTimeout(resolve, 20))
    const since = new Date().toISOString()
    const later = await started(folder)
    expect((await list(folder, 'threads', '--since', since)).items.map(({ id }) => id)).toEqual([later])
    expect((await list(folder, 'threads', '--since', '1h')).items).toHaveLength(2)
  })
})

describe('run --thread', () => {
  test('is the next run of a thread, once for each key', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'one' }, { text: 'two' }, { text: 'three' }]))
    const thread = await started(folder)
    const next = ['run', 'agent.yaml', 'Again.', '--thread', thread, '--idempotency-key', 'k']
    expect(await holdfast(folder, next)).toMatchObject({ code: 0, stdout: 'two\n' })
    expect(await holdfast(folder, next)).toMatchObject({ code: 0, stdout: 'two\n' })
    expect(await holdfast(folder, ['run', 'agent.yaml', '--input', 'More.', '--thread', thread])).toMatchObject({
      code: 0,
      stdout: 'three\n'
    })
    expect(JSON.parse((await holdfast(folder, ['show', thread, '--json'])).stdout)).toMatchObject({
      runs: [{}, {}, {}],
      transcript: [{ role: 'message' }, { text: 'one' }, { text: 'Again.' }, { text: 'two' }, { text: 'More.' }, { text: 'three' }]
    })
    expect((await list(folder, 'threads')).items).toHaveLength(1)
  })

  test.for([
    [[]],
    [['x', '--model', 'scripted/script.yaml']],
    [['x', '--var', 'a=1']],
    [['x', '--label', 'a=1']],
    [['x', '--durability', 'process']],
    [['x', '--idempotency-key', '']]
  ])('refuses %j', async ([argv]) => {
    const folder = folderWith(scriptedAgent([{ text: 'one' }]))
    const thread = await started(folder)
    expect((await holdfast(folder, ['run', 'agent.yaml', '--thread', thread, ...(argv ?? [])])).code).toBe(2)
    expect(JSON.parse((await holdfast(folder, ['show', thread, '--json'])).stdout)).toMatchObject({ runs: [{}], thread: { pending: 0 } })
  })

  test('refuses the manifest of another agent', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'one' }]))
    const thread = await started(folder)
    const manifest = readFileSync(join(folder, 'agent.yaml'), 'utf8').replace('tester', 'another')
    const other = folderWith({ 'other.yaml': manifest })
    const told = await holdfast(folder, ['run', join(other, 'other.yaml'), 'x', '--thread', thread])
    expect(told).toMatchObject({ code: 2, stderr: expect.stringContaining('another') })
    expect((await holdfast(folder, ['run', 'agent.yaml', 'x', '--thread', 'thr_none'])).code).toBe(2)
  })
})
