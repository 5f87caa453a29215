import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { addFiles, folderWith, holdfast, threadOf } from './command-kit.ts'
import type { Turn } from './scripted-agent.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

const configOf = (grants: object, more: object = {}): string => JSON.stringify({ version: '1.0', grants, ...more })

const OWN = `export default [{ name: 'look', description: 'Own.', input: { kind: 'json', jsonSchema: { type: 'object' } },
  effect: 'read', parallelSafe: true, execute: () => 'seen' }]`

/** A project whose agent calls tools one after another, each with its arguments. */
function project(calls: readonly (readonly [string, object])[], config: string | undefined, agent: object = {}): string {
  const turns: readonly Turn[] = [...calls.map(([name, args]) => calling(name, args)), { text: 'done' }]
  const tools = [...new Set(calls.map(([name]) => name))]
  return folderWith({
    ...scriptedAgent(turns, { tools, ...agent }),
    'notes/monday.md': 'No paper.\n',
    'private/diary.md': 'Dear diary\n',
    ...(config === undefined ? {} : { 'holdfast.config.yaml': config })
  })
}

/** What each call of a run gave: how it was settled, and its result as text. */
async function outcomesOf(folder: string, argv: readonly string[] = []): Promise<readonly (readonly [string, string])[]> {
  const told = await holdfast(folder, ['run', 'agent.yaml', '--jsonl', ...argv])
  expect(told).toMatchObject({ code: 0 })
  return told.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { readonly type: string; readonly data?: { readonly outcome: string; readonly result: unknown } })
    .flatMap(({ type, data }) => (type === 'call.settled' && data ? [[data.outcome, JSON.stringify(data.result)] as const] : []))
}

async function refusalOf(folder: string, argv: readonly string[] = ['run', 'agent.yaml']) {
  const { code, stdout } = await holdfast(folder, [...argv, '--json'])
  return { exit: code, ...(JSON.parse(stdout) as { readonly error: { readonly code: string; readonly details: unknown } }).error }
}

describe('the file tools of an agent', () => {
  test('work in the folders that the configuration grants, by their names and by the paths of references', async () => {
    const folder = project(
      [
        ['read_file', { path: 'monday.md' }],
        ['write_file', { path: 'PLACE/out/summary.md', content: 'Paper is out.' }]
      ],
      configOf({ files: { read: ['workspace:/notes'], write: ['workspace:/out'] } }),
      { tools: ['/agent-tools/os/read-file', 'write-file', 'search_files'] }
    )
    mkdirSync(join(folder, 'out'))
    addFiles(folder, { 'script.yaml': readFileSync(join(folder, 'script.yaml'), 'utf8').replace('PLACE', folder) })
    const [read, written] = await outcomesOf(folder)
    expect(read).toEqual(['ok', expect.stringContaining('No paper.')])
    expect(written?.[0]).toBe('ok')
    expect(readFileSync(join(folder, 'out/summary.md'), 'utf8')).toBe('Paper is out.')
  })

  test('see neither the store nor the keys of the project, whatever may be read', async () => {
    const folder = project(
      ['.holdfast/holdfast.db', '.env', 'agent.yaml'].map((path) => ['read_file', { path }] as const),
      configOf({ files: { read: ['workspace:/'] } })
    )
    addFiles(folder, { '.env': 'KEY=sk-0123456789abcdef\n' })
    const outcomes = await outcomesOf(folder)
    expect(outcomes.map(([outcome]) => outcome)).toEqual(['error', 'error', 'ok'])
    expect(JSON.stringify(outcomes)).not.toContain('sk-0123456789abcdef')
  })

  test('hide a store that has a folder of its own', async () => {
    const folder = project(
      ['data/threads.db', 'data/other.txt'].map((path) => ['read_file', { path }] as const),
      configOf({ files: { read: ['workspace:/'] } }, { store: './data/threads.db' })
    )
    addFiles(folder, { 'data/other.txt': 'fine' })
    expect((await outcomesOf(folder)).map(([outcome]) => outcome)).toEqual(['error', 'ok'])
  })

  test('are held to what the agent asks for, which is never more than there is', async () => {
    const paths = ['notes/monday.md', 'private/diary.md']
    const folder = project(
      paths.map((path) => ['read_file', { path: `PLACE/${path}` }] as const),
      configOf({ files: { read: ['workspace:/'] } }),
      { grants: { tools: 'all', files: { read: ['workspace:/notes', '/etc'] } } }
    )
    addFiles(folder, { 'script.yaml': readFileSync(join(folder, 'script.yaml'), 'utf8').replaceAll('PLACE', folder) })
    expect((await outcomesOf(folder)).map(([outcome]) => outcome)).toEqual(['ok', 'error'])
  })

  // B098
  test('do not follow a link in the workspace to a folder that is not granted', async () => {
    const outside = folderWith({ 'secret.txt': 'hidden' })
    const folder = project([['read_file', { path: 'secret.txt' }]], configOf({ files: { read: ['workspace:/'] } }), {
      grants: { files: { read: ['workspace:/away'] } }
    })
    symlinkSync(outside, join(folder, 'away'))
    expect(await refusalOf(folder)).toMatchObject({
      exit: 2,
      code: 'tool_unknown',
      details: { ungranted: [{ tool: 'read_file', field: 'grants.files.read', why: 'nothing_shared' }] }
    })
  })

  test('begin in the workspace where several folders are granted', async () => {
    const outer = folderWith({
      'aaa/monday.md': 'Another one.',
      ...Object.fromEntries(
        Object.entries(scriptedAgent([calling('read_file', { path: 'monday.md' }), { text: 'done' }], { tools: ['read_file'] })).map(
          ([path, text]) => [`project/${path}`, text]
        )
      ),
      'project/notes/monday.md': 'No paper.'
    })
    addFiles(outer, { 'project/holdfast.config.yaml': configOf({ files: { read: [join(outer, 'aaa'), 'workspace:/notes'] } }) })
    expect(await outcomesOf(join(outer, 'project'))).toEqual([['ok', expect.stringContaining('No paper.')]])
  })

  test('give way to a tool of the user that has the same name', async () => {
    const folder = project([['read_file', { path: 'x' }]], undefined)
    addFiles(folder, {
      'own.mjs': `export default [{ name: 'read-file', description: 'Own.', input: { kind: 'json', jsonSchema: { type: 'object' } },
        effect: 'read', parallelSafe: true, execute: () => 'mine' }]`
    })
    addFiles(folder, { 'script.yaml': readFileSync(join(folder, 'script.yaml'), 'utf8').replace('read_file', 'read-file') })
    expect(await outcomesOf(folder, ['--tools', 'own.mjs'])).toEqual([['ok', expect.stringContaining('mine')]])
  })
})

