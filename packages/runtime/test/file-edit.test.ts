import { Buffer } from 'node:buffer'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ALL_GRANTS } from '../src/grants/intersect-grants.ts'
import { digestBytes } from '../src/tools/file-content.ts'
import { openFileRoots } from '../src/tools/file-roots.ts'
import { occurrencesOf } from '../src/tools/occurrences.ts'
import { replaceFile } from '../src/tools/replace-file.ts'
import type { EditKnowledge, TextEdit } from '../src/tools/text-edit.ts'
import { applyEdit, MAX_EDIT_BYTES } from '../src/tools/text-edit.ts'
import { isSameText } from '../src/tools/text-places.ts'
import { fileToolKit, reasonOf, twoFolders } from './file-kit.ts'

async function root(bytes: string | Uint8Array) {
  const { inside } = await twoFolders()
  const path = join(inside, 'f')
  writeFileSync(path, bytes)
  return { inside, path, tools: fileToolKit({ read: [inside], write: [inside] }), text: () => readFileSync(path, 'utf8') }
}

const FIRST: EditKnowledge = { isRepeat: false }
const AGAIN: EditKnowledge = { isRepeat: true }

/** What an edit makes of a text: the text, or the reason why not. */
function edited(
  text: string | Uint8Array,
  edit: Omit<TextEdit, 'all'> & { all?: boolean },
  knowledge = FIRST,
  encoding: BufferEncoding = 'utf8'
): string {
  const outcome = applyEdit(Buffer.from(text as string), { all: false, ...edit }, knowledge)
  if (outcome.kind === 'edited') return outcome.bytes.toString(encoding)
  return outcome.kind === 'refused' ? outcome.reason : outcome.kind
}

