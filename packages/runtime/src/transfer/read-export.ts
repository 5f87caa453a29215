// An export comes from outside: every record is parsed with a schema, and every digest is of what stands beside it.
import type { Commit, Fact } from '../contracts/fact.ts'
import { FORMAT } from '../contracts/fact.ts'
import { HoldfastError } from '../contracts/errors.ts'
import type { Digest, ThreadId } from '../contracts/ids.ts'
import type { Publication } from '../contracts/publication.ts'
import type { AcceptedItem } from '../contracts/store.ts'
import { digestBytes, digestJson, digestText } from '../util/canonical.ts'
import { artifactsOf } from '../contracts/fact-bodies.ts'
import { EXPORT_FORMAT } from './export-lines.ts'
import { findFactIssue } from './fact-shape.ts'
import type { RecordOf } from './record-shapes.ts'
import { RECORD_SHAPES } from './record-shapes.ts'
import type { Line } from './text-lines.ts'
import { toLines } from './text-lines.ts'

/** A commit without what its new store gives it. */
export type ExportedCommit = Omit<Commit, 'tenant' | 'thread' | 'position'>

/** What an export holds, record by record right; how the records belong together is judged by `readImportedThread`. */
export interface ThreadExport {
  readonly header: Omit<RecordOf<'thread'>, 'type' | 'format'>
  /** The one that the thread was made with, and those that its commits pin it to later. */
  readonly publications: readonly Publication[]
  readonly commits: readonly ExportedCommit[]
  /** The bytes of all artifacts that the commits name. */
  readonly artifacts: ReadonlyMap<Digest, Uint8Array>
  readonly items: readonly AcceptedItem[]
}

/** Reads an export. Throws `invalid_input` (details: `line`), `format_unknown`, `log_corrupt`, `value_too_large`. */
export async function readExport(pieces: AsyncIterable<string> | Iterable<string>): Promise<ThreadExport> {
  const lines = new Lines(toLines(pieces))
  const { type: _, format: __, ...header } = parse(await lines.next('a header'), 'thread')
  const publications = [toPublication(await lines.next('a publication'))]
  const commits: ExportedCommit[] = []
  const artifacts = new Map<Digest, Uint8Array>()
  while (commits.length < header.head) {
    commits.push(await readCommit(lines, `commit ${commits.length + 1} of ${header.head}`, { artifacts, publications }))
  }
  const items: AcceptedItem[] = []
  while (items.length < header.items) items.push(toItem(await lines.next(`item ${items.length + 1} of ${header.items}`), header.id))
  await lines.end()
  return { header, publications, commits, artifacts, items }
}

/** The error for what is not right in an export. */
export function invalidExport(what: string, line?: number, cause?: unknown): HoldfastError {
  const place = line === undefined ? '' : ` in line ${line}`
  return new HoldfastError('invalid_input', `Expected the export of a thread, and${place} ${what}. Nothing was imported.`, {
    details: line === undefined ? {} : { line },
    ...(cause === undefined ? {} : { cause })
  })
}

/** A commit, and before it the publications and artifacts that it is the first to name. */
async function readCommit(
  lines: Lines,
  wanted: string,
  { artifacts, publications }: { readonly artifacts: Map<Digest, Uint8Array>; readonly publications: Publication[] }
): Promise<ExportedCommit> {
  const given = new Set<Digest>()
  for (;;) {
    const line = await lines.next(wanted)
    if (isPublication(line)) publications.push(toPublication(line))
    else if (isArtifact(line)) {
      const { digest, bytes } = toArtifact(line)
      if (artifacts.has(digest)) throw invalidExport('an artifact is given twice', line.number)
      given.add(digest)
      artifacts.set(digest, bytes)
    } else return toNamingCommit(line, given, artifacts)
  }
}

function toNamingCommit(line: Line, given: ReadonlySet<Digest>, artifacts: ReadonlyMap<Digest, Uint8Array>): ExportedCommit {
  const commit = toCommit(line)
  const named = artifactsOf(commit.facts)
  const missing = named.find((digest) => !artifacts.has(digest))
  if (missing !== undefined) throw invalidExport(`the artifact ${missing} is named, which was not given before`, line.number)
  if ([...given].some((digest) => !named.includes(digest))) throw invalidExport('an artifact was given that is not named here', line.number)
  return commit
}