describe('a tool that is not granted', () => {
  test.each([
    ['by no configuration', undefined, {}, 'not_granted'],
    ['by a configuration without grants', '{ "version": "1.0" }', {}, 'not_granted'],
    ['by one that grants the other half', configOf({ files: { write: ['workspace:/'] } }), {}, 'not_granted'],
    ['by the agent', configOf({ files: { read: 'all' } }), { grants: {} }, 'not_asked'],
    [
      'by both together',
      configOf({ files: { read: ['workspace:/a'] } }),
      { grants: { files: { read: ['workspace:/b'] } } },
      'nothing_shared'
    ]
  ])('%s is refused before anything runs', async (_, config, agent, why) => {
    const folder = project([['read_file', { path: 'x' }]], config, agent)
    expect(await refusalOf(folder)).toMatchObject({
      exit: 2,
      code: 'tool_unknown',
      details: { ungranted: [{ tool: 'read_file', field: 'grants.files.read', why }] }
    })
    expect(existsSync(join(folder, '.holdfast'))).toBe(false)
    expect(await refusalOf(folder, ['tools', 'agent.yaml'])).toMatchObject({ code: 'tool_unknown' })
  })

  test.each([
    ['one that comes with the runtime', 'read_file', [], { tools: [], files: { read: ['workspace:/'] } }],
    ['one of a module', 'look', ['--tools', 'own.mjs'], { tools: ['host:read_file', 'agent:look'] }],
    ['the question to a person', 'ask_user', [], { tools: ['host:look'] }]
  ])('because the agent asks for other tools is refused, too: %s', async (_, tool, argv, grants) => {
    const folder = project([[tool, {}]], configOf({ files: { read: ['workspace:/'] } }), { grants })
    addFiles(folder, { 'own.mjs': OWN })
    expect(await refusalOf(folder, ['run', 'agent.yaml', ...argv])).toMatchObject({
      exit: 2,
      code: 'tool_unknown',
      details: { ungranted: [{ tool, field: 'grants.tools', why: 'not_asked' }] }
    })
  })

  test.each([['all'], [['host:look']], [undefined]])('is granted by its identity, or when nothing is said of tools: %s', async (tools) => {
    const folder = project([['look', {}]], configOf({}), { grants: { tools } })
    addFiles(folder, { 'own.mjs': OWN })
    expect((await outcomesOf(folder, ['--tools', 'own.mjs'])).map(([outcome]) => outcome)).toEqual(['ok'])
  })

  test('is told with the others, and with all that it needs first', async () => {
    const folder = project(
      ['edit_file', 'fetch_url', 'write_file'].map((name) => [name, {}] as const),
      configOf({ files: { read: ['workspace:/'] } })
    )
    expect(await refusalOf(folder)).toMatchObject({
      details: {
        ungranted: [
          { tool: 'edit_file', field: 'grants.files.write' },
          { tool: 'fetch_url', field: 'grants.network.hosts' },
          { tool: 'write_file', field: 'grants.files.write' }
        ]
      }
    })
  })

  test('is told of a folder under a name that nobody knows', async () => {
    const folder = project([['read_file', { path: 'x' }]], configOf({ files: { read: ['data:/'] } }))
    expect(await refusalOf(folder)).toMatchObject({ exit: 2, code: 'invalid_config', details: { root: 'data:/' } })
  })

  test('is missing for a thread that had it, and is found again when it is granted again', async () => {
    const granted = configOf({ files: { read: ['workspace:/notes'] } })
    const folder = project([['read_file', { path: 'monday.md' }]], granted)
    const started = await holdfast(folder, ['run', 'agent.yaml', '--detach'])
    const thread = threadOf(started.stdout)
    addFiles(folder, { 'holdfast.config.yaml': configOf({}) })
    expect(await refusalOf(folder, ['resume', thread])).toMatchObject({
      code: 'thread_unplaceable',
      details: { ungranted: [{ tool: 'read_file', why: 'not_granted' }] }
    })
    addFiles(folder, { 'holdfast.config.yaml': granted })
    expect(await holdfast(folder, ['resume', thread])).toMatchObject({ code: 0, stdout: expect.stringContaining('done') })
  })
})