describe('an edit', () => {
  test('replaces the only place where the old text stands', () => {
    expect(edited('a b c', { oldText: 'b', newText: 'x' })).toBe('a x c')
    expect(edited('a b c', { oldText: ' b', newText: '' })).toBe('a c')
    expect(edited('$& $1', { oldText: '$1', newText: '$&$$' })).toBe('$& $&$$')
  })

  test.each([
    ['nowhere', 'abc', 'x', 'text_not_found'],
    ['twice', 'b b', 'b', 'not_unique'],
    ['twice, sharing a letter', 'aaa', 'aa', 'not_unique'],
    ['in other letters', 'É', 'é', 'text_not_found'],
    ['composed and not', 'e\u0301', 'é', 'text_not_found'],
    ['with other spaces', 'a  b', 'a b', 'text_not_found']
  ])('of a text that stands there %s is refused', (_, text, oldText, reason) => {
    // B103
    expect(edited(text, { oldText, newText: 'new' })).toBe(reason)
  })

  test('of all places replaces each, from left to right', () => {
    expect(edited('b b\nb', { oldText: 'b', newText: 'bb', all: true })).toBe('bb bb\nbb')
    expect(edited('aaaaa', { oldText: 'aa', newText: 'x', all: true })).toBe('xxa')
    expect(edited('a', { oldText: 'b', newText: 'x', all: true })).toBe('text_not_found')
  })

  test.each<[string, string, string, string, string]>([
    ['stands for those of the file', 'a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz', 'x\r\ny\r\nz\r\nc\r\n'],
    ['is not doubled where it was given whole', 'a\r\nb\r\n', 'a\r\nb', 'x\r\ny', 'x\r\ny\r\n'],
    ['that the file does not use is not brought into it', 'a\nb\n', 'a\r\nb', 'x\r\ny', 'x\ny\n'],
    ['in what is new is that which prevails', 'a\r\nb\r\nc\n', 'a', 'x\ny', 'x\r\ny\r\nb\r\nc\n'],
    ['in what is new stays where the file has none', 'a', 'a', 'x\r\ny\nz', 'x\r\ny\nz'],
    ['in mixed files is that of the place', 'a\nb\r\na\r\nc', 'a\nc', 'x\ny', 'a\nb\r\nx\r\ny'],
    ['alone is found once', 'a\r\nb', '\n', ' ', 'a b'],
    ['at the beginning of the old text takes its carriage return along', 'a\r\nb', '\nb', '\nc', 'a\r\nc'],
    ['that is missing at the end stays so', 'a\nb', 'b', 'c', 'a\nc']
  ])('whose line break %s', (_, text, oldText, newText, expected) => {
    // B103
    expect(edited(text, { oldText, newText })).toBe(expected)
  })

  test('finds lines with both kinds of line breaks, and counts them together', () => {
    expect(edited('a\nb\r\n-a\r\nb', { oldText: 'a\nb', newText: 'x' })).toBe('not_unique')
    expect(edited('a\nb\r\n-a\r\nb', { oldText: 'a\nb', newText: 'x\ny', all: true })).toBe('x\ny\r\n-x\r\ny')
  })

  test('keeps the encoding, the byte order mark and bytes that are no text', () => {
    // B103
    expect(edited('\ufeffä', { oldText: 'ä', newText: 'ö' })).toBe('\ufeffö')
    const utf16 = Buffer.from('\ufeffä\r\nb', 'utf16le')
    expect(edited(utf16, { oldText: 'ä\n', newText: '😀\n' }, FIRST, 'utf16le')).toBe('\ufeff😀\r\nb')
    const swapped = applyEdit(Buffer.from(utf16).swap16(), { oldText: 'ä', newText: 'ö', all: false }, FIRST)
    expect(swapped.kind === 'edited' && Buffer.from(swapped.bytes).swap16().toString('utf16le')).toBe('\ufeffö\r\nb')
    const latin = Buffer.from('caf\xe9 = 1\n', 'latin1')
    expect(edited(latin, { oldText: '= 1', newText: '= 2' }, FIRST, 'latin1')).toBe('caf\xe9 = 2\n')
  })

  test('finds no text in halves of characters', () => {
    // In UTF-16 the bytes of U+6161 U+0061 hold those of U+6161 at an odd place, too.
    expect(edited(Buffer.from('\ufeff慡a', 'utf16le'), { oldText: '慡', newText: 'x' }, FIRST, 'utf16le')).toBe('\ufeffxa')
  })

  test('that would make the file larger than what is edited is refused', () => {
    const text = 'a'.repeat(1_000_000)
    expect(edited(text, { oldText: 'a', newText: 'b'.repeat(11), all: true })).toBe('too_large')
    expect(edited(text, { oldText: 'a', newText: 'b'.repeat(10), all: true })).toHaveLength(10_000_000)
    expect(MAX_EDIT_BYTES).toBeLessThan(11_000_000)
  })

  test('takes a time that does not depend on what stands in the file', () => {
    // The search of the platform takes the product of both lengths here.
    const text = 'a'.repeat(8_000_000)
    expect(edited(text, { oldText: `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`, newText: '' })).toBe('text_not_found')
    expect(edited(text, { oldText: 'a'.repeat(100_000), newText: '' })).toBe('not_unique')
  })
})

describe('the digest that was read', () => {
  const digest = (text: string) => digestBytes(Buffer.from(text))

  test('lets an edit through while the file is what was read, and refuses it once it is not', () => {
    // B103
    const edit = { oldText: 'b', newText: 'x' }
    expect(edited('a b', edit, { isRepeat: false, expectedDigest: digest('a b') })).toBe('a x')
    expect(edited('a b c', edit, { isRepeat: false, expectedDigest: digest('a b') })).toBe('changed_since_read')
    expect(edited('a b b', edit, { isRepeat: false, expectedDigest: digest('a b b') })).toBe('not_unique')
  })

  test.each<[string, string, string, string, boolean]>([
    ['that grows', 'a b', 'b', 'bb', false],
    ['that takes something away', 'a b c', 'b ', '', false],
    ['of all places', 'b a b', 'b', 'cb', true],
    ['with line breaks of the file', 'a\r\nb\r\n', 'a\nb', 'a\nb\nb', false]
  ])('tells that an edit %s is already applied, in whichever try', (_, text, oldText, newText, all) => {
    const once = edited(text, { oldText, newText, all })
    for (const isRepeat of [false, true])
      expect(edited(once, { oldText, newText, all }, { isRepeat, expectedDigest: digest(text) })).toBe('already_applied')
  })
})

