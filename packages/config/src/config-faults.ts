import type { ParsedDocument, Problem } from '@holdfast/runtime'
import { HoldfastError, nearest, renderProblem, toPathText } from '@holdfast/runtime'
import type { z } from 'zod'

type Issue = z.core.$ZodIssue
type Path = readonly (string | number)[]

/** Fields by the path of their object, for near misses. */
export type FieldTable = { readonly [path: string]: { readonly known: readonly string[]; readonly later: readonly string[] } }

/** Something wrong with a document, by its path. */
export interface ConfigFault {
  readonly code: Problem['code']
  readonly path: Path
  readonly message: string
  readonly expected?: string
  readonly nearMiss?: string
}

/** The faults behind the issues of a shape check. `around` is the path of the value that was checked. */
export function toConfigFaults(value: unknown, issues: readonly Issue[], fields: FieldTable, around: Path = []): readonly ConfigFault[] {
  return issues.flatMap((issue) => toFaults(value, issue, fields, around))
}

/** The error that tells all faults of a file, each where it stands. */
export function toConfigError(document: ParsedDocument, faults: readonly ConfigFault[]): HoldfastError {
  const found = faults.map((fault) => toProblem(document, fault))
  const problems = [...document.errors, ...found].toSorted((a, b) => a.line - b.line || a.column - b.column).slice(0, MAX_PROBLEMS)
  const message = `${document.file} cannot be used:\n${problems.map((problem) => `  ${renderProblem(problem)}`).join('\n')}`
  // JSON has no undefined, and no field of a problem is there without a value.
  return new HoldfastError('invalid_config', message, { details: JSON.parse(JSON.stringify({ file: document.file, problems })) })
}

const MAX_PROBLEMS = 50

function toProblem(document: ParsedDocument, fault: ConfigFault): Problem {
  const { path, ...rest } = fault
  const place = fault.code === 'unknown_field' || fault.code === 'unsupported' ? document.keyAt(path) : document.at(path)
  return { ...rest, file: document.file, ...place, path: toPathText(path) }
}

function toFaults(value: unknown, issue: Issue, fields: FieldTable, around: Path): readonly ConfigFault[] {
  const inside = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
  const path = [...around, ...inside]
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => toFieldFault(path, key, fields))
  if (valueAt(value, inside) === undefined) return [{ code: 'missing', path, message: 'this field is missing', expected: issue.message }]
  return [{ code: 'invalid', path, message: 'this value cannot stand here', expected: issue.message }]
}

function toFieldFault(around: Path, key: string, fields: FieldTable): ConfigFault {
  const { known, later } = Object.entries(fields).find(([pattern]) => matches(pattern, around))?.[1] ?? { known: [], later: [] }
  const path = [...around, key]
  if (later.includes(key)) {
    return { code: 'unsupported', path, message: 'this field belongs to the configuration, but this version does not run it yet' }
  }
  const [nearMiss] = nearest(key, [...known, ...later])
  const expected = known.length === 0 ? {} : { expected: `one of ${known.join(', ')}` }
  return { code: 'unknown_field', path, message: 'there is no such field', ...expected, ...(nearMiss === undefined ? {} : { nearMiss }) }
}

function matches(pattern: string, path: Path): boolean {
  const parts = pattern === '' ? [] : pattern.split('.')
  return parts.length === path.length && parts.every((part, index) => part === '*' || part === String(path[index]))
}

function valueAt(value: unknown, path: Path): unknown {
  let found = value
  for (const part of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined
    found = Reflect.get(found, part)
  }
  return found
}
