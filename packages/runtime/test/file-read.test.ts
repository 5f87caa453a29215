import { Buffer } from 'node:buffer'
import { createHash, randomBytes } from 'node:crypto'
import { closeSync, openSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ALL_GRANTS } from '../src/grants/intersect-grants.ts'
import type { FileContent } from '../src/tools/file-content.ts'
import { MAX_READ_BYTES, readContent } from '../src/tools/file-content.ts'
import { openFileRoots } from '../src/tools/file-roots.ts'
import { LineWindow } from '../src/tools/line-window.ts'
import { renderContent } from '../src/tools/read-file.ts'
import { fileToolKit, twoFolders } from './file-kit.ts'

type Text = Extract<FileContent, { kind: 'text' }>

const EVERYTHING = { offset: 1, limit: 1_000_000, maxLength: 10_000_000 }

/** What is read of a file with these bytes. */
async function contentOf(bytes: Uint8Array | string, options: Partial<typeof EVERYTHING> = {}): Promise<FileContent> {
  const { inside } = await twoFolders()
  writeFileSync(join(inside, 'f'), bytes)
  return contentIn(inside, options)
}

async function contentIn(inside: string, options: Partial<typeof EVERYTHING> = {}): Promise<FileContent> {
  const roots = await openFileRoots({ read: [inside] })
  return roots.inParent(roots.locate('f', 'read', ALL_GRANTS.files), async (folder, name) => {
    await using file = await folder.file(name)
    return await readContent(file, { ...EVERYTHING, ...options })
  })
}

async function textOf(bytes: Uint8Array | string, options: Partial<typeof EVERYTHING> = {}): Promise<Text> {
  const content = await contentOf(bytes, options)
  if (content.kind !== 'text') throw new Error(`no text: ${content.kind}`)
  return content
}

const digestOf = (bytes: Uint8Array | string) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

describe('a text file', () => {
  test.each<[string, Uint8Array | string, Partial<Text>]>([
    ['of ASCII', 'a\nb\n', { text: 'a\nb\n', encoding: 'utf-8', hasMark: false, isExact: true, count: 2, isClosed: true }],
    ['of UTF-8', 'ä€😀', { text: 'ä€😀', encoding: 'utf-8', count: 1, isClosed: false }],
    ['with a byte order mark', '\ufeffä', { text: 'ä', encoding: 'utf-8', hasMark: true }],
    [
      'of UTF-16, little end first',
      Buffer.from('\ufeffä\r\n😀', 'utf16le'),
      { text: 'ä\r\n😀', encoding: 'utf-16le', hasMark: true, crlf: 1, lf: 0 }
    ],
    ['of UTF-16, big end first', Buffer.from('\ufeffä\n😀', 'utf16le').swap16(), { text: 'ä\n😀', encoding: 'utf-16be', count: 2 }],
    ['of nothing but a byte order mark', '\ufeff', { text: '', count: 0, hasMark: true }],
    ['of one line break', '\n', { text: '\n', count: 1, isClosed: true }],
    ['of Latin-1', Buffer.from('caf\xe9\n', 'latin1'), { text: 'caf\ufffd\n', isExact: false }],
    ['that is cut within a character', Buffer.from('ä€').subarray(0, 4), { text: 'ä\ufffd', isExact: false }],
    ['that has U+FFFD of its own', 'a\ufffd', { text: 'a\ufffd', isExact: true }],
    ['with half a surrogate pair', Buffer.from('\ufeffa\ud83db', 'utf16le'), { text: 'a\ufffdb', isExact: false }],
    ['with both kinds of line breaks', 'a\r\nb\nc\rd', { count: 3, crlf: 1, lf: 1, isClosed: false }],
    ['of progress bars', '\r50%\r100%\n', { text: '\r50%\r100%\n', count: 1, crlf: 0 }]
  ])('%s is read as what it is', async (_, bytes, expected) => {
    // B101
    const content = await textOf(bytes)
    expect(content).toMatchObject(expected)
    expect(content.digest).toBe(digestOf(bytes))
  })

  test('gives the same lines in whatever pieces it comes', () => {
    const text = 'eins\r\nzwei\n\n\r\ndrei\r\r\nv'
    for (let offset = 1; offset <= 7; offset += 1)
      for (let limit = 1; limit <= 7; limit += 1)
        for (let maxLength = 1; maxLength <= text.length + 1; maxLength += 1) {
          const whole = new LineWindow({ offset, limit, maxLength })
          whole.push(text)
          const parts = new LineWindow({ offset, limit, maxLength })
          for (const unit of text) parts.push(unit)
          expect(parts.end()).toEqual(whole.end())
          const { from, to, isLineCut, text: kept } = whole.end()
          const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
          if (!isLineCut) expect(kept).toBe(lines.slice(from - 1, to).join(''))
          expect(kept.length).toBeLessThanOrEqual(maxLength)
        }
  })

  test('is read from a line on, as many lines as asked for', async () => {
    const lines = Array.from({ length: 50 }, (_, index) => `line ${index + 1}\n`)
    expect(await textOf(lines.join(''), { offset: 10, limit: 3 })).toMatchObject({
      text: 'line 10\nline 11\nline 12\n',
      from: 10,
      to: 12,
      count: 50
    })
    expect(await textOf(lines.join(''), { offset: 49, limit: 9 })).toMatchObject({ from: 49, to: 50 })
    expect(await textOf(lines.join(''), { offset: 51 })).toMatchObject({ text: '', from: 51, to: 50, count: 50 })
  })

  test('whose lines do not fit is cut between lines, and a line that does not fit within it', async () => {
    expect(await textOf('123\n456\n789\n', { maxLength: 9 })).toMatchObject({ text: '123\n456\n', to: 2, isLineCut: false, count: 3 })
    expect(await textOf('1\n😀😀😀\n', { offset: 2, maxLength: 3 })).toMatchObject({
      text: '😀',
      from: 2,
      to: 2,
      isLineCut: true,
      count: 2
    })
  })

  test('of 200 MB on one line is read without being held, and shown in part', async () => {
    // B101
    const { inside } = await twoFolders()
    fill(join(inside, 'f'), 200, 'x'.repeat(1_000_000))
    const before = process.memoryUsage().rss
    const content = await contentIn(inside, { maxLength: 1_000 })
    expect(content).toMatchObject({ kind: 'text', size: 200_000_000, text: 'x'.repeat(1_000), isLineCut: true })
    expect(content).not.toHaveProperty('digest')
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
  })

  test('that is larger than what is read is read in its first part only', async () => {
    const { inside } = await twoFolders()
    fill(join(inside, 'f'), 70, `${'x'.repeat(99)}\n`.repeat(10_000))
    expect(await contentIn(inside, { offset: 600_000, limit: 2 })).toMatchObject({ kind: 'text', from: 600_000, to: 600_001 })
    const behind = await contentIn(inside, { offset: 690_000, limit: 2 })
    expect(behind).toMatchObject({ kind: 'text', text: '' })
    expect(renderContent('f', behind)).toContain(String(MAX_READ_BYTES))
  })
})