class Lines {
  readonly #lines: AsyncIterator<Line>
  #last = 0

  constructor(lines: AsyncIterator<Line>) {
    this.#lines = lines
  }

  async next(wanted: string): Promise<Line> {
    const { done, value } = await this.#lines.next()
    if (done === true) throw invalidExport(`it ends where ${wanted} should stand`, this.#last + 1)
    this.#last = value.number
    return value
  }

  async end(): Promise<void> {
    const { done, value } = await this.#lines.next()
    if (done !== true) throw invalidExport('there is more than its header tells', value.number)
  }
}

function parse<Kind extends keyof typeof RECORD_SHAPES>(line: Line, kind: Kind): RecordOf<Kind> {
  const value = parseJson(line)
  const given = isObject(value) ? value : {}
  if (given['type'] !== kind) throw invalidExport(`there is no record of type ${kind}`, line.number)
  if (kind === 'thread' && typeof given['format'] === 'number' && given['format'] > EXPORT_FORMAT) throw newer(line, given['format'])
  const { error } = RECORD_SHAPES[kind].safeParse(value)
  const [issue] = error?.issues ?? []
  if (issue !== undefined) throw invalidIssue(line, issue)
  // What was read, not what the schema made of it: the order of its fields is part of its digest.
  return value as RecordOf<Kind>
}

function isPublication({ text }: Line): boolean {
  return text.startsWith('{"type":"publication",')
}

function toPublication(line: Line): Publication {
  const { digest, definition } = parse(line, 'publication')
  if (digestJson(definition) !== digest) throw corrupt(line, 'the publication does not match its digest')
  return { digest, definition }
}

function toCommit(line: Line): ExportedCommit {
  const { type: _, ...commit } = parse(line, 'commit')
  if (commit.format > FORMAT) throw newer(line, commit.format)
  for (const [index, fact] of commit.facts.entries()) {
    const issue = findFactIssue(fact)
    if (issue !== null) throw invalidIssue(line, { ...issue, path: ['facts', index, ...issue.path] })
  }
  if (digestText(JSON.stringify(commit.facts)) !== commit.digest) throw corrupt(line, `commit ${commit.sequence} does not match its digest`)
  return { ...commit, facts: commit.facts as readonly Fact[] }
}

function isArtifact({ text }: Line): boolean {
  return text.startsWith('{"type":"artifact",')
}

function toArtifact(line: Line): { readonly digest: Digest; readonly bytes: Uint8Array } {
  const { digest, bytes: length, data } = parse(line, 'artifact')
  const bytes = Buffer.from(data, 'base64')
  if (bytes.length !== length || digestBytes(bytes) !== digest) throw corrupt(line, 'the artifact does not match its digest')
  return { digest, bytes }
}

function toItem(line: Line, thread: ThreadId): AcceptedItem {
  const { type: _, ...item } = parse(line, 'item')
  if (item.state === 'consumed') return { ...item, thread }
  const { kind, scope = '', body, digest } = item
  const expected = kind === 'decision' ? digestJson({ kind, body }) : digestJson([kind, scope, body])
  if (expected !== digest) throw corrupt(line, `the item ${item.id} does not match its digest`)
  return { ...item, thread }
}

function parseJson({ text, number }: Line): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw invalidExport('there is no JSON', number, cause)
  }
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalidIssue(line: Line, { path, message }: { readonly path: readonly PropertyKey[]; readonly message: string }): HoldfastError {
  return invalidExport(`${path.map(String).join('.') || 'the record'} is wrong: ${message}`, line.number)
}

function corrupt(line: Line, what: string): HoldfastError {
  return new HoldfastError(
    'log_corrupt',
    `Line ${line.number} was changed or damaged: ${what}. Nothing was imported. Export the thread again.`,
    {
      details: { line: line.number }
    }
  )
}

function newer(line: Line, format: number): HoldfastError {
  return new HoldfastError(
    'format_unknown',
    `Line ${line.number} has format ${format}, which this version of Holdfast does not read. Use the version that wrote it, or a newer one.`,
    { details: { line: line.number, format } }
  )
}
