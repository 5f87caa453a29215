import { RESERVED_KEYS } from './document-fault.ts'

/** What a key must be, so that templates can name it. */
export const KEY_EXPECTED = 'a name of 1 to 100 letters, digits, "_" and "-" that begins with a letter or "_"'

const KEY = /^[\p{L}_][\p{L}\p{M}\p{N}_-]{0,99}$/u

/** Words of the template language: a variable of that name could not be reached. */
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'nil', 'null', 'empty', 'blank'])

/** Whether a template can name this key, and it is not reserved. */
export function isVariableKey(key: string): boolean {
  return KEY.test(key) && !WORDS.has(key) && !RESERVED_KEYS.has(key)
}

/** The key as names are compared when none is the same letter by letter: in any case, in any composition of its letters. */
export function foldKey(key: string): string {
  return key.normalize('NFC').toLowerCase()
}
