import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileGlob, isGlob } from '../src/util/glob.ts'
import { propertyShare } from './model/share.ts'

const share = { ...propertyShare(), numRuns: propertyShare().numRuns * 4 }

describe('a glob of a text', () => {
  test('matches as a slow and simple reading of it does', async () => {
    const letters = fc.constantFrom('a', 'b', '/', '\n', '*', '?', '😀')
    const texts = fc.array(letters, { maxLength: 6 }).map((all) => all.join(''))
    await fc.assert(
      fc.asyncProperty(texts, texts.map(withoutWildcards), async (glob, text) => {
        expect((await compileGlob(glob, 'text'))?.(text)).toBe(fits([...glob], [...text]))
      }),
      share
    )
  })

  test.each<readonly [string, string, boolean]>([
    ['{a,b}c', 'bc', true],
    ['{a,b}c', 'ac,', false],
    ['[!a]', '/', true],
    ['[!a]', 'a', false],
    ['[a-c]x', 'bx', true],
    ['[]]', ']', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['a,b', 'a,b', true],
    ['(a|b)', 'a', false],
    ['a.c', 'abc', false],
    ['[a', '[a', true],
    ['^a$', 'a', false]
  ])('%j of %j', async (glob, text, isFit) => {
    expect((await compileGlob(glob, 'text'))?.(text)).toBe(isFit)
  })

  test.each(['{', '}', 'a}b{', '{a,{b}', '}|{', '[z-a]', '[]', '[!]', '[+--a-!]', '\ud800', 'a'.repeat(501)])(
    'cannot be %j',
    async (glob) => {
      expect(isGlob(glob)).toBe(false)
      expect(await compileGlob(glob, 'text')).toBeUndefined()
      expect(await compileGlob(glob, 'path')).toBeUndefined()
    }
  )

  test('is known for one before it is compiled', async () => {
    const tally = { yes: 0, no: 0 }
    const globs = fc.array(fc.constantFrom(...'ab-*?[]{},!^\\/|()+.$\n&:~', '😀', '\u0301'), { maxLength: 8 }).map((all) => all.join(''))
    await fc.assert(
      fc.asyncProperty(globs, async (glob) => {
        const compiled = await compileGlob(glob, 'text')
        tally[isGlob(glob) ? 'yes' : 'no'] += 1
        expect(compiled !== undefined).toBe(isGlob(glob))
        expect((await compileGlob(glob, 'path')) !== undefined).toBe(isGlob(glob))
      }),
      share
    )
    expect(Math.min(tally.yes, tally.no)).toBeGreaterThan(100)
  })

  test('takes its time by the length of the text, and no more', async () => {
    const isFit = await compileGlob(`${'*a'.repeat(200)}b`, 'text')
    expect(isFit?.('a'.repeat(20_000))).toBe(false)
  })
})

function withoutWildcards(text: string): string {
  return text.replaceAll(/[*?]/g, 'a')
}

function fits(glob: readonly string[], text: readonly string[]): boolean {
  const [token, ...rest] = glob
  if (token === undefined) return text.length === 0
  if (token === '*') return fits(rest, text) || (text.length > 0 && fits(glob, text.slice(1)))
  return text.length > 0 && (token === '?' || token === text[0]) && fits(rest, text.slice(1))
}
