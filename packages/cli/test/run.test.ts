import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addFiles, folderWith, holdfast, linesOf, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

describe('holdfast run', () => {
  test('prints the result alone on standard output and the thread before anything else on standard error', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'All done.' }]))
    const told = await holdfast(folder, ['run', 'agent.yaml'])
    expect(told).toMatchObject({ code: 0, stdout: 'All done.\n' })
    expect(told.stderr).toMatch(/^thread thr_/)
  })

  test('runs the tools of a module, named ones and those of its default export', async () => {
    const folder = folderWith(
      scriptedAgent([{ toolCalls: [{ name: 'stamp' }, { name: 'fail' }] }, { text: 'ok' }], { tools: ['stamp', 'fail'] })
    )
    const told = await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs', '--json'])
    expect(told.code).toBe(0)
    expect(JSON.parse(told.stdout)).toMatchObject({ status: 'completed', text: 'ok', waits: [] })
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(1)
  })

  test('gives one event a line with --jsonl, and nothing else on standard output', async () => {
    const folder = folderWith(scriptedAgent([calling('echo', { text: 'x' }), { text: 'ok' }], { tools: ['echo'] }))
    const { stdout, code } = await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs', '--jsonl'])
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string })
    expect(code).toBe(0)
    expect(events[0]?.type).toBe('thread.created')
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['text.delta', 'tool.progress', 'call.settled', 'run.ended']))
    expect(events.at(-1)).toMatchObject({ type: 'run.settled', status: 'completed' })
  })

  test('costs what the profile of the model says', async () => {
    const turn = { text: 'ok', usage: { inputTokens: 1_000, outputTokens: 100 } }
    const folder = folderWith({
      ...scriptedAgent([turn], { model: { ref: 'main' } }),
      'holdfast.config.yaml':
        'version: "1.0"\nmodels: { main: { provider: scripted, model: script.yaml, prices: { input: 2, output: 10 } } }\n'
    })
    const told = await holdfast(folder, ['run', 'agent.yaml', '--json'])
    expect(JSON.parse(told.stdout)).toMatchObject({ status: 'completed', cost: 0.003 })
  })

  test('says nothing but the result with --quiet', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'ok' }]))
    expect(await holdfast(folder, ['run', 'agent.yaml', '--quiet'])).toEqual({ code: 0, stdout: 'ok\n', stderr: '' })
  })

  test.for([
    ['a failed run', [{ error: { status: 400, message: 'no' } }], {}, 1, { status: 'failed' }],
    [
      'a script past its end',
      [calling('echo', { text: 'x' })],
      { tools: ['echo'] },
      1,
      { status: 'failed', error: { code: 'script_exhausted' } }
    ],
    [
      'a run that a limit stopped',
      [calling('echo', { text: 'x' }), calling('echo', { text: 'y' })],
      { tools: ['echo'], limits: { maxTurns: 2 } },
      5,
      { status: 'stopped', stopReason: 'turn_limit' }
    ]
  ] as const)('has its own exit code for %s', async ([, turns, more, code, document]) => {
    const folder = folderWith(scriptedAgent(turns, more))
    const told = await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs', '--json'])
    expect(told.code).toBe(code)
    expect(JSON.parse(told.stdout)).toMatchObject(document)
    expect(told.stderr).toContain('holdfast retry thr_')
  })

  test('gives validated output as JSON', async () => {
    const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }
    const folder = folderWith(scriptedAgent([{ text: '{"sum": 3}' }], { outputSchema }))
    const { code, stdout } = await holdfast(folder, ['run', 'agent.yaml'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ sum: 3 })
  })

  test('takes the prompt from the command line, from standard input, or from the manifest', async () => {
    const folder = folderWith(
      scriptedAgent([
        { text: 'one', when: 'first' },
        { text: 'two', when: 'second' },
        { text: 'own', when: 'Do it' }
      ])
    )
    expect((await holdfast(folder, ['run', 'agent.yaml', 'the first'])).stdout).toBe('one\n')
    expect((await holdfast(folder, ['run', 'agent.yaml', '-'], { stdin: 'the second' })).stdout).toBe('two\n')
    expect((await holdfast(folder, ['run', 'agent.yaml'])).stdout).toBe('own\n')
  })

  test('sets variables by their declared types, from files too', async () => {
    const variables = [
      { key: 'name', type: 'string' },
      { key: 'count', type: 'number', value: 1 },
      { key: 'tags', type: 'array', value: [] }
    ]
    const prompt = '{{ name }}/{{ count }}/{{ tags }}'
    const folder = folderWith(scriptedAgent([{ text: 'right', when: '@12/7/["a","b"]' }, { text: 'wrong' }], { prompt, variables }))
    addFiles(folder, { 'tags.json': '["a", "b"]\n' })
    const argv = ['run', 'agent.yaml', '--var', 'name=@@12', '--var', 'count=7', '--var', 'tags=@tags.json']
    expect((await holdfast(folder, argv)).stdout).toBe('right\n')
  })

  test('takes another model: a script from here, or a profile of the configuration', async () => {
    const folder = folderWith({
      ...scriptedAgent([{ text: 'own' }]),
      'sub/other.yaml': '{ turns: [{ text: other }] }',
      'holdfast.config.yaml': 'version: "1.0"\nmodels: { small: { provider: scripted, model: sub/other.yaml } }\n'
    })
    expect((await holdfast(join(folder, 'sub'), ['run', '../agent.yaml', '--model', 'scripted/other.yaml'])).stdout).toBe('other\n')
    expect((await holdfast(folder, ['run', 'agent.yaml', '--model', 'small'])).stdout).toBe('other\n')
  })

  test('finds tools and store by the configuration', async () => {
    const folder = folderWith({
      ...scriptedAgent([calling('stamp'), { text: 'ok' }], { tools: ['stamp'] }),
      'holdfast.config.yaml': 'version: "1.0"\ntools: [./tools.mjs]\nstore: data/threads.db\n',
      'deep/er/.keep': ''
    })
    const told = await holdfast(join(folder, 'deep/er'), ['run', '../../agent.yaml'])
    expect(told.code).toBe(0)
    expect(readdirSync(join(folder, 'data'))).toEqual(expect.arrayContaining(['threads.db', 'threads.db-threads']))
    expect((await holdfast(join(folder, 'deep'), ['show', threadOf(told)])).code).toBe(0)
  })

  test('makes one thread for one idempotency key', async () => {
    const folder = folderWith(scriptedAgent([calling('stamp'), { text: 'ok' }], { tools: ['stamp'] }))
    const argv = ['run', 'agent.yaml', '--tools', 'tools.mjs', '--idempotency-key', 'monday']
    const first = await holdfast(folder, argv)
    const again = await holdfast(folder, argv)
    expect([first.stdout, again.stdout]).toEqual(['ok\n', 'ok\n'])
    expect(threadOf(again)).toBe(threadOf(first))
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(1)
    expect((await holdfast(folder, [...argv, '--var', 'x=1'])).code).toBe(2)
    expect(await holdfast(folder, ['run', 'agent.yaml', 'Other.', '--idempotency-key', 'monday', '--json'])).toMatchObject({ code: 2 })
  })

  test('keeps its folder for this user alone and out of version control', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'ok' }]))
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml', '--durability', 'process']))
    const modeOf = (path: string): number => statSync(join(folder, path)).mode & 0o777
    expect(modeOf('.holdfast')).toBe(0o700)
    expect(modeOf('.holdfast/holdfast.db')).toBe(0o600)
    expect(modeOf(`.holdfast/threads/${thread}.json`)).toBe(0o600)
    expect(readFileSync(join(folder, '.holdfast/.gitignore'), 'utf8')).toBe('*\n')
    expect(readFileSync(join(folder, `.holdfast/threads/${thread}.json`), 'utf8')).not.toContain(folder)
  })

  test('uses the store of the nearest project upwards, or the one that is named', async () => {
    const folder = folderWith({ ...scriptedAgent([{ text: 'ok' }]), '.holdfast/.keep': '', 'a/b/.keep': '' })
    const thread = threadOf(await holdfast(join(folder, 'a/b'), ['run', '../../agent.yaml']))
    expect((await holdfast(folder, ['show', thread])).code).toBe(0)
    const named = await holdfast(folder, ['run', 'agent.yaml', '--store', 'own/x.db'])
    expect(readdirSync(join(folder, 'own')).toSorted()).toEqual(['x.db', 'x.db-threads'])
    expect((await holdfast(folder, ['show', threadOf(named)])).code).toBe(2)
  })
})
