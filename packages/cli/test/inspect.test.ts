import { describe, expect, test } from 'vitest'
import { folderWith, holdfast, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

const AGENT = scriptedAgent([calling('echo', { text: 'x' }), { text: 'ok' }, { text: 'more' }], { tools: ['echo'] })

async function started(): Promise<{ readonly folder: string; readonly thread: string }> {
  const folder = folderWith(AGENT)
  const told = await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])
  return { folder, thread: threadOf(told) }
}

describe('holdfast threads', () => {
  test('lists threads, the latest first, page by page and by status', async () => {
    const { folder, thread: first } = await started()
    const second = threadOf(
      await holdfast(folder, ['run', 'agent.yaml']).then(() => holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs']))
    )
    const all = JSON.parse((await holdfast(folder, ['threads', '--json'])).stdout) as { items: { id: string }[]; next?: string }
    expect(all.items.map(({ id }) => id)).toEqual([second, first])
    const page = JSON.parse((await holdfast(folder, ['threads', '--json', '--limit', '1'])).stdout) as {
      items: { id: string }[]
      next: string
    }
    const rest = JSON.parse((await holdfast(folder, ['threads', '--json', '--limit', '1', '--after', page.next])).stdout) as typeof page
    expect([page, rest].flatMap(({ items }) => items.map(({ id }) => id))).toEqual([second, first])
    expect(JSON.parse((await holdfast(folder, ['threads', '--status', 'failed,waiting', '--json'])).stdout)).toEqual({ items: [] })
    expect((await holdfast(folder, ['threads', '--status', 'completed'])).stdout.trim().split('\n')).toHaveLength(2)
  })

  test('refuses a cursor that is none', async () => {
    const { folder } = await started()
    expect((await holdfast(folder, ['threads', '--after', 'x'])).code).toBe(2)
  })
})

describe('holdfast show', () => {
  test('tells state, usage, publication and what was said', async () => {
    const { folder, thread } = await started()
    const { stdout, code } = await holdfast(folder, ['show', thread])
    expect(code).toBe(0)
    for (const part of [thread, 'completed', 'nobody', 'sha256:', 'person: Do it.', 'echo {"text":"x"} -> ok: x', 'agent: ok'])
      expect(stdout).toContain(part)
  })

  test('gives all of it as one document', async () => {
    const { folder, thread } = await started()
    const shown = JSON.parse((await holdfast(folder, ['show', thread, '--json'])).stdout) as { readonly [key: string]: unknown }
    expect(shown).toMatchObject({
      thread: { id: thread, row: { status: 'completed', turns: 2 } },
      runs: [{ status: 'completed' }],
      waits: [],
      transcript: [
        { role: 'message', from: 'person', text: 'Do it.' },
        { role: 'call', tool: 'echo', outcome: 'ok', result: { value: 'x' } },
        { role: 'agent', text: 'ok' }
      ]
    })
  })
})

describe('holdfast log', () => {
  test('tells what happened, one line for each thing, and ends', async () => {
    const { folder, thread } = await started()
    const { stdout, code } = await holdfast(folder, ['log', thread])
    expect(code).toBe(0)
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.replace(/^\S+ \S+ /, ''))
    ).toEqual([
      'run started',
      'person says: Do it.',
      'turn 1: asking scripted/./script.yaml',
      'calls echo {"text":"x"}',
      'echo started',
      'echo ok: x',
      'turn 2: asking scripted/./script.yaml',
      'agent says: ok',
      'run completed'
    ])
  })

  test('gives the same events from a place on as from the start', async () => {
    const { folder, thread } = await started()
    const events = async (...more: readonly string[]): Promise<readonly { cursor: { sequence: number } }[]> =>
      (await holdfast(folder, ['log', thread, '--jsonl', ...more])).stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as { cursor: { sequence: number } })
    const all = await events()
    expect(all.length).toBeGreaterThan(10)
    expect(await events('--from', '3')).toEqual(all.filter(({ cursor }) => cursor.sequence >= 3))
    expect(await events('--from', '1000')).toEqual([])
    expect(JSON.parse((await holdfast(folder, ['log', thread, '--json'])).stdout)).toEqual(all)
  })

  test('shows every fact with all that stands in it', async () => {
    const { folder, thread } = await started()
    const { stdout } = await holdfast(folder, ['log', thread, '--facts'])
    expect(stdout).toMatch(/call\.gated \{.*"verdict":"run"/)
    expect(stdout).toMatch(/thread\.created \{"publication":"sha256:/)
  })

  test('goes on with --follow until it is interrupted', async () => {
    const { folder, thread } = await started()
    const stop = new AbortController()
    const following = holdfast(folder, ['log', thread, '--follow', '--jsonl'], { signal: stop.signal })
    await holdfast(folder, ['message', thread, 'And now?'])
    stop.abort('SIGINT')
    const { code, stdout } = await following
    expect(code).toBe(130)
    expect(stdout).toContain('"run.ended"')
  })
})
