import { HoldfastError } from '../contracts/errors.ts'
import type { JsonObject } from '../contracts/json.ts'

/** A place in a text: line and column from 1, columns in UTF-16 units. Both are 0 where there is no text. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Where something stands in a document: keys and indexes from the top. */
export type Path = readonly (string | number)[]

/** What is wrong, for programs. */
export type ProblemCode =
  | 'syntax'
  | 'tab_indent'
  | 'multiple_documents'
  | 'tag'
  | 'directive'
  | 'merge_key'
  | 'alias_unknown'
  | 'alias_cycle'
  | 'too_deep'
  | 'too_large'
  | 'duplicate'
  | 'reserved_key'
  | 'missing_key'
  | 'number_unsafe'
  | 'number_infinite'
  | 'text_ill_formed'
  | 'unknown_field'
  | 'unsupported'
  | 'missing'
  | 'invalid'
  | 'template'
  | 'unknown_variable'

/** One thing that is wrong with a document, where it stands, and what was expected there. */
export interface Problem extends Position {
  readonly code: ProblemCode
  readonly file: string
  /** The path of the value, such as `tools[2].effect`; empty for the document itself. */
  readonly path: string
  readonly message: string
  readonly expected?: string
  readonly nearMiss?: string
  /** The other place that belongs to it: where a duplicate stands first. */
  readonly related?: Position
}

/** How many problems are told at once. */
export const MAX_PROBLEMS = 50

/** A path as people write it: `variables[0].value`, keys that are no plain names in quotes. */
export function toPathText(path: Path): string {
  return path.map((part, index) => toSegmentText(part, index)).join('')
}

/** The error that tells all problems of a document; `details.problems` has them one by one. */
export function toManifestError(file: string, problems: readonly Problem[]): HoldfastError {
  const ordered = problems.toSorted((a, b) => a.line - b.line || a.column - b.column)
  const told = ordered.slice(0, MAX_PROBLEMS)
  const rest = ordered.length - told.length
  const lines = told.map((problem) => `  ${renderProblem(problem)}`)
  if (rest > 0) lines.push(`  and ${rest} more`)
  const count = ordered.length === 1 ? '1 problem' : `${ordered.length} problems`
  return new HoldfastError('invalid_manifest', `${file} cannot be used: ${count}.\n${lines.join('\n')}`, {
    details: { file, problems: told.map(toPlain), total: ordered.length }
  })
}

/** One line for people: place, path, what is wrong, what was expected, what may have been meant. */
export function renderProblem(problem: Problem): string {
  const { file, line, column, path, message, expected, nearMiss } = problem
  const where = path === '' ? '' : ` ${path}:`
  const wanted = expected === undefined ? '' : ` (expected ${expected})`
  const meant = nearMiss === undefined ? '' : ` Did you mean "${nearMiss}"?`
  const place = line === 0 ? file : `${file}:${line}:${column}`
  return `${place}:${where} ${message}${wanted}.${meant}`
}

function toSegmentText(part: string | number, index: number): string {
  if (typeof part === 'number') return `[${part}]`
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]{0,99}$/u.test(part)) return `[${JSON.stringify(part.slice(0, 100))}]`
  return index === 0 ? part : `.${part}`
}

function toPlain(problem: Problem): JsonObject {
  const { related, ...plain } = problem
  return related === undefined ? { ...plain } : { ...plain, related: { line: related.line, column: related.column } }
}
