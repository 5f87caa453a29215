import type { ParsedDocument, Problem } from '@holdfast/runtime'
import { HoldfastError, renderProblem, toPathText } from '@holdfast/runtime'
import type { AgentFault } from '@holdfast/runtime/shapes'

/** Something wrong with a document, by its path. */
export type ConfigFault = Omit<AgentFault, 'related'>

/** The error that tells all faults of a file, each where it stands. */
export function toConfigError(document: ParsedDocument, faults: readonly ConfigFault[]): HoldfastError {
  return toProblemsError(document.file, [...document.errors, ...faults.map((fault) => toProblem(document, fault))])
}

/** The same for what is known by its place already. */
export function toProblemsError(file: string, found: readonly Problem[]): HoldfastError {
  const problems = found.toSorted((a, b) => a.line - b.line || a.column - b.column).slice(0, MAX_PROBLEMS)
  const message = `${file} cannot be used:\n${problems.map((problem) => `  ${renderProblem(problem)}`).join('\n')}`
  // JSON has no undefined, and no field of a problem is there without a value.
  return new HoldfastError('invalid_config', message, { details: JSON.parse(JSON.stringify({ file, problems })) })
}

/** A fault at its place. */
export function toProblem(document: ParsedDocument, fault: ConfigFault): Problem {
  const { path, ...rest } = fault
  const isKey = fault.code === 'unknown_field' || fault.code === 'unsupported'
  return { ...rest, file: document.file, ...(isKey ? document.keyAt(path) : document.at(path)), path: toPathText(path) }
}

const MAX_PROBLEMS = 50