describe('an edit that is repeated after a try whose end is not known', () => {
  test('is not applied twice, and says when it is already applied', () => {
    expect(edited('a x c', { oldText: 'b', newText: 'x' }, AGAIN)).toBe('already_applied')
    expect(edited('a c', { oldText: 'b ', newText: '' }, AGAIN)).toBe('already_applied')
    expect(edited('x x', { oldText: 'b', newText: 'x', all: true }, AGAIN)).toBe('already_applied')
  })

  test('is applied when it cannot have been', () => {
    expect(edited('a b c', { oldText: 'b', newText: 'x' }, AGAIN)).toBe('a x c')
    expect(edited('a b b', { oldText: 'b', newText: 'x', all: true }, AGAIN)).toBe('a x x')
    expect(edited('x b', { oldText: 'b', newText: 'x' }, AGAIN)).toBe('x x')
  })

  test('is left to the model when both may be', () => {
    expect(edited('a bb', { oldText: 'b', newText: 'bb' }, AGAIN)).toBe('maybe_applied')
    expect(edited('import a\nimport b\n', { oldText: 'import b\n', newText: 'import a\nimport b\n' }, AGAIN)).toBe('maybe_applied')
    expect(edited('x b', { oldText: 'b', newText: 'x', all: true }, AGAIN)).toBe('maybe_applied')
    expect(edited('a foo b', { oldText: 'foo', newText: '' }, AGAIN)).toBe('maybe_applied')
  })

  const letters = (alphabet: string, maxLength: number, minLength = 0) =>
    fc.array(fc.constantFrom(...alphabet), { maxLength, minLength }).map((units) => units.join(''))

  test.each(['ab', 'a\n', 'a\r\n'])('never changes what the first try made, for any text of %j', (alphabet) => {
    fc.assert(
      fc.property(letters(alphabet, 10), letters(alphabet, 4, 1), letters(alphabet, 4), fc.boolean(), (text, oldText, newText, all) => {
        fc.pre(!isSameText({ oldText, newText }))
        const edit = { oldText, newText, all }
        const first = applyEdit(Buffer.from(text), edit, FIRST)
        fc.pre(first.kind === 'edited')
        const second = applyEdit(first.bytes, edit, AGAIN)
        expect(second.kind === 'edited' && !second.bytes.equals(first.bytes)).toBe(false)
        // And where the first try did nothing, the second does what the first would have done, or nothing.
        const instead = applyEdit(Buffer.from(text), edit, AGAIN)
        if (instead.kind === 'edited') expect(instead.bytes).toEqual(first.bytes)
        const known = applyEdit(first.bytes, edit, { isRepeat: true, expectedDigest: digestBytes(Buffer.from(text)) })
        expect(known.kind === 'already_applied' || (known.kind === 'refused' && known.reason === 'changed_since_read')).toBe(true)
      }),
      { numRuns: 3_000 }
    )
  })
})

test('places are found where the platform finds them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ max: 2, maxLength: 40 }), fc.uint8Array({ max: 2, maxLength: 5, minLength: 1 }), (bytes, wanted) => {
      const expected: number[] = []
      for (let index = Buffer.from(bytes).indexOf(wanted); index >= 0; index = Buffer.from(bytes).indexOf(wanted, index + 1))
        expected.push(index)
      expect([...occurrencesOf(bytes, wanted)]).toEqual(expected)
    })
  )
})

