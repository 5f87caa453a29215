import { refuseFile } from './file-refusal.ts'
import { loadRe2 } from './libraries.ts'

/** How long a glob may be. */
export const MAX_GLOB_LENGTH = 500

/**
 * Compiles a glob into a test of paths, in linear time for every glob and path: `*` and `?` within a name, `**` over folders, `[…]` one of some
 * characters, `{a,b}` one of some texts. Without `/` it is held against the last name alone.
 */
export async function compileGlob(glob: string): Promise<(path: string) => boolean> {
  const refuse = (cause?: unknown) => refuseFile('invalid_pattern', glob, `the glob ${JSON.stringify(glob)} cannot be read.`, { cause })
  if (glob.length > MAX_GLOB_LENGTH) throw refuse()
  const { RE2JS } = await loadRe2()
  try {
    const pattern = RE2JS.compile(`^(?s:${toExpression(glob.replace(/^\//, ''))})$`)
    if (glob.includes('/')) return (path) => pattern.test(path)
    return (path) => pattern.test(path.slice(path.lastIndexOf('/') + 1))
  } catch (cause) {
    throw refuse(cause)
  }
}

/** The tokens of a glob, and what each is as an expression of RE2. A comma separates only within braces. */
const TOKENS: readonly (readonly [RegExp, (token: string, isInBraces: boolean) => string])[] = [
  [/^\*\*\//, () => '(?:.*/)?'],
  [/^\*\*/, () => '.*'],
  [/^\*/, () => '[^/]*'],
  [/^\?/, () => '[^/]'],
  [/^\[[!^]?\]?[^\]]*\]/, toClass],
  [/^\{/, () => '(?:'],
  [/^\}/, () => ')'],
  [/^,/, (_, isInBraces) => (isInBraces ? '|' : ',')],
  [/^\\?./su, (token) => escapeCharacter([...token].at(-1) ?? '')]
]

function toExpression(glob: string): string {
  let expression = ''
  let depth = 0
  for (let rest = glob; rest !== ''; ) {
    const [pattern, convert] = TOKENS.find(([start]) => start.test(rest)) ?? [/^/, () => '']
    const token = pattern.exec(rest)?.[0] ?? rest
    expression += convert(token, depth > 0)
    depth += Number(token === '{') - Number(token === '}')
    rest = rest.slice(token.length)
  }
  return expression
}

function toClass(token: string): string {
  const [, not, members] = /^\[([!^]?)(.*)\]$/s.exec(token) ?? ['', '', '']
  return `[${not ? '^/' : ''}${(members ?? '').replace(/[\\\][^]/g, (member) => `\\${member}`)}]`
}

function escapeCharacter(character: string): string {
  return /[\p{L}\p{N}_]/u.test(character) ? character : `\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
