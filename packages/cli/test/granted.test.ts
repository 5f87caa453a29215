import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addFiles, folderWith, holdfast, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'
import { documentOf } from './waits-kit.ts'

/** A project whose agent reads these files, one after another. */
function reader(paths: readonly string[], config?: object, agent: object = {}): string {
  return folderWith({
    ...scriptedAgent([...paths.map((path) => calling('read_file', { path })), { text: 'done' }], { tools: ['read_file'], ...agent }),
    'notes/monday.md': 'No paper.\n',
    'private/diary.md': 'Dear diary\n',
    ...(config === undefined ? {} : { 'holdfast.config.yaml': JSON.stringify({ version: '1.0', ...config }) })
  })
}

async function outcomesOf(folder: string, thread: string): Promise<readonly string[]> {
  const { stdout } = await holdfast(folder, ['log', thread, '--jsonl'])
  return [...stdout.matchAll(/"outcome":"(\w+)"/g)].map(([, outcome = '']) => outcome)
}

describe('--grant', () => {
  test('grants to one thread what no configuration does, and is remembered with it', async () => {
    const folder = reader(['monday.md'])
    expect((await holdfast(folder, ['run', 'agent.yaml'])).code).toBe(2)
    const thread = threadOf((await holdfast(folder, ['run', 'agent.yaml', '--grant', 'files.read=./notes', '--detach'])).stdout)
    expect((await holdfast(folder, ['resume', thread])).code).toBe(0)
    expect(await outcomesOf(folder, thread)).toEqual(['ok'])
    const { may } = await documentOf<{ may: { grants: { files: { read: string[] } } } }>(folder, ['show', thread])
    expect(may.grants.files.read).toContain(join(folder, 'notes'))
  })

  test('of tools means those alone', async () => {
    const folder = folderWith(
      scriptedAgent([calling('echo', { text: 'x' }), calling('stamp'), { text: 'done' }], { tools: ['echo', 'stamp'] })
    )
    const told = await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs', '--grant', 'tools=host:echo'])
    expect(await outcomesOf(folder, threadOf(told))).toEqual(['ok', 'blocked'])
  })

  test.each(['files.read', 'files.red=./notes', 'tools=', 'shell=maybe', 'network=http://x/', 'tools=echo', '__proto__=x'])(
    '%s is refused before anything is started',
    async (grant) => {
      const folder = folderWith(scriptedAgent([{ text: 'done' }]))
      expect((await holdfast(folder, ['run', 'agent.yaml', '--grant', grant])).code).toBe(2)
      expect((await holdfast(folder, ['threads'])).code).toBe(6)
    }
  )

  test('cannot be given to a thread that was started without', async () => {
    const folder = reader(['monday.md'], { grants: { files: { read: ['workspace:/notes'] } } })
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    expect((await holdfast(folder, ['run', 'agent.yaml', 'more', '--thread', thread, '--grant', 'files.read=.'])).code).toBe(2)
  })
})

describe('a model that is not granted', () => {
  const config = (models: readonly string[]) => ({ 'holdfast.config.yaml': JSON.stringify({ version: '1.0', grants: { models } }) })
  const MODEL = 'scripted/./script.yaml'

  test('is not asked, and it is said how it would be', async () => {
    const folder = folderWith({ ...scriptedAgent([{ text: 'done' }]), ...config(['main']) })
    expect(await documentOf(folder, ['run', 'agent.yaml'])).toMatchObject({
      exit: 2,
      error: { code: 'model_not_granted', details: { models: [MODEL] } }
    })
    expect((await holdfast(folder, ['run', 'agent.yaml'])).stderr).toContain('--grant models=')
    expect((await holdfast(folder, ['run', 'agent.yaml', '--grant', `models=${MODEL}`])).code).toBe(0)
  })

  test('stops a thread that was started with it, which can still be cancelled, or goes on when it is granted again', async () => {
    const folder = folderWith({ ...scriptedAgent([{ text: 'done' }]), ...config([MODEL]) })
    const [first, second] = [0, 1].map(() => holdfast(folder, ['run', 'agent.yaml', '--detach']))
    const [one, two] = [threadOf((await first)?.stdout ?? ''), threadOf((await second)?.stdout ?? '')]
    addFiles(folder, config(['main']))
    for (const thread of [one, two]) {
      expect(await documentOf(folder, ['resume', thread])).toMatchObject({ exit: 2, error: { code: 'model_not_granted' } })
    }
    expect((await holdfast(folder, ['cancel', one])).code).toBe(0)
    addFiles(folder, config([MODEL]))
    expect(await documentOf(folder, ['resume', two])).toMatchObject({ exit: 0, text: 'done' })
    expect(await documentOf(folder, ['show', one])).toMatchObject({ thread: { row: { status: 'cancelled' } } })
  })
})

describe('what a thread may do', () => {
  // I8
  test('is not more when the configuration grants more later', async () => {
    const narrow = { grants: { files: { read: ['workspace:/notes'] } } }
    const folder = reader(['PLACE/notes/monday.md', 'PLACE/private/diary.md'], narrow)
    addFiles(folder, { 'script.yaml': readFileSync(join(folder, 'script.yaml'), 'utf8').replaceAll('PLACE', folder) })
    const thread = threadOf((await holdfast(folder, ['run', 'agent.yaml', '--detach'])).stdout)
    addFiles(folder, { 'holdfast.config.yaml': JSON.stringify({ version: '1.0', grants: { files: { read: ['workspace:/'] } } }) })
    expect((await holdfast(folder, ['resume', thread])).code).toBe(0)
    expect(await outcomesOf(folder, thread)).toEqual(['ok', 'error'])
  })

  test('is less when it grants less', async () => {
    const folder = reader(['monday.md'], { grants: { files: { read: ['workspace:/notes'] } } })
    const thread = threadOf((await holdfast(folder, ['run', 'agent.yaml', '--detach'])).stdout)
    addFiles(folder, {
      'holdfast.config.yaml': JSON.stringify({ version: '1.0', grants: { files: { read: ['workspace:/notes'] }, tools: [] } })
    })
    expect((await holdfast(folder, ['resume', thread])).code).toBe(0)
    expect(await outcomesOf(folder, thread)).toEqual(['blocked'])
    expect(await documentOf(folder, ['show', thread])).toMatchObject({ may: { grants: { tools: [] } } })
  })

  test('is nothing where it was started with nothing, and its tools are told to be missing', async () => {
    const folder = reader([], { grants: {} }, { tools: [] })
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    addFiles(folder, { 'holdfast.config.yaml': JSON.stringify({ version: '1.0', grants: { files: { read: ['workspace:/'] } } }) })
    expect(await documentOf(folder, ['show', thread])).toMatchObject({ may: { grants: { files: { read: [] }, tools: 'all' } } })
  })

  test('is said for one of whose configuration nothing can be read', async () => {
    const folder = reader(['monday.md'], { grants: { files: { read: ['workspace:/notes'] } } })
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    addFiles(folder, { 'holdfast.config.yaml': 'version: "1.0"\ngrants: { fils: {} }\n' })
    expect(await documentOf(folder, ['show', thread])).toMatchObject({ exit: 0, may: { problem: { code: 'invalid_config' } } })
  })
})