describe('permission rules', () => {
  const configured = { files: { read: ['workspace:/notes'] } }

  test.each([
    ['of the configuration', { permissions: [{ effect: 'deny', tool: 'read_file' }] }, {}],
    ['of the agent', {}, { permissions: [{ effect: 'deny', tool: 'read_file' }] }]
  ])('%s deny a call', async (_, config, agent) => {
    const folder = project([['read_file', { path: 'monday.md' }]], configOf(configured, config), agent)
    expect((await outcomesOf(folder)).map(([outcome]) => outcome)).toEqual(['blocked'])
  })

  test('of today bound a thread that was started before', async () => {
    const folder = project([['read_file', { path: 'monday.md' }]], configOf(configured))
    const thread = threadOf((await holdfast(folder, ['run', 'agent.yaml', '--detach'])).stdout)
    addFiles(folder, { 'holdfast.config.yaml': configOf(configured, { permissions: [{ effect: 'ask', tool: 'read_*' }] }) })
    expect((await holdfast(folder, ['resume', thread])).code).toBe(3)
  })
})

describe('holdfast tools', () => {
  test('shows those that come with the runtime, where they are granted', async () => {
    const grants = { files: { read: ['workspace:/'], write: ['workspace:/'] }, network: { hosts: ['*'] } }
    const names = ['read_file', 'list_directory', 'search_files', 'write_file', 'edit_file', 'fetch_url']
    const folder = project(
      names.map((name) => [name, {}] as const),
      configOf(grants)
    )
    const told = await holdfast(folder, ['tools', 'agent.yaml', '--json'])
    expect(told.code).toBe(0)
    const { tools } = JSON.parse(told.stdout) as { readonly tools: readonly { readonly name: string; readonly effect: string }[] }
    expect(tools.map(({ name }) => name)).toEqual(names)
  })
})

describe('fetch_url of an agent', () => {
  async function listen() {
    let requests = 0
    const server = createServer((_, response) => {
      requests += 1
      response.end('hello from here')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    return { place: `127.0.0.1:${port}`, requests: () => requests }
  }

  // B072
  test.each([
    ['a private place only where it is granted as one', (place: string) => ({ hosts: [place], private: true }), 'ok'],
    ['no private place by its name alone', (place: string) => ({ hosts: [place] }), 'error'],
    ['no private place because all hosts are granted', () => ({ hosts: ['*'] }), 'error'],
    ['one private place of many hosts', (place: string) => ({ hosts: ['*', place], private: [place] }), 'ok'],
    [
      'no private place because another is granted',
      (place: string) => ({ hosts: [place, '127.0.0.1:9'], private: ['127.0.0.1:9'] }),
      'error'
    ],
    ['no host that is not granted', () => ({ hosts: ['example.com'], private: true }), 'error']
  ])('reaches %s', async (_, toNetwork, outcome) => {
    const server = await listen()
    const folder = project([['fetch_url', { url: `http://${server.place}/` }]], configOf({ network: toNetwork(server.place) }))
    const outcomes = await outcomesOf(folder)
    expect(outcomes.map(([first]) => first)).toEqual([outcome])
    expect(server.requests()).toBe(outcome === 'ok' ? 1 : 0)
  })
})
