import { Buffer } from 'node:buffer'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fileToolKit, twoFolders } from './file-kit.ts'

async function root() {
  const { inside } = await twoFolders()
  return { inside, tools: fileToolKit({ read: [inside], write: [inside] }) }
}

describe('list_directory', () => {
  test('names what a folder holds, in order, with kinds and sizes', async () => {
    const { inside, tools } = await root()
    mkdirSync(join(inside, 'b/deep'), { recursive: true })
    writeFileSync(join(inside, 'c'), 'four')
    writeFileSync(join(inside, 'a'), '')
    writeFileSync(join(inside, 'b/d'), 'x')
    symlinkSync('/etc', join(inside, 'e'))
    expect(await tools.ask('list_directory', {})).toEqual({
      path: '.',
      entries: [
        { name: 'a', kind: 'file', size: 0 },
        { name: 'b', kind: 'folder' },
        { name: 'c', kind: 'file', size: 4 },
        { name: 'e', kind: 'link', target: '/etc' }
      ],
      more: 0
    })
    expect(await tools.ask('list_directory', { path: 'b/', depth: 2 })).toEqual({
      path: 'b',
      entries: [
        { name: 'd', kind: 'file', size: 1 },
        { name: 'deep', kind: 'folder' }
      ],
      more: 0
    })
  })

  test('names the levels beneath by their paths, a folder before what it holds', async () => {
    const { inside, tools } = await root()
    mkdirSync(join(inside, 'a/b/c/d'), { recursive: true })
    writeFileSync(join(inside, 'a/b/f'), '')
    const listed = await tools.ask('list_directory', { depth: 3 })
    expect(listed['entries']).toMatchObject([{ name: 'a' }, { name: 'a/b' }, { name: 'a/b/c' }, { name: 'a/b/f' }])
  })

  test('says how many there are more than it shows', async () => {
    const { inside, tools } = await root()
    for (let index = 0; index < 700; index += 1) writeFileSync(join(inside, `f${String(index).padStart(3, '0')}`), '')
    expect(await tools.ask('list_directory', { limit: 5 })).toMatchObject({ entries: { length: 5, 4: { name: 'f004' } }, more: 695 })
    expect(await tools.ask('list_directory', {})).toMatchObject({ entries: { length: 500 }, more: 200 })
  })

  test('is bounded by its length, too', async () => {
    const { inside, tools } = await root()
    for (let index = 0; index < 400; index += 1) writeFileSync(join(inside, `${'n'.repeat(240)}${index}`), '')
    const listed = await tools.ask('list_directory', { limit: 2_000 })
    expect(JSON.stringify(listed).length).toBeLessThan(70_000)
    expect((listed['entries'] as unknown[]).length + Number(listed['more'])).toBe(400)
  })

  test('shows a name that is no UTF-8 by its bytes, and says that it cannot be given', async () => {
    const { inside, tools } = await root()
    writeFileSync(Buffer.concat([Buffer.from(`${inside}/caf`), Buffer.from([0xe9, 0x0a])]), 'needle')
    expect(await tools.ask('list_directory', {})).toMatchObject({
      entries: [{ name: 'caf\\xe9\\x0a', kind: 'file', note: expect.any(String) }]
    })
    expect(await tools.ask('search_files', { pattern: 'needle' })).toMatchObject({ files: [], skipped: { unreadable: 1 } })
  })

  test('says where a folder cannot be listed, and lists the others', async ({ skip }) => {
    if (process.getuid?.() === 0) skip('the superuser may list every folder')
    const { inside, tools } = await root()
    mkdirSync(join(inside, 'a'), { mode: 0o000 })
    writeFileSync(join(inside, 'b'), '')
    expect(await tools.ask('list_directory', { depth: 2 })).toMatchObject({
      entries: [{ name: 'a', note: expect.stringContaining('denied') }, { name: 'b' }],
      moreIsAtLeast: true
    })
  })
})

