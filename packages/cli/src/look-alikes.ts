// A word that is not what it looks like: letters of other scripts that are drawn as Latin ones, and characters that stand for ASCII ones.
import type { Json } from '@holdfast/runtime'

/** Letters of other scripts that are drawn as letters of ours are. */
const TWINS = /[асеорхуіјѕһԁԛԝӏАВЕКМНОРСТУХІЈЅԚԜοονρυχιακΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]/u
/** Signs that are drawn as a dot, a slash or a colon, and ASCII in another width or style. */
const TWIN_SIGNS = /[\u2024\u2044\u2215\u2236\uff01-\uff5e\u{1d400}-\u{1d7ff}]+/gu
const WORDS = /[\p{L}\p{M}\p{N}_]+/gu
const MAX_NAMED = 5

/** What of a value's texts may be taken for something else, each with the numbers of the characters that make it so. The first few. */
export function findLookAlikes(value: Json): readonly string[] {
  const found = new Set<string>()
  for (const text of textsOf(value)) {
    for (const [word] of text.matchAll(WORDS)) if (isLookAlike(word)) found.add(describe(word))
    for (const [signs] of text.matchAll(TWIN_SIGNS)) found.add(describe(signs))
    if (found.size >= MAX_NAMED) break
  }
  return [...found].slice(0, MAX_NAMED)
}

function textsOf(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => [...(Array.isArray(value) ? [] : [key]), ...textsOf(each)])
}

/** A word of two scripts, or one of letters that all have a Latin twin. */
function isLookAlike(word: string): boolean {
  const letters = [...word].filter((letter) => /\p{L}/u.test(letter))
  const foreign = letters.filter((letter) => !/\p{Script=Latin}/u.test(letter))
  if (foreign.length === 0) return false
  return foreign.length < letters.length
    ? foreign.some((letter) => TWINS.test(letter))
    : letters.length > 2 && letters.every((letter) => TWINS.test(letter))
}

function describe(word: string): string {
  const numbers = [...new Set([...word].filter((character) => character > '\u007f' && !/\p{Script=Latin}/u.test(character)))]
  const shown = numbers.length > 0 ? numbers : [...word].filter((character) => character > '\u007f')
  return `${word.slice(0, 40)} (${shown.slice(0, 4).map(toNumber).join(', ')})`
}

function toNumber(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
