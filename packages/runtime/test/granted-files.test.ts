// Keeps I8 in the tools themselves: a thread reaches what its own grants hold of the roots of a tool, and what others do with folders meanwhile changes nothing.
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { GrantsInput } from '../src/contracts/grants.ts'
import type { Tool } from '../src/contracts/tool.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import type { FileRootsOptions } from '../src/tools/file-roots.ts'
import { fileTools } from '../src/tools/file-tools.ts'
import { fileToolKit, twoFolders } from './file-kit.ts'
import { grantsOf } from './grants-kit.ts'
import { runtimeOf } from './approval-kit.ts'
import { refusalOf } from './refusal.ts'
import { agentOf, outcomesOf, recordingModel, runtimeFor, within } from './runtime-kit.ts'

type Files = NonNullable<GrantsInput['files']>

/** Tools for a root with two folders, called by a thread that holds these grants. */
async function granted(toFiles: (root: string) => Files, more: (root: string) => Partial<FileRootsOptions> = () => ({})) {
  const { inside, outside } = await twoFolders()
  for (const name of ['a', 'b']) {
    mkdirSync(join(inside, name))
    writeFileSync(join(inside, name, 'f'), `in ${name}`)
  }
  const kit = fileToolKit({ read: [inside], write: [inside], ...more(inside) })
  const context = { grants: grantsOf({ files: toFiles(inside) }) }
  return {
    inside,
    outside,
    context,
    call: (name: string, input: { readonly [name: string]: unknown }) => kit.call(name, input, context),
    refusal: (name: string, input: { readonly [name: string]: unknown }) => kit.refusal(name, input, context)
  }
}

describe('a file tool', () => {
  // B098
  test.each([
    ['read_file', { path: 'b/f' }],
    ['list_directory', { path: '.' }],
    ['list_directory', { path: 'b' }],
    ['search_files', { pattern: 'in', path: '.' }],
    ['search_files', { pattern: 'in', path: 'b/f' }],
    ['write_file', { path: 'b/new', content: '' }],
    ['edit_file', { path: 'b/f', oldText: 'in', newText: 'out' }]
  ])('%s touches nothing of its roots that the thread is not granted: %j', async (name, { path, ...input }) => {
    const { inside, refusal } = await granted((root) => ({ read: [`${root}/a`], write: [`${root}/a`] }))
    expect(await refusal(name, { ...input, path: join(inside, path) })).toBe('outside_roots')
    expect(readFileSync(join(inside, 'b/f'), 'utf8')).toBe('in b')
    expect(existsSync(join(inside, 'b/new'))).toBe(false)
  })

  test('reads and writes what both hold, from the first folder that is granted on', async () => {
    const { inside, call } = await granted((root) => ({ read: [`${root}/a`], write: [`${root}/a`] }))
    expect(await call('read_file', { path: 'f' })).toContain('in a')
    expect(await call('list_directory', {})).toMatchObject({ path: '.', entries: [{ name: 'f' }], more: 0 })
    expect(await call('search_files', { pattern: 'in' })).toMatchObject({ files: [{ path: 'f' }], searched: 1 })
    expect(await call('edit_file', { path: join(inside, 'a/f'), oldText: 'in a', newText: 'new' })).toMatchObject({ path: 'f' })
    expect(await call('write_file', { path: 'deep/g', content: 'g' })).toMatchObject({ path: 'deep/g', created: true })
    expect(readFileSync(join(inside, 'a/f'), 'utf8')).toBe('new')
    expect(readFileSync(join(inside, 'a/deep/g'), 'utf8')).toBe('g')
  })

  test.each([
    ['nothing', () => ({}), 'outside_roots'],
    ['folders beside its roots', () => ({ read: ['/etc', '/usr'] }), 'outside_roots'],
    ['a folder under a name that nobody knows', () => ({ read: ['data:/a'] }), 'outside_roots'],
    ['writing, and not reading', (root: string) => ({ write: [root] }), 'outside_roots'],
    ['a name that only begins alike', (root: string) => ({ read: [`${root}/a/f2`, `${root}/a/ff`] }), 'outside_roots']
  ])('reads nothing where the thread is granted %s', async (_, toFiles, reason) => {
    const { refusal, inside } = await granted(toFiles)
    expect(await refusal('read_file', { path: join(inside, 'a/f') })).toBe(reason)
  })

  test.each([
    ['all', () => 'all' as const],
    ['a folder above its roots', () => ['/']],
    ['its root', (root: string) => [root]],
    ['a folder by its name', () => ['workspace:/a']],
    ['a folder beneath a name', () => ['workspace:/']],
    ['a folder by a path with a link', () => ['/nowhere/link/a']],
    ['one file', (root: string) => [`${root}/a/f`]]
  ])('reads what lies in its roots where the thread is granted %s', async (_, toRead) => {
    const { call, inside } = await granted(
      (root) => ({ read: toRead(root) }),
      (root) => ({ folders: { 'workspace:/': root, '/nowhere/link': root } })
    )
    expect(await call('read_file', { path: join(inside, 'a/f') })).toContain('in a')
  })

  test('takes the spelling of its roots in grants, and finds paths that begin so', async () => {
    const { inside, outside } = await twoFolders()
    mkdirSync(join(inside, 'a'))
    writeFileSync(join(inside, 'a/f'), 'in a')
    writeFileSync(join(inside, 'g'), 'beside')
    symlinkSync(inside, join(outside, 'link'))
    const kit = fileToolKit({ read: [join(outside, 'link')] })
    const context = { grants: grantsOf({ files: { read: [join(outside, 'link/a')] } }) }
    expect(await kit.call('read_file', { path: join(outside, 'link/a/f') }, context)).toContain('in a')
    expect(await kit.refusal('read_file', { path: join(outside, 'link/g') }, context)).toBe('outside_roots')
  })

  // B098
  test('follows no link that somebody puts in the place of what is granted', async () => {
    const { inside, call, refusal } = await granted((root) => ({ read: [`${root}/a`], write: [`${root}/a`] }))
    expect(await call('read_file', { path: 'f' })).toContain('in a')
    renameSync(join(inside, 'a'), join(inside, 'was'))
    symlinkSync(join(inside, 'b'), join(inside, 'a'))
    for (const [name, input] of [
      ['read_file', { path: 'f' }],
      ['list_directory', {}],
      ['write_file', { path: 'f', content: 'mine' }]
    ] as const) {
      expect(await refusal(name, input)).toBe('link')
    }
    expect(readFileSync(join(inside, 'b/f'), 'utf8')).toBe('in b')
  })

  test('makes no folder on the way to what is granted', async () => {
    const { inside, refusal, call } = await granted((root) => ({ read: [root], write: [`${root}/new/deep`, `${root}/a/made`] }))
    expect(await refusal('write_file', { path: 'new/deep/f', content: '' })).toBe('not_found')
    expect(existsSync(join(inside, 'new'))).toBe(false)
    expect(await call('write_file', { path: 'a/made/f', content: '' })).toMatchObject({ created: true })
  })

  test('takes as other names of folders only what grants can say', () => {
    for (const folders of [{ 'workspace/': '/a' }, { '/a/../b': '/a' }, { '/a/': '/a' }, { 'workspace:/': '' }]) {
      expect(() => fileTools({ read: ['/a'], folders })).toThrow(
        expect.objectContaining({ code: 'invalid_input', details: { field: 'folders' } })
      )
    }
  })
})

