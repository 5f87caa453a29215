import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fileToolKit, reasonOf, twoFolders } from './file-kit.ts'

async function root() {
  const { inside } = await twoFolders()
  return { inside, tools: fileToolKit({ read: [inside], write: [inside] }) }
}

describe('write_file', () => {
  test('makes a file with the folders that are missing, and says what it made', async () => {
    const { inside, tools } = await root()
    const made = await tools.ask('write_file', { path: 'a/b/ü.txt', content: 'héllo\r\n' })
    expect(made).toEqual({ path: 'a/b/ü.txt', created: true, bytes: 8, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) })
    expect(readFileSync(join(inside, 'a/b/ü.txt'), 'utf8')).toBe('héllo\r\n')
    expect((await tools.read('a/b/ü.txt'))[0]).toContain(String(made['digest']))
  })

  test('replaces the whole content, and gives the same when it is repeated', async () => {
    const { inside, tools } = await root()
    writeFileSync(join(inside, 'f'), 'a much longer content')
    const [first, second] = [
      await tools.ask('write_file', { path: 'f', content: 'new' }),
      await tools.ask('write_file', { path: 'f', content: 'new' }, { try: 2 })
    ]
    expect(first).toEqual({ path: 'f', created: false, bytes: 3, digest: expect.any(String) })
    expect(second).toEqual(first)
    expect(readFileSync(join(inside, 'f'), 'utf8')).toBe('new')
  })

  test('keeps the mode of a file, and gives a new one the mode that every program gives', async () => {
    // B103
    const { inside, tools } = await root()
    writeFileSync(join(inside, 'script'), '#!/bin/sh\n')
    chmodSync(join(inside, 'script'), 0o4755)
    writeFileSync(join(inside, 'private'), '')
    chmodSync(join(inside, 'private'), 0o600)
    writeFileSync(join(inside, 'usual'), '')
    for (const path of ['script', 'private', 'new']) await tools.call('write_file', { path, content: 'x' })
    const mode = (path: string) => statSync(join(inside, path)).mode & 0o7777
    expect(mode('script')).toBe(0o755)
    expect(mode('private')).toBe(0o600)
    expect(mode('new')).toBe(mode('usual'))
  })

  test('keeps the owner of a file, where the system permits it', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only the superuser may give a file to another')
    const { inside, tools } = await root()
    writeFileSync(join(inside, 'f'), '')
    chownSync(join(inside, 'f'), 1234, 4321)
    await tools.call('write_file', { path: 'f', content: 'x' })
    expect(statSync(join(inside, 'f'))).toMatchObject({ uid: 1234, gid: 4321 })
  })

  test('leaves a read-only file as it is', async () => {
    // B103
    const { inside, tools } = await root()
    writeFileSync(join(inside, 'f'), 'old')
    chmodSync(join(inside, 'f'), 0o444)
    expect(await tools.refusal('write_file', { path: 'f', content: 'new' })).toBe('read_only')
    expect(await tools.refusal('edit_file', { path: 'f', oldText: 'old', newText: 'new' })).toBe('read_only')
    expect(readFileSync(join(inside, 'f'), 'utf8')).toBe('old')
    expect(readdirSync(inside)).toEqual(['f'])
  })

  test('writes at most 10 MiB', async () => {
    const { inside, tools } = await root()
    expect(await tools.refusal('write_file', { path: 'f', content: 'ä'.repeat(5 * 1024 * 1024 + 1) })).toBe('too_large')
    expect(readdirSync(inside)).toEqual([])
    expect(await tools.ask('write_file', { path: 'f', content: 'ä'.repeat(5 * 1024 * 1024) })).toMatchObject({ bytes: 10 * 1024 * 1024 })
  })

  test('writes nothing once nobody waits any more', async () => {
    const { inside, tools } = await root()
    await expect(tools.call('write_file', { path: 'f', content: 'x' }, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/)
    expect(readdirSync(inside)).toEqual([])
  })

  test('leaves the old content and nothing else when the new one does not fit on the disk', async (context) => {
    // B049
    const { inside, tools } = await root()
    const disk = join(inside, 'disk')
    const reason = mountSmallDisk(disk)
    if (reason !== null) {
      if (process.env['HOLDFAST_REQUIRE'] === 'all') throw new Error(reason)
      context.skip(reason)
    }
    try {
      await tools.call('write_file', { path: 'disk/f', content: 'old' })
      expect(await tools.refusal('write_file', { path: 'disk/f', content: 'x'.repeat(4_000_000) })).toBe('no_space')
      expect(readFileSync(join(disk, 'f'), 'utf8')).toBe('old')
      expect(readdirSync(disk)).toEqual(['f'])
    } finally {
      // Lazily: a failed test has the file still open.
      execFileSync('umount', ['--lazy', disk])
    }
  })

  test('leaves one whole content when many write the same file at once, and nothing beside it', async () => {
    const { inside, tools } = await root()
    const contents = Array.from({ length: 20 }, (_, index) => String(index % 10).repeat(100_000))
    const reads: string[] = []
    await tools.call('write_file', { path: 'f', content: contents[0] })
    await Promise.all(
      contents.map(async (content) => {
        await tools.call('write_file', { path: 'f', content })
        reads.push(readFileSync(join(inside, 'f'), 'utf8'))
      })
    )
    for (const text of reads) expect(contents).toContain(text)
    expect(readdirSync(inside)).toEqual(['f'])
  })

  test('says that a name is taken that a file cannot have', async () => {
    const { inside, tools } = await root()
    mkdirSync(join(inside, 'folder'))
    expect(await reasonOf(tools.call('write_file', { path: 'folder', content: '' }))).toBe('not_a_file')
  })
})

/** A file system of 1 MB, or the reason why there is none. */
function mountSmallDisk(at: string): string | null {
  try {
    mkdirSync(at)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', at], { stdio: 'pipe' })
    return null
  } catch (error) {
    return `no small file system can be mounted here: ${error instanceof Error ? error.message : error}`
  }
}
