import { loadRe2 } from '../util/libraries.ts'
import { refuseFile } from './file-refusal.ts'

/** What a line is searched for. */
export interface TextPattern {
  readonly pattern: string
  /** Whether the pattern is a regular expression, and not the text itself. */
  readonly isExpression: boolean
  readonly ignoreCase: boolean
}

/** How long a pattern may be. */
export const MAX_PATTERN_LENGTH = 500

/** Compiles a pattern into a test of lines that takes linear time, whatever the pattern: look-around and back-references are refused. */
export async function compilePattern({ pattern, isExpression, ignoreCase }: TextPattern): Promise<(line: string) => boolean> {
  if (pattern === '' || pattern.length > MAX_PATTERN_LENGTH) throw refuse(pattern, `a pattern has 1 to ${MAX_PATTERN_LENGTH} characters.`)
  if (isExpression) return compileExpression(pattern, ignoreCase)
  if (/[\r\n]/.test(pattern)) throw refuse(pattern, 'lines are searched one by one, so a pattern must not contain a line break.')
  if (!ignoreCase) return (line) => line.includes(pattern)
  const folded = pattern.toLowerCase()
  return (line) => line.toLowerCase().includes(folded)
}

async function compileExpression(pattern: string, ignoreCase: boolean): Promise<(line: string) => boolean> {
  const { RE2JS } = await loadRe2()
  try {
    const expression = RE2JS.compile(RE2JS.translateRegExp(pattern), ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    return (line) => expression.test(line)
  } catch (cause) {
    throw refuse(pattern, 'this is no regular expression of RE2, which has no look-around and no back-references.', cause)
  }
}

function refuse(pattern: string, message: string, cause?: unknown): Error {
  return refuseFile('invalid_pattern', pattern, message, { cause })
}
