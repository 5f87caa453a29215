import type { Alias, ParsedNode } from 'yaml'
import type { Json } from '../contracts/json.ts'
import type { DocumentFault } from './document-fault.ts'
import { DOCUMENT_BOUNDS } from './document-fault.ts'
import { findJsonFault } from './json-syntax.ts'
import type { ParsedDocument } from './parsed-document.ts'
import type { Position, Problem } from './problem.ts'
import { toPathText } from './problem.ts'
import { createLineFinder } from './text-lines.ts'
import { createYamlPlaces } from './yaml-places.ts'
import { readYamlSyntax } from './yaml-syntax.ts'
import { readYamlTree } from './yaml-tree.ts'

/** One mistake can make a thousand errors of syntax. */
const MAX_ERRORS = 100

/** As `parseYaml`, which loads this. */
export async function readYaml(text: string, file: string): Promise<ParsedDocument> {
  const source = text.startsWith('\ufeff') ? text.slice(1) : text
  try {
    return await readDocument(source, file)
  } catch (cause) {
    const message = `the text cannot be read: ${cause instanceof Error ? cause.message.slice(0, 200) : 'unknown reason'}`
    return toUnreadable(file, source, [{ code: 'syntax', offset: 0, path: [], message }])
  }
}

async function readDocument(text: string, file: string): Promise<ParsedDocument> {
  if (text.length > DOCUMENT_BOUNDS.length) {
    const expected = `at most ${DOCUMENT_BOUNDS.length} characters`
    return toUnreadable(file, '', [{ code: 'too_large', offset: 0, path: [], message: 'the document is too large', expected }])
  }
  const isJson = file.toLowerCase().endsWith('.json')
  const fault = isJson ? findJsonFault(text) : undefined
  if (fault !== undefined) {
    return toUnreadable(file, text, [
      { code: 'syntax', offset: fault.offset, path: [], message: 'this is not JSON', expected: fault.expected }
    ])
  }
  const { root, faults } = await readYamlSyntax(text)
  // What is JSON has a tree, whatever else YAML says about tabs and long keys.
  const fatal = isJson ? faults.filter(({ code }) => code === 'too_deep' || code === 'too_large') : faults
  if (fatal.length > 0) return toUnreadable(file, text, fatal)
  const tree = await readYamlTree(root)
  const value: Json = isJson && tree.faults.length === 0 ? JSON.parse(text) : tree.value
  return toDocument({ file, text, isJson, value, faults: tree.faults, root, targets: tree.targets })
}

interface Readable {
  readonly file: string
  readonly text: string
  readonly isJson: boolean
  readonly value: Json
  readonly faults: readonly DocumentFault[]
  readonly root: ParsedNode | null
  readonly targets: ReadonlyMap<Alias, ParsedNode>
}

async function toDocument({ file, text, isJson, value, faults, root, targets }: Readable): Promise<ParsedDocument> {
  const places = await createYamlPlaces(root, targets)
  const position = createLineFinder(text)
  return {
    file,
    value,
    errors: faults.slice(0, MAX_ERRORS).map((fault) => toProblem(file, position, fault)),
    at: (path) => position(places.valueAt(path)),
    keyAt: (path) => position(places.keyAt(path)),
    sourceAt: (path) => (isJson ? undefined : places.sourceAt(path))
  }
}

function toUnreadable(file: string, text: string, faults: readonly DocumentFault[]): ParsedDocument {
  const position = createLineFinder(text)
  const start = (): Position => ({ line: 1, column: 1 })
  return {
    file,
    value: undefined,
    errors: faults.slice(0, MAX_ERRORS).map((fault) => toProblem(file, position, fault)),
    at: start,
    keyAt: start,
    sourceAt: () => undefined
  }
}

function toProblem(file: string, position: (offset: number) => Position, fault: DocumentFault): Problem {
  const { code, offset, path, message, expected, related } = fault
  return {
    code,
    file,
    ...position(offset),
    path: toPathText(path),
    message,
    ...(expected === undefined ? {} : { expected }),
    ...(related === undefined ? {} : { related: position(related) })
  }
}
