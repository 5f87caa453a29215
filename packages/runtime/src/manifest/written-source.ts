import type { AgentFault } from './agent-fault.ts'
import { toCodeProblems, toTextProblems } from './agent-fault.ts'
import type { ParsedDocument } from './parsed-document.ts'
import type { Path, Position, Problem } from './problem.ts'

/** A place in a file. */
export interface Place extends Position {
  readonly file: string
}

const documents = new WeakMap<object, ParsedDocument>()

/** Notes from which document the fields of a definition or a configuration were read: what is found wrong later is told at its place. */
export function noteSource(source: object, document: ParsedDocument): void {
  for (const value of Object.values(source)) if (typeof value === 'object' && value !== null) documents.set(value, document)
}

/**
 * Where something of a definition or a configuration was written that was read from a file: below a field of it that is a list or an object.
 * Undefined for what was made in code.
 */
export function findPlace(source: object, path: Path): Place | undefined {
  const document = documentOf(source, path)
  return document === undefined ? undefined : { file: document.file, ...document.at(path) }
}

/** The faults of a definition, each where it was written: at its place in a text, unless somebody has put something else in place of that field. */
export function toWrittenProblems(agent: object, name: string, faults: readonly AgentFault[]): readonly Problem[] {
  return faults.flatMap((fault) => {
    const document = documentOf(agent, fault.path)
    return document === undefined ? toCodeProblems(name, [fault]) : toTextProblems(document, [fault])
  })
}

function documentOf(source: object, [field]: Path): ParsedDocument | undefined {
  const value: unknown = typeof field === 'string' && Object.hasOwn(source, field) ? Reflect.get(source, field) : undefined
  return typeof value === 'object' && value !== null ? documents.get(value) : undefined
}