describe('edit_file', () => {
  test('edits a file, says how often, and gives the digest for the next edit', async () => {
    const { tools, text } = await root('a b\n')
    const first = await tools.ask('edit_file', { path: 'f', oldText: 'b', newText: 'c' })
    expect(first).toEqual({ path: 'f', applied: 'now', places: 1, digest: digestBytes(Buffer.from('a c\n')) })
    const second = await tools.ask('edit_file', { path: 'f', oldText: 'c', newText: 'd', expectedDigest: first['digest'] })
    expect(second).toMatchObject({ applied: 'now' })
    expect(text()).toBe('a d\n')
    expect((await tools.read('f'))[0]).toContain(String(second['digest']))
  })

  test('leaves a file that was changed since it was read as it is, and names that', async () => {
    // B103
    const { tools, path, text } = await root('a b\n')
    const [heading] = await tools.read('f')
    const expectedDigest = /sha256:[0-9a-f]{64}/.exec(heading)?.[0]
    writeFileSync(path, 'a b\nmine\n')
    await expect(tools.call('edit_file', { path: 'f', oldText: 'b', newText: 'c', expectedDigest })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/^changed_since_read: /),
      details: { reason: 'changed_since_read' }
    })
    expect(text()).toBe('a b\nmine\n')
  })

  test('keeps the mode, and leaves nothing beside the file', async () => {
    // B103
    const { inside, path, tools } = await root('#!/bin/sh\necho a\n')
    chmodSync(path, 0o755)
    await tools.call('edit_file', { path: 'f', oldText: 'echo a', newText: 'echo b' })
    expect(statSync(path).mode & 0o777).toBe(0o755)
    expect(readdirSync(inside)).toEqual(['f'])
  })

  test('says of a try that follows a crash that the edit is already applied', async () => {
    const { tools, text } = await root('a b\n')
    const input = { path: 'f', oldText: 'b', newText: 'c' }
    await tools.call('edit_file', input)
    expect(await tools.ask('edit_file', input, { try: 2 })).toEqual({ path: 'f', applied: 'before', digest: expect.any(String) })
    expect(text()).toBe('a c\n')
    expect(await tools.refusal('edit_file', input)).toBe('text_not_found')
  })

  test('loses none of many edits of one file at once', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `[${index}]`)
    const { tools, text } = await root(names.join('\n'))
    await Promise.all(names.map((name) => tools.call('edit_file', { path: 'f', oldText: name, newText: `${name} done` })))
    expect(text()).toBe(names.map((name) => `${name} done`).join('\n'))
  })

  test('writes nothing over a file that another program changed while it was edited', async () => {
    // B103
    const { inside, path } = await root('read')
    const roots = await openFileRoots({ write: [inside] })
    await roots.inParent(roots.locate('f', 'write', ALL_GRANTS.files), async (folder, name) => {
      const basedOn = await folder.stats(name)
      if (basedOn === undefined) throw new Error('the file is gone')
      writeFileSync(path, 'mine')
      expect(await reasonOf(replaceFile(folder, name, Buffer.from('edited'), { basedOn }))).toBe('changed_since_read')
    })
    expect(readFileSync(path, 'utf8')).toBe('mine')
    expect(readdirSync(inside)).toEqual(['f'])
  })

  test.each([
    ['an empty old text', { oldText: '', newText: 'x' }, 'invalid_edit'],
    ['twice the same text', { oldText: 'a', newText: 'a' }, 'invalid_edit'],
    ['texts that differ in the kind of line breaks alone', { oldText: 'a\n', newText: 'a\r\n' }, 'invalid_edit']
  ])('refuses %s', async (_, edit, reason) => {
    const { tools } = await root('a')
    expect(await tools.refusal('edit_file', { path: 'f', ...edit })).toBe(reason)
  })

  test('edits no file that is no text, too large or missing', async () => {
    const { tools, path } = await root(Buffer.from([0, 97]))
    const edit = { oldText: 'a', newText: 'b' }
    expect(await tools.refusal('edit_file', { path: 'f', ...edit })).toBe('binary')
    writeFileSync(path, Buffer.alloc(MAX_EDIT_BYTES + 1, 'a'))
    expect(await tools.refusal('edit_file', { path: 'f', ...edit })).toBe('too_large')
    expect(await tools.refusal('edit_file', { path: 'g', ...edit })).toBe('not_found')
    expect(await tools.refusal('edit_file', { path: 'g/h', ...edit })).toBe('not_found')
  })
})
