import { execFileSync } from 'node:child_process'
import { existsSync, linkSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openFileRoots } from '../src/tools/file-roots.ts'
import { fileTools } from '../src/tools/file-tools.ts'
import { fileToolKit, reasonOf, twoFolders } from './file-kit.ts'

const isLinux = process.platform === 'linux'

describe.each([
  { system: 'that names open folders', isPlain: false },
  { system: 'that does not', isPlain: true }
])('on a system $system', ({ isPlain }) => {
  const rooms = async () => {
    const { inside, outside } = await twoFolders()
    return { inside, outside, tools: fileToolKit({ read: [inside], write: [inside] }, { isPlain }) }
  }

  test.each<[string, string, string]>([
    ['the empty path', '', 'invalid_path'],
    ['a path with ".." that stays inside', 'a/../b', 'invalid_path'],
    ['a path with ".." that leaves', '../outside/f', 'invalid_path'],
    ['a path that is ".."', '..', 'invalid_path'],
    ['a path with NUL', 'a\0b', 'invalid_path'],
    ['half a surrogate pair', 'a\ud800', 'invalid_path'],
    ['a path of 4,097 bytes', 'ä/'.repeat(1366), 'invalid_path'],
    ['a path of 65 names', 'a/'.repeat(65), 'invalid_path'],
    ['a name of 256 bytes', 'ä'.repeat(128), 'invalid_path'],
    ['an absolute path outside', '/etc/passwd', 'outside_roots'],
    ['the root of the system', '/', 'outside_roots'],
    ['the root of a process', '/proc/self/root/etc/passwd', 'outside_roots'],
    ['a home', '~/f', 'not_found'],
    ['a path of Windows', '\\\\?\\C:\\f', 'not_found'],
    ['the root itself', '.', 'not_a_file'],
    ['a path that ends in a slash', 'f/', 'not_a_file']
  ])('refuses to read %s', async (_, path, reason) => {
    // B098
    const { tools } = await rooms()
    expect(await tools.refusal('read_file', { path })).toBe(reason)
  })

  test('refuses a folder whose name begins like that of the root', async () => {
    // B098
    const { inside, tools } = await rooms()
    mkdirSync(`${inside}2`)
    writeFileSync(`${inside}2/f`, 'twin')
    expect(await tools.refusal('read_file', { path: `${inside}2/f` })).toBe('outside_roots')
    expect(await tools.refusal('write_file', { path: `${inside}2/g`, content: '' })).toBe('outside_roots')
    expect(readdirSync(`${inside}2`)).toEqual(['f'])
  })

  test('takes a relative path, an absolute one and one with needless parts for the same file', async () => {
    const { inside, tools } = await rooms()
    mkdirSync(join(inside, 'a'))
    writeFileSync(join(inside, 'a/f'), 'here')
    for (const path of ['a/f', './a//./f', join(inside, 'a/f')])
      expect(await tools.read(path)).toEqual([expect.stringMatching(/^a\/f: /), 'here'])
  })

  test('follows no link to a file, a folder or nothing, and leaves what lies outside as it is', async () => {
    // B098
    const { inside, outside, tools } = await rooms()
    writeFileSync(join(outside, 'f'), 'outside')
    symlinkSync(join(outside, 'f'), join(inside, 'file'))
    symlinkSync(outside, join(inside, 'folder'))
    symlinkSync(join(outside, 'none'), join(inside, 'dangling'))
    for (const path of ['file', 'folder/f', 'dangling']) {
      expect(await tools.refusal('read_file', { path })).toBe('link')
      expect(await tools.refusal('write_file', { path, content: 'x' })).toBe('link')
      expect(await tools.refusal('edit_file', { path, oldText: 'outside', newText: 'x' })).toBe('link')
    }
    expect(await tools.refusal('write_file', { path: 'folder/new/f', content: 'x' })).toBe('link')
    expect(await tools.refusal('list_directory', { path: 'folder' })).toBe('link')
    expect(await tools.refusal('search_files', { path: 'folder', pattern: 'o' })).toBe('link')
    expect(await tools.refusal('search_files', { path: 'file', pattern: 'o' })).toBe('link')
    expect(await tools.ask('search_files', { pattern: 'outside' })).toMatchObject({ files: [], isWhole: true })
    expect(readdirSync(outside)).toEqual(['f'])
    expect(readFileSync(join(outside, 'f'), 'utf8')).toBe('outside')
  })

  test('follows no link that stays inside either, and says where it points', async () => {
    const { inside, tools } = await rooms()
    writeFileSync(join(inside, 'f'), 'inside')
    symlinkSync('f', join(inside, 'link'))
    await expect(tools.call('read_file', { path: 'link' })).rejects.toMatchObject({
      code: 'file_unreadable',
      message: expect.stringContaining(' to f.'),
      details: { reason: 'link' }
    })
    expect(await tools.ask('list_directory', {})).toMatchObject({ entries: [{ name: 'f' }, { name: 'link', kind: 'link', target: 'f' }] })
  })

  test.skipIf(!isLinux)('opens no pipe, no socket and no device', async () => {
    // B098
    const { inside, tools } = await rooms()
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(inside, 'pipe')])
    const server = createServer()
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(join(inside, 'socket'), resolve))
    for (const path of ['pipe', 'socket']) {
      expect(await tools.refusal('read_file', { path })).toBe('special_file')
      expect(await tools.refusal('write_file', { path, content: '' })).toBe('special_file')
      expect(await tools.refusal('edit_file', { path, oldText: 'a', newText: 'b' })).toBe('special_file')
    }
    expect(statSync(join(inside, 'pipe')).isFIFO()).toBe(true)
    expect(await tools.ask('search_files', { pattern: 'a' })).toMatchObject({ files: [], searched: 0, isWhole: true })
    expect(await tools.ask('list_directory', {})).toMatchObject({ entries: [{ kind: 'special' }, { kind: 'special' }] })
    const devices = fileToolKit({ read: ['/dev'] }, { isPlain })
    for (const path of ['zero', 'null', 'tty']) expect(await devices.refusal('read_file', { path })).toBe('special_file')
  })

  test.skipIf(!isLinux)('opens no file of the kernel, also where the root is that of the system', async () => {
    // B098
    const tools = fileToolKit({ read: ['/'] }, { isPlain })
    for (const path of ['/proc/self/environ', `/proc/${process.pid}/environ`, '/proc/version', '/sys/kernel/mm/ksm/run'])
      expect(await tools.refusal('read_file', { path })).toBe('special_file')
    expect(['link', 'special_file']).toContain(await tools.refusal('read_file', { path: '/proc/self/root/etc/passwd' }))
    expect(await tools.refusal('list_directory', { path: '/sys' })).toBe('special_file')
    expect(await tools.call('read_file', { path: '/etc/passwd' })).toContain('root')
  })

  test('writes no folder over a file and no file over a folder', async () => {
    const { inside, tools } = await rooms()
    mkdirSync(join(inside, 'folder'))
    writeFileSync(join(inside, 'file'), 'old')
    expect(await tools.refusal('write_file', { path: 'folder', content: '' })).toBe('not_a_file')
    expect(await tools.refusal('write_file', { path: 'file/f', content: '' })).toBe('not_a_folder')
    expect(await tools.refusal('list_directory', { path: 'file' })).toBe('not_a_folder')
    expect(readFileSync(join(inside, 'file'), 'utf8')).toBe('old')
  })

  test('gives a file with a hard link a content of its own', async () => {
    // B098
    const { inside, outside, tools } = await rooms()
    writeFileSync(join(outside, 'f'), 'shared')
    linkSync(join(outside, 'f'), join(inside, 'f'))
    expect((await tools.read('f'))[1]).toBe('shared')
    await tools.call('write_file', { path: 'f', content: 'mine' })
    expect(readFileSync(join(outside, 'f'), 'utf8')).toBe('shared')
    expect(readFileSync(join(inside, 'f'), 'utf8')).toBe('mine')
  })

  test('takes a root that is named by a link, and paths that begin as it was named', async () => {
    // B098
    const { inside } = await rooms()
    writeFileSync(join(inside, 'f'), 'here')
    const named = join(inside, '../named')
    symlinkSync(inside, named)
    const tools = fileToolKit({ read: [named] }, { isPlain })
    for (const path of ['f', join(named, 'f'), join(inside, 'f')]) expect((await tools.read(path))[1]).toBe('here')
  })

  test('opens nothing when a link has taken the place of the root, or of a folder above it', async () => {
    const { inside, outside, tools } = await rooms()
    const deep = join(inside, 'a/b')
    mkdirSync(deep, { recursive: true })
    mkdirSync(join(outside, 'b'))
    writeFileSync(join(outside, 'b/f'), 'outside')
    writeFileSync(join(deep, 'f'), 'inside')
    const below = fileToolKit({ read: [deep], write: [deep] }, { isPlain })
    expect((await below.read('f'))[1]).toBe('inside')
    renameSync(join(inside, 'a'), join(inside, 'c'))
    symlinkSync(outside, join(inside, 'a'))
    expect(await below.refusal('read_file', { path: 'f' })).toBe('moved')
    expect(await below.refusal('write_file', { path: 'g', content: '' })).toBe('moved')
    expect(readdirSync(join(outside, 'b'))).toEqual(['f'])
    expect(await tools.refusal('read_file', { path: 'a/b/f' })).toBe('link')
  })

  test.skipIf(!isLinux)('does not tell names in composed and decomposed letters, and in other cases, for one another', async () => {
    const { inside, tools } = await rooms()
    const names = ['é', 'e\u0301', 'E\u0301', 'a', 'A']
    for (const name of names) await tools.call('write_file', { path: name, content: name })
    expect(readdirSync(inside)).toHaveLength(5)
    for (const name of names) expect((await tools.read(name))[1]).toBe(name)
  })
})

