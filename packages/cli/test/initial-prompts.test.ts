import { join } from 'node:path'
import type { Commit } from '@holdfast/runtime'
import { describe, expect, test } from 'vitest'
import { toActivity } from '../src/read-situation.ts'
import { eventually, holdfast, linesOf, startHoldfast, threadOf } from './command-kit.ts'
import { documentOf, project, waitOf } from './waits-kit.ts'

const ECHO = { tool: 'echo', arguments: { text: 'for {{ who }}' } }
const STAMP = { tool: 'stamp', arguments: {} }

/** An agent that begins with these prompts, and says that it is done. */
const beginning = (initialPrompts: readonly object[], more: { readonly agent?: object; readonly config?: object } = {}): string =>
  project([], {
    ...more,
    turns: [{ text: 'done' }, { text: 'done again' }],
    agent: { variables: [{ key: 'who', type: 'string', value: 'Ann' }], initialPrompts, ...more.agent }
  })

const PROMPTS = [
  { role: 'system', prompt: 'Serve {{ who }}.' },
  { prompt: 'Look at this.', toolCalls: [ECHO] },
  { toolCalls: [STAMP] },
  { prompt: 'left out', toolCalls: [ECHO] }
]

describe('holdfast run, of an agent with initial prompts', () => {
  test('leaves a call of the definition waiting with exit code 3, and goes on with the task when it is approved', async () => {
    const folder = beginning(PROMPTS)
    const told = await holdfast(folder, ['run', 'agent.yaml', 'The task.', '--var', 'who=Bob'])
    expect(told.code).toBe(3)
    expect(told.stderr).toContain('begins with the call echo {"text":"for Bob"}')
    const thread = threadOf(told)
    expect(await documentOf(folder, ['show', thread])).toMatchObject({ thread: { row: { turns: 0, status: 'waiting' } } })
    const wait = await waitOf(folder, 'stamp')
    expect((await holdfast(folder, ['waits', wait])).stdout).toContain('made by    the definition of the agent')
    expect((await holdfast(folder, ['explain', thread])).stdout).toContain('It waits for a person to approve or refuse the call stamp {}.')
    expect(await documentOf(folder, ['usage', thread])).toMatchObject({ total: { cost: 0, usage: { inputTokens: 0 } } })
    // What is said meanwhile is not lost, and what is left out is not shown.
    const before = (await holdfast(folder, ['show', thread])).stdout
    expect(before).toMatch(/definition: Look at this\.\n +echo .*ok: for Bob\n +stamp .*open\n.*: The task\./)
    expect(before).not.toContain('left out')
    const approved = await holdfast(folder, ['approve', wait])
    expect(approved.code).toBe(0)
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(1)
    const after = (await holdfast(folder, ['show', thread])).stdout
    expect(after).toMatch(/definition: Look at this\.\n +echo .*ok: for Bob\n +stamp .*ok: stamped\n.*: The task\.\nagent: done/)
    expect(after).not.toContain('left out')
    // The next message begins the next run, and nothing of this again.
    expect((await holdfast(folder, ['message', thread, 'And now?'])).code).toBe(0)
    expect(await holdfast(folder, ['resume', thread])).toMatchObject({ code: 0, stdout: 'done again\n' })
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(1)
  })

  test('goes on with its calls in another process when the first one is killed in the middle of one', async () => {
    const folder = beginning([{ toolCalls: [{ tool: 'pay', arguments: { ms: 60_000 } }, ECHO] }, { toolCalls: [STAMP] }], {
      agent: { tools: ['pay', 'stamp', 'echo'] }
    })
    const ledger = join(folder, 'ledger.txt')
    const first = startHoldfast(folder, ['run', 'agent.yaml', 'The task.'])
    const thread = threadOf(await first.until(/thread thr_\w+/))
    await first.until(/echo ok/)
    await eventually(() => linesOf(ledger).length === 1)
    first.child.kill('SIGKILL')
    await first.ended
    expect(await holdfast(folder, ['resume', thread, '--takeover'])).toMatchObject({ code: 0, stdout: 'done\n' })
    // B043: what was paid was paid once, under one key.
    expect(linesOf(ledger).map((line) => line.replace(/ .*\/\//, ' '))).toEqual(['pay 0.0', 'stamp 0.2'])
    expect((await holdfast(folder, ['show', thread])).stdout).toMatch(
      /pay .*ok: paid before\n +echo .*ok: for Ann\n +stamp .*ok: stamped\n.*: The task\.\nagent: done/
    )
  })

  test('says where in the file a call is wrong', async () => {
    const folder = beginning([{ toolCalls: [{ tool: 'ecko' }] }])
    const told = await holdfast(folder, ['run', 'agent.yaml'])
    expect(told.code).toBe(2)
    expect(told.stderr).toMatch(/agent\.yaml:1:\d+: initialPrompts\[0\]\.toolCalls\[0\]\.tool: .* Did you mean "echo"\?/)
  })

  test('answers a question of the definition by a message', async () => {
    const ask = { tool: 'ask_user', arguments: { question: 'Which one?', options: ['red', 'blue'] } }
    const folder = beginning([{ toolCalls: [ask, ECHO] }, { prompt: 'left out' }])
    const told = await holdfast(folder, ['run', 'agent.yaml'])
    expect(told.code).toBe(3)
    expect((await holdfast(folder, ['answer', await waitOf(folder), 'blue'])).code).toBe(0)
    expect((await holdfast(folder, ['show', threadOf(told)])).stdout).toMatch(/ask_user .*ok: blue\n/)
  })
})

describe('what the command tells of initial calls', () => {
  const finished = async (prompts: readonly object[]) => {
    const folder = beginning(prompts, { agent: { tools: ['echo', 'stamp'] } })
    return { folder, thread: threadOf(await holdfast(folder, ['run', 'agent.yaml', 'The task.'])) }
  }

  test('in a transcript stands in the order in which it was said', async () => {
    const { folder, thread } = await finished([...PROMPTS, { prompt: 'at last' }])
    const { stdout } = await holdfast(folder, ['show', thread])
    expect(stdout).toMatch(
      /definition: Serve Ann\.\ndefinition: Look at this\.\n +echo .*\n +stamp .*\ndefinition: left out\n +echo .*\ndefinition: at last\n.*: The task\.\nagent: done/
    )
  })

  test('is the prompt of the first turn, and a record of turn 0', async () => {
    const { folder, thread } = await finished(PROMPTS)
    const { stdout } = await holdfast(folder, ['show', thread, '--prompt', '1'])
    expect(stdout).toContain('Serve Ann.')
    expect(stdout.indexOf('for Ann')).toBeLessThan(stdout.indexOf('The task.'))
    const records = (await holdfast(folder, ['records', thread])).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(records).toMatchObject([{ turn: expect.stringMatching(/\/\/0$/), prompt: null }, { turn: expect.stringMatching(/\/\/1$/) }])
  })

  test('goes with an export, and two threads of them can be compared', async () => {
    const { folder, thread } = await finished(PROMPTS)
    await holdfast(folder, ['export', thread, '-o', 'thread.jsonl'])
    expect((await holdfast(folder, ['import', 'thread.jsonl', '--store', 'other.db'])).code).toBe(0)
    expect((await holdfast(folder, ['show', thread, '--store', 'other.db'])).stdout).toContain('definition: Look at this.')
    const forked = await holdfast(folder, ['fork', thread, '--at', '1'])
    const fork = /thr_\w+/g
    const [, made = ''] = [...new Set(`${thread} ${forked.stdout}${forked.stderr}`.match(fork))]
    await holdfast(folder, ['resume', made])
    const compared = await holdfast(folder, ['diff', thread, made])
    expect(compared.code).toBe(0)
    expect(compared.stdout).toContain('turn 0: the calls of the definition')
  })

  test('is the name of a call that runs', () => {
    const fact = { v: 1, run: 'run_1' } as const
    const started = { ...fact, type: 'call.started', try: 1, leg: 1, effect: 'read', deadlineMs: 1 } as const
    const prompts = { inline: [{ text: 'a', calls: [{ tool: 'echo', input: '{}' }] }, { calls: [{ tool: 'stamp', input: '{}' }] }] }
    const facts = [{ ...fact, type: 'prompts.injected', turn: 'run_1//0', prompts } as const, { ...started, call: 'run_1//0.1' }]
    expect(toActivity([{ facts }] as unknown as readonly Commit[])).toEqual({ calls: ['stamp'] })
  })
})