describe('search_files', () => {
  test('finds lines by a text, with their numbers, in the order of the paths', async () => {
    const { inside, tools } = await root()
    mkdirSync(join(inside, 'a'))
    writeFileSync(join(inside, 'b'), 'one\r\nneedle (1)\r\n\r\nneedle 2')
    writeFileSync(join(inside, 'a/c'), 'Needle')
    writeFileSync(join(inside, 'u'), Buffer.from('\ufeffneedle 3', 'utf16le'))
    expect(await tools.ask('search_files', { pattern: 'needle' })).toEqual({
      files: [
        {
          path: 'b',
          lines: [
            { line: 2, text: 'needle (1)' },
            { line: 4, text: 'needle 2' }
          ]
        },
        { path: 'u', lines: [{ line: 1, text: 'needle 3' }] }
      ],
      searched: 3,
      skipped: {},
      isWhole: true
    })
    expect(await tools.ask('search_files', { pattern: 'e (1)' })).toMatchObject({ files: [{ path: 'b', lines: [{ line: 2 }] }] })
    expect(await tools.ask('search_files', { pattern: 'NEEDLE', ignoreCase: true, path: 'a' })).toMatchObject({ files: [{ path: 'a/c' }] })
    expect(await tools.ask('search_files', { pattern: 'needle', path: 'b' })).toMatchObject({ files: [{ path: 'b' }], searched: 1 })
  })

  test.each([
    ['^need\\w+ \\(\\d\\)$', false, ['b']],
    ['NEED', true, ['b', 'c']],
    ['(?i)NEED', false, ['b', 'c']],
    ['x|needle 2', false, ['c']],
    ['[^n]eed', false, []]
  ])('finds lines by the expression %s', async (pattern, ignoreCase, paths) => {
    const { inside, tools } = await root()
    writeFileSync(join(inside, 'b'), 'needle (1)\n')
    writeFileSync(join(inside, 'c'), 'needle 2\n')
    const found = await tools.ask('search_files', { pattern, regex: true, ignoreCase })
    expect((found['files'] as { path: string }[]).map((file) => file.path)).toEqual(paths)
  })

  test.each([
    ['(?=a)', true],
    ['(a)\\1', true],
    ['[', true],
    ['', false],
    ['', true],
    ['a\nb', false],
    ['a'.repeat(501), false]
  ])('refuses the pattern %j (expression: %s)', async (pattern, regex) => {
    const { tools } = await root()
    expect(await tools.refusal('search_files', { pattern, regex })).toBe('invalid_pattern')
  })

  test.each([
    ['*.ts', ['a.ts', 'src/b.ts', 'src/deep/c.ts']],
    ['src/*.ts', ['src/b.ts']],
    ['src/**/*.ts', ['src/b.ts', 'src/deep/c.ts']],
    ['/src/**', ['src/b.ts', 'src/deep/c.ts', 'src/x{1}.md']],
    ['**/*.{md,tsx}', ['src/x{1}.md']],
    ['?.ts', ['a.ts', 'src/b.ts', 'src/deep/c.ts']],
    ['[ab].ts', ['a.ts', 'src/b.ts']],
    ['[!a].ts', ['src/b.ts', 'src/deep/c.ts']],
    ['x\\{1\\}.*', ['src/x{1}.md']],
    ['a,ts', []],
    ['b.tss', []],
    ['src', []]
  ])('searches only what fits the glob %s', async (glob, paths) => {
    const { inside, tools } = await root()
    mkdirSync(join(inside, 'src/deep'), { recursive: true })
    for (const path of ['a.ts', 'src/b.ts', 'src/deep/c.ts', 'src/x{1}.md']) writeFileSync(join(inside, path), 'needle')
    const found = await tools.ask('search_files', { pattern: 'needle', glob })
    expect((found['files'] as { path: string }[]).map((file) => file.path)).toEqual(paths)
  })

  test('refuses a glob that cannot be read', async () => {
    const { tools } = await root()
    for (const glob of ['{a', 'a'.repeat(501), '[z-a]'])
      expect(await tools.refusal('search_files', { pattern: 'a', glob })).toBe('invalid_pattern')
  })

  test('takes patterns and globs that would be endless elsewhere', async () => {
    const { inside, tools } = await root()
    writeFileSync(join(inside, 'a'.repeat(200)), `${'a'.repeat(1_000_000)}\n`.repeat(4))
    for (const pattern of ['(a+)+$x', '(a|a)*b', '(.*)*c', 'a*a*a*a*a*a*b'])
      expect(await tools.ask('search_files', { pattern, regex: true })).toMatchObject({ files: [], searched: 1 })
    expect(await tools.ask('search_files', { pattern: `${'a'.repeat(250)}b${'a'.repeat(249)}` })).toMatchObject({ files: [], searched: 1 })
    expect(await tools.ask('search_files', { pattern: 'a', glob: `${'*a'.repeat(100)}*b` })).toMatchObject({ files: [], searched: 0 })
  })

  test('counts what it does not search: no text, too large, made by others', async () => {
    // B101
    const { inside, tools } = await root()
    for (const folder of ['.git', 'node_modules/p']) mkdirSync(join(inside, folder), { recursive: true })
    for (const path of ['.git/f', 'node_modules/p/f', 'f']) writeFileSync(join(inside, path), 'needle')
    writeFileSync(join(inside, 'image'), Buffer.from('89504e470d0a1a0a6e6565646c65', 'hex'))
    writeFileSync(join(inside, 'large'), 'needle\n'.repeat(2_000_000))
    expect(await tools.ask('search_files', { pattern: 'needle' })).toMatchObject({
      files: [{ path: 'f' }],
      searched: 1,
      skipped: { left_out: 2, binary: 1, too_large: 1 },
      isWhole: true
    })
    expect(await tools.ask('search_files', { pattern: 'needle', path: 'node_modules/p' })).toMatchObject({
      files: [{ path: 'node_modules/p/f' }]
    })
  })

  test('ends when it has found enough, and says so', async () => {
    const { inside, tools } = await root()
    for (const name of ['a', 'b', 'c']) writeFileSync(join(inside, name), 'needle\n'.repeat(100_000))
    const found = await tools.ask('search_files', { pattern: 'needle', limit: 7 })
    expect(found).toMatchObject({ files: [{ path: 'a', lines: { length: 7 } }], isWhole: false })
    const most = await tools.ask('search_files', { pattern: 'needle', limit: 1_000 })
    expect(most).toMatchObject({ files: [{ lines: { length: 1_000 } }], isWhole: false })
    writeFileSync(join(inside, 'a'), `${'\u0001'.repeat(400)}needle\n${'needle'.repeat(100)}\n`.repeat(1_000))
    const long = await tools.ask('search_files', { pattern: 'needle', limit: 1_000 })
    expect(JSON.stringify(long).length).toBeLessThan(65_000)
  })

  test('lets others run while it searches, and stops when nobody waits any more', async () => {
    const { inside, tools } = await root()
    for (let index = 0; index < 20; index += 1) writeFileSync(join(inside, `f${index}`), 'some words on a line\n'.repeat(100_000))
    const stop = new AbortController()
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
      if (turns === 5) stop.abort()
    }, 1)
    const search = tools.call('search_files', { pattern: '(some|other) word$', regex: true }, { signal: stop.signal })
    await expect(search).rejects.toThrow(/abort/)
    clearInterval(timer)
    expect(turns).toBeGreaterThanOrEqual(5)
  })
})