describe('a file that is no text', () => {
  test.each<[string, Uint8Array, string]>([
    ['an image', Buffer.from('89504e470d0a1a0a0000', 'hex'), 'PNG image'],
    ['a document', Buffer.from('%PDF-1.7\n'), 'PDF document'],
    ['an archive', Buffer.from('1f8b0800', 'hex'), 'gzip archive'],
    ['random bytes', Buffer.concat([Buffer.from([1]), randomBytes(100_000)]), 'unknown type'],
    ['text of UTF-16 without a mark', Buffer.from('text', 'utf16le'), 'unknown type'],
    ['text with a NUL far behind', Buffer.concat([Buffer.alloc(1_000_000, 'x'), Buffer.from([0])]), 'unknown type']
  ])('such as %s is named with its type and size', async (_, bytes, type) => {
    // B101
    expect(await contentOf(bytes)).toEqual({ kind: 'binary', size: bytes.length, type })
  })

  test('and is a terabyte of nothing is told at once', async () => {
    const { inside } = await twoFolders()
    writeFileSync(join(inside, 'f'), '')
    truncateSync(join(inside, 'f'), 2 ** 40)
    expect(await contentIn(inside)).toEqual({ kind: 'binary', size: 2 ** 40, type: 'unknown type' })
  })

  test('is not taken for one because it begins with the same letters', async () => {
    for (const text of ['BMW\n', 'MZ', 'Rar', 'RIF', 'OggX']) expect(await textOf(text)).toMatchObject({ text })
  })
})

test('an empty file is said to be empty, and to have a digest', async () => {
  expect(await contentOf('')).toEqual({ kind: 'empty', size: 0, digest: digestOf('') })
})

describe('read_file', () => {
  test('says which lines follow, and then gives them with plain line breaks', async () => {
    const { inside } = await twoFolders()
    writeFileSync(join(inside, 'f'), 'a\r\n\r\nb\r\nc')
    const tools = fileToolKit({ read: [inside] })
    const [heading, text] = await tools.read('f', { limit: 3 })
    expect(text).toBe('a\n\nb\n')
    expect(heading).toBe(`f: lines 1-3 of 4, go on with offset 4, 9 bytes, UTF-8, CRLF line breaks, digest ${digestOf('a\r\n\r\nb\r\nc')}`)
    expect(await tools.read('f', { offset: 4 })).toEqual([expect.stringMatching(/^f: lines 4-4 of 4, 9 bytes/), 'c'])
    expect(await tools.call('read_file', { path: 'f', offset: 5 })).toContain('4 lines')
  })

  test('gives a model no more than it can take, whatever the file is', async () => {
    // B101
    const { inside } = await twoFolders()
    const tools = fileToolKit({ read: [inside] })
    for (const text of ['\u0001'.repeat(1_000_000), 'x\n'.repeat(1_000_000), `${'"'.repeat(999)}\n`.repeat(1_000)]) {
      writeFileSync(join(inside, 'f'), text)
      expect(String(await tools.call('read_file', { path: 'f' })).length).toBeLessThan(61_000)
    }
  })

  test('stops when nobody waits any more', async () => {
    const { inside } = await twoFolders()
    writeFileSync(join(inside, 'f'), 'x')
    const tools = fileToolKit({ read: [inside] })
    await expect(tools.call('read_file', { path: 'f' }, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/)
  })
})

function fill(path: string, times: number, piece: string): void {
  const file = openSync(path, 'w')
  for (let count = 0; count < times; count += 1) writeSync(file, piece)
  closeSync(file)
}
