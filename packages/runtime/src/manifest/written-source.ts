import type { AgentFault } from './agent-fault.ts'
import { toCodeProblems, toTextProblems } from './agent-fault.ts'
import type { ParsedDocument } from './parsed-document.ts'
import type { Problem } from './problem.ts'

const documents = new WeakMap<object, ParsedDocument>()

/** Notes from which document the fields of a definition were read: what is found wrong later is told at its place. */
export function noteSource(definition: object, document: ParsedDocument): void {
  for (const value of Object.values(definition)) if (typeof value === 'object' && value !== null) documents.set(value, document)
}

/** The faults of a definition, each where it was written: at its place in a text, unless somebody has put something else in place of that field. */
export function toWrittenProblems(agent: object, name: string, faults: readonly AgentFault[]): readonly Problem[] {
  return faults.flatMap((fault) => {
    const [field] = fault.path
    const value: unknown = typeof field === 'string' && Object.hasOwn(agent, field) ? Reflect.get(agent, field) : undefined
    const document = typeof value === 'object' && value !== null ? documents.get(value) : undefined
    return document === undefined ? toCodeProblems(name, [fault]) : toTextProblems(document, [fault])
  })
}
