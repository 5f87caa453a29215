import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import { openFileRoots } from '../src/tools/file-roots.ts'
import type { FileToolKit } from './file-kit.ts'
import { fileToolKit, twoFolders } from './file-kit.ts'

describe.each([{ isPlain: false }, { isPlain: true }])('the folder of the store (plain paths: $isPlain)', ({ isPlain }) => {
  /** A root with a real store in `.holdfast`, and a file beside it. */
  async function rootWithStore() {
    const { inside, outside } = await twoFolders()
    const store = join(inside, '.holdfast')
    mkdirSync(store)
    const opened = await sqliteStore(join(store, 'holdfast.db'))
    onTestFinished(() => opened[Symbol.asyncDispose]())
    writeFileSync(join(store, 'note'), 'needle')
    writeFileSync(join(inside, 'f'), 'needle')
    writeFileSync(join(inside, '.holdfast-notes'), 'needle')
    return { inside, outside, store, tools: fileToolKit({ read: [inside], write: [inside], hidden: [store] }, { isPlain }) }
  }

  test('is refused by every tool, and by whatever path', async () => {
    const { inside, store, tools } = await rootWithStore()
    const before = readdirSync(store)
    for (const path of ['.holdfast/note', './/.holdfast/./note', join(store, 'note'), join(inside, '.holdfast', 'holdfast.db')])
      await expectRefused(tools, path)
    for (const path of ['.holdfast', '.holdfast/', '.holdfast/none'])
      for (const [name, input] of [
        ['list_directory', {}],
        ['search_files', { pattern: 'needle' }]
      ] as const)
        expect(await tools.refusal(name, { path, ...input })).toBe('hidden')
    expect(await tools.refusal('write_file', { path: '.holdfast/new/f', content: '' })).toBe('hidden')
    expect(await tools.refusal('write_file', { path: '.holdfast', content: '' })).toBe('hidden')
    expect(readdirSync(store)).toEqual(before)
  })

  test('stands in no listing and is searched by no search', async () => {
    const { tools } = await rootWithStore()
    const listed = await tools.ask('list_directory', { depth: 4 })
    expect(listed).toMatchObject({ entries: [{ name: '.holdfast-notes' }, { name: 'f' }], more: 0 })
    const found = await tools.ask('search_files', { pattern: 'needle' })
    expect(found).toMatchObject({ files: [{ path: '.holdfast-notes' }, { path: 'f' }], searched: 2, skipped: {}, isWhole: true })
  })

  test('stays closed when it is moved within the root', async () => {
    const { inside, store, tools } = await rootWithStore()
    await tools.ask('list_directory', {})
    renameSync(store, join(inside, 'moved'))
    await expectRefused(tools, 'moved/note')
    expect(await tools.ask('list_directory', { depth: 2 })).toMatchObject({ entries: [{ name: '.holdfast-notes' }, { name: 'f' }] })
    expect(await tools.ask('search_files', { pattern: 'needle' })).toMatchObject({ searched: 2 })
  })

  test('is closed as soon as it exists, also when it is named by a link', async () => {
    const { inside, outside } = await twoFolders()
    symlinkSync(join(inside, 'later'), join(outside, 'store'))
    const tools = fileToolKit({ read: [inside], hidden: [join(outside, 'store')] }, { isPlain })
    expect(await tools.ask('list_directory', {})).toMatchObject({ entries: [] })
    mkdirSync(join(inside, 'later'))
    writeFileSync(join(inside, 'later/note'), 'needle')
    expect(await tools.refusal('read_file', { path: 'later/note' })).toBe('hidden')
    expect(await tools.ask('list_directory', {})).toMatchObject({ entries: [] })
  })

  test('cannot be made a root', async () => {
    const { store } = await rootWithStore()
    mkdirSync(join(store, 'sub'))
    for (const root of [store, join(store, 'sub')])
      await expect(openFileRoots({ write: [root], hidden: [store] })).rejects.toMatchObject({ code: 'invalid_input', details: { root } })
  })

  test('that is no folder but a file is closed with what the database keeps beside it', async () => {
    const { inside } = await twoFolders()
    const store = await sqliteStore(join(inside, 'holdfast.db'))
    onTestFinished(() => store[Symbol.asyncDispose]())
    writeFileSync(join(inside, 'holdfast.dbx'), 'needle')
    expect(readdirSync(inside)).toContain('holdfast.db-wal')
    const tools = fileToolKit({ read: [inside], write: [inside], hidden: [join(inside, 'holdfast.db')] }, { isPlain })
    for (const path of ['holdfast.db', 'holdfast.db-wal', 'holdfast.db-shm', 'holdfast.db-journal']) await expectRefused(tools, path)
    expect(await tools.ask('list_directory', {})).toMatchObject({ entries: [{ name: 'holdfast.dbx' }] })
    expect(readFileSync(join(inside, 'holdfast.db')).subarray(0, 6).toString()).toBe('SQLite')
  })
})

async function expectRefused(tools: FileToolKit, path: string): Promise<void> {
  expect(await tools.refusal('read_file', { path })).toBe('hidden')
  expect(await tools.refusal('write_file', { path, content: 'x' })).toBe('hidden')
  expect(await tools.refusal('edit_file', { path, oldText: 'needle', newText: 'x' })).toBe('hidden')
  expect(await tools.refusal('search_files', { path, pattern: 'needle' })).toBe('hidden')
}
