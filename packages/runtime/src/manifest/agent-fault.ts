import type { Path, Problem, ProblemCode } from './problem.ts'
import { toPathText } from './problem.ts'
import type { ParsedDocument } from './parsed-document.ts'

/** Something wrong with a definition, by its path: it may come from a text or from code. */
export interface AgentFault {
  readonly code: ProblemCode
  readonly path: Path
  readonly message: string
  readonly expected?: string
  readonly nearMiss?: string
  /** The path of the other value that belongs to it. */
  readonly related?: Path
}

/** The faults of a definition that was read from a text, each where it stands. */
export function toTextProblems(document: ParsedDocument, faults: readonly AgentFault[]): readonly Problem[] {
  return faults.map(({ path, related, code, ...rest }) => {
    const place = code === 'unknown_field' || code === 'unsupported' ? document.keyAt(path) : document.at(path)
    const other = related === undefined ? {} : { related: document.at(related) }
    return { ...rest, ...other, code, file: document.file, ...place, path: toPathText(path) }
  })
}

/** The faults of a definition that was written in code: line and column are 0. */
export function toCodeProblems(name: string, faults: readonly AgentFault[]): readonly Problem[] {
  return faults.map(({ path, related: _, ...rest }) => ({ ...rest, file: name, line: 0, column: 0, path: toPathText(path) }))
}
