import { loadRe2 } from './libraries.ts'

/** How long a glob may be. */
export const MAX_GLOB_LENGTH = 500

/** What is held against a glob: a path, whose names `*` does not leave, or any text. */
export type GlobSubject = 'path' | 'text'

/**
 * Compiles a glob, in linear time for every glob and subject: `*` any run and `?` one character, `[…]` one of some characters, `{a,b}` one of some texts.
 * Of a path, `*`, `?` and `[!…]` stay within a name, `**` goes over folders, and without `/` only the last name counts. Gives nothing when the glob cannot
 * be read.
 */
export async function compileGlob(glob: string, subject: GlobSubject): Promise<((text: string) => boolean) | undefined> {
  if (!isGlob(glob)) return undefined
  if (subject === 'text' && !/[*?[{}\\]/.test(glob)) return (text) => text === glob
  const { RE2JS } = await loadRe2()
  try {
    const expression = toExpression(subject === 'path' ? glob.replace(/^\//, '') : glob, TOKENS[subject])
    const pattern = RE2JS.compile(`^(?s:${expression})$`)
    if (subject === 'text' || glob.includes('/')) return (text) => pattern.test(text)
    return (path) => pattern.test(path.slice(path.lastIndexOf('/') + 1))
  } catch {
    return undefined
  }
}

/** Whether a glob can be read: every brace and every class is whole. */
export function isGlob(glob: string): boolean {
  if (glob.length > MAX_GLOB_LENGTH || !glob.isWellFormed()) return false
  try {
    toExpression(glob, TOKENS.text)
    return true
  } catch {
    return false
  }
}

type Tokens = readonly (readonly [RegExp, (token: string, isInBraces: boolean) => string])[]

/** Tokens that mean the same everywhere. A comma separates only within braces. */
const SHARED: Tokens = [
  [/^\{/, () => '(?:'],
  [/^\}/, () => ')'],
  [/^,/, (_, isInBraces) => (isInBraces ? '|' : ',')],
  [/^\\?./su, (token) => escapeCharacter([...token].at(-1) ?? '')]
]

const CLASS = /^\[[!^]?\]?[^\]]*\]/

/** The tokens of a glob, and what each is as an expression of RE2. */
const TOKENS: { readonly [subject in GlobSubject]: Tokens } = {
  path: [
    [/^\*\*\//, () => '(?:.*/)?'],
    [/^\*\*/, () => '.*'],
    [/^\*/, () => '[^/]*'],
    [/^\?/, () => '[^/]'],
    [CLASS, (token) => toClass(token, '/')],
    ...SHARED
  ],
  text: [[/^\*+/, () => '.*'], [/^\?/, () => '.'], [CLASS, (token) => toClass(token, '')], ...SHARED]
}

function toExpression(glob: string, tokens: Tokens): string {
  let expression = ''
  let depth = 0
  for (let rest = glob; rest !== ''; ) {
    const [pattern, convert] = tokens.find(([start]) => start.test(rest)) ?? [/^/, () => '']
    const token = pattern.exec(rest)?.[0] ?? rest
    expression += convert(token, depth > 0)
    depth += Number(token === '{') - Number(token === '}')
    if (depth < 0) break
    rest = rest.slice(token.length)
  }
  if (depth !== 0) throw new Error('a brace has no other one')
  return expression
}

/** A class; a negated one does not hold `never` either. */
function toClass(token: string, never: string): string {
  const [, not, members] = /^\[([!^]?)(.*)\]$/s.exec(token) ?? ['', '', '']
  const escaped = (members ?? '').replace(/[\\\][^]/g, (member) => `\\${member}`)
  // A class has members, and a range goes up. Only the syntax is checked: this never runs.
  if (escaped === '') throw new Error('a class has no members')
  new RegExp(`[${escaped}]`, 'u')
  return `[${not ? `^${never}` : ''}${escaped}]`
}

function escapeCharacter(character: string): string {
  return /[\p{L}\p{N}_]/u.test(character) ? character : `\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