describe('the file tools of a thread', () => {
  const READ = { name: 'read_file', arguments: { path: 'f' } }

  /** Runs an agent that reads `f` once, in a runtime over these tools. */
  async function outcome(tools: readonly Tool<never>[], grants?: GrantsInput, start?: GrantsInput) {
    const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [READ] } : { text: 'done' }))
    const runtime = runtimeFor(model, { tools, ...(grants === undefined ? {} : { grants }) })
    const run = await runtime.start(agentOf({ tools: ['read_file'] }), { input: 'go', ...(start === undefined ? {} : { grants: start }) })
    await within(run.settled())
    return { outcomes: await outcomesOf(run), grants: await run.grants() }
  }

  async function tools() {
    const { inside } = await twoFolders()
    writeFileSync(join(inside, 'f'), 'text')
    return { inside, tools: fileTools({ read: [inside] }) }
  }

  test('reach what they were made for where the host says nothing of grants', async () => {
    const { inside, tools: given } = await tools()
    const { outcomes, grants } = await outcome(given)
    expect(outcomes).toEqual(['ok'])
    expect(grants).toMatchObject({ files: { read: [inside], write: [] }, network: { hosts: [] }, env: [], shell: 'none' })
  })

  test('are blocked where the host speaks of grants and grants no folder', async () => {
    const { inside, tools: given } = await tools()
    expect((await outcome(given, {})).outcomes).toEqual(['blocked'])
    expect((await outcome(given, { files: { write: [inside] } })).outcomes).toEqual(['blocked'])
    expect((await outcome(given, { files: { read: ['/etc'] } })).outcomes).toEqual(['error'])
    expect((await outcome(given, { files: { read: [inside] } })).outcomes).toEqual(['ok'])
  })

  test('are refused in a definition of its own where nothing of what they need is granted', async () => {
    const { inside, tools: given } = await tools()
    const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [READ] } : { text: 'done' }))
    const agent = agentOf({ tools: given.filter(({ name }) => name === 'read_file') })
    for (const more of [{}, { grants: {} }, { grants: { files: { write: [inside] } } }]) {
      const { details } = await refusalOf('invalid_tools', () => runtimeFor(model, more).start(agent, { input: 'go' }))
      expect(details).toEqual({ tool: 'read_file', field: 'grants.files.read' })
    }
    expect(model.prompts).toEqual([])
    for (const more of [{ grants: { files: { read: [inside] } } }, { tools: given }]) {
      const run = await runtimeFor(model, more).start(agent, { input: 'go' })
      await within(run.settled())
      expect(await outcomesOf(run)).toEqual(['ok'])
    }
  })

  test('hold to the grants of a start that asks for less', async () => {
    const { tools: given } = await tools()
    expect((await outcome(given, undefined, { files: { read: ['/etc'] } })).outcomes).toEqual(['blocked'])
  })

  test('are granted as tools of the system, and not by the identity of a tool of the host', async () => {
    const { tools: given } = await tools()
    const everywhere = { files: { read: 'all' } } as const
    expect((await outcome(given, { ...everywhere, tools: ['os:read_file'] })).outcomes).toEqual(['ok'])
    expect((await outcome(given, { ...everywhere, tools: ['host:read_file'] })).outcomes).toEqual(['blocked'])
  })

  test('are what a worker must have that takes up their thread', async () => {
    const { tools: given } = await tools()
    const store = memoryStore()
    const model = recordingModel(() => ({ text: 'done' }))
    const one = runtimeOf(store, { tools: given, models: { main: model }, concurrency: 0 })
    const { thread } = await one.start(agentOf({ tools: ['read_file'] }), { input: 'go' })
    const own: Tool<never> = { ...(given[0] as Tool<never>) }
    const { origin: _, ...hosts } = own
    const other = runtimeOf(store, { tools: [hosts], models: { main: model } })
    const { details } = await refusalOf('thread_unplaceable', () => other.thread(thread).resume())
    expect(details).toEqual({ missing: ['tool:os:read_file'] })
  })
})