test.skipIf(!isLinux)('knows whether the system names open folders', async () => {
  const { inside } = await twoFolders()
  expect((await openFileRoots({ read: [inside] })).isRaceFree).toBe(true)
  expect((await openFileRoots({ read: [inside] }, { descriptors: '/nowhere' })).isRaceFree).toBe(false)
})

describe('roots', () => {
  test('to write say nothing about reading, and roots to read nothing about writing', async () => {
    const { inside, outside } = await twoFolders()
    writeFileSync(join(inside, 'f'), 'a')
    writeFileSync(join(outside, 'f'), 'a')
    const tools = fileToolKit({ read: [inside], write: [outside] })
    expect(await tools.refusal('read_file', { path: join(outside, 'f') })).toBe('outside_roots')
    expect(await tools.refusal('search_files', { path: outside, pattern: 'a' })).toBe('outside_roots')
    expect(await tools.refusal('list_directory', { path: outside })).toBe('outside_roots')
    expect(await tools.refusal('write_file', { path: 'f', content: 'b' })).toBe('outside_roots')
    // What an edit answers tells what stands in the file.
    expect(await tools.refusal('edit_file', { path: join(outside, 'f'), oldText: 'a', newText: 'b' })).toBe('outside_roots')
    expect(await tools.refusal('edit_file', { path: 'f', oldText: 'a', newText: 'b' })).toBe('outside_roots')
    expect(await tools.ask('write_file', { path: join(outside, 'f'), content: 'b' })).toMatchObject({
      path: join(outside, 'f'),
      created: false
    })
    expect(readFileSync(join(inside, 'f'), 'utf8')).toBe('a')
  })

  test('give the tools that they allow', () => {
    const names = (options: Parameters<typeof fileTools>[0]) => fileTools(options).map((tool) => tool.name)
    expect(names({ read: ['/a'] })).toEqual(['read_file', 'list_directory', 'search_files'])
    expect(names({ write: ['/a'] })).toEqual(['write_file'])
    expect(names({ read: ['/a'], write: ['/a'] })).toEqual(['read_file', 'list_directory', 'search_files', 'write_file', 'edit_file'])
    expect(names({})).toEqual([])
  })

  test('that lie within another are written where only they may be', async () => {
    const { inside } = await twoFolders()
    mkdirSync(join(inside, 'out'))
    const tools = fileToolKit({ read: [inside], write: [join(inside, 'out')] })
    expect(await tools.ask('write_file', { path: 'out/deep/f', content: 'x' })).toMatchObject({ path: 'out/deep/f', created: true })
    expect(await tools.refusal('write_file', { path: 'f', content: 'x' })).toBe('outside_roots')
    expect((await tools.read('out/deep/f'))[1]).toBe('x')
  })

  test('must be folders, and not of the kernel', async () => {
    const { inside } = await twoFolders()
    writeFileSync(join(inside, 'f'), '')
    for (const read of [[join(inside, 'none')], [join(inside, 'f')], ...(isLinux ? [['/proc/self']] : [])])
      await expect(openFileRoots({ read })).rejects.toMatchObject({ code: 'invalid_input', details: { root: read[0] } })
  })

  test('must be paths', () => {
    for (const read of ['/a', [1], [''], ['a\0b'], null])
      expect(() => fileTools({ read: read as never })).toThrow(
        expect.objectContaining({ code: 'invalid_input', details: { field: 'read' } })
      )
  })

  test('that are made later are found then', async () => {
    const { inside } = await twoFolders()
    const tools = fileToolKit({ read: [join(inside, 'later')] })
    await expect(tools.call('list_directory', {})).rejects.toMatchObject({ code: 'invalid_input' })
    mkdirSync(join(inside, 'later'))
    expect(await tools.ask('list_directory', {})).toMatchObject({ entries: [] })
  })
})

test('a name with line breaks and characters that hide others is shown as one line, and can be given back', async () => {
  // B111
  const { inside } = await twoFolders()
  const name = 'a\nfake: 1 line\u202e\u001b[2Kb'
  writeFileSync(join(inside, name), 'text')
  const tools = fileToolKit({ read: [inside] })
  const [heading] = await tools.read(name)
  expect(heading).not.toMatch(/[\u202e\u001b\n]/)
  expect(JSON.parse(heading.slice(0, heading.indexOf('"', 1) + 1))).toBe(name)
  const listed = await tools.ask('list_directory', {})
  expect(JSON.stringify(listed)).not.toMatch(/[\n\u001b]/)
  expect(listed).toMatchObject({ entries: [{ name }] })
  expect(await reasonOf(tools.call('read_file', { path: `${name}2` }))).toBe('not_found')
})

test('an empty folder is made only where it may be written', async () => {
  const { inside, outside } = await twoFolders()
  const tools = fileToolKit({ read: [inside], write: [outside] })
  expect(await tools.refusal('read_file', { path: 'new/f' })).toBe('not_found')
  expect(existsSync(join(inside, 'new'))).toBe(false)
})
