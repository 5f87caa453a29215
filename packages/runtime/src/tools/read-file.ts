import type { FileContent } from './file-content.ts'
import { MAX_READ_BYTES, readContent } from './file-content.ts'
import { MAX_PATH_BYTES } from './file-path.ts'
import type { OpenRoots } from './file-roots.ts'
import { showPath } from './shown-path.ts'
import type { InputTool } from './tool-input.ts'
import { toObjectInput } from './tool-input.ts'

interface ReadFileInput {
  readonly path: string
  readonly offset?: number
  readonly limit?: number
}

const DEFAULT_LINES = 2_000
const MAX_LINES = 10_000
/** Leaves room for the heading below what a result may have. */
const MAX_LENGTH = 60_000

/** The tool that reads lines of a text file. */
export function createReadFile(openRoots: OpenRoots): InputTool<ReadFileInput> {
  return {
    name: 'read_file',
    description:
      'Reads a text file. The answer begins with a line that says which lines follow, of how many, and the digest of the file; the text follows after an empty line. A file that is no text is named with its type and size.',
    input: toObjectInput<ReadFileInput>(['path'], {
      path: { type: 'string', minLength: 1, maxLength: MAX_PATH_BYTES, description: 'The file, relative to the first folder or absolute.' },
      offset: { type: 'integer', minimum: 1, description: 'The first line to read, counted from 1. Default 1.' },
      limit: { type: 'integer', minimum: 1, maximum: MAX_LINES, description: `How many lines at most. Default ${DEFAULT_LINES}.` }
    }),
    effect: 'read',
    parallelSafe: true,
    async execute({ path, offset = 1, limit = DEFAULT_LINES }, { signal, grants }) {
      const roots = await openRoots()
      const place = roots.locate(path, 'read', grants.files)
      const content = await roots.inParent(place, async (folder, name) => {
        await using file = await folder.file(name)
        return await readContent(file, { offset, limit, maxLength: MAX_LENGTH, signal })
      })
      return renderContent(place.shown, content)
    }
  }
}

/** A file as a model reads it. */
export function renderContent(path: string, content: FileContent): string {
  const shown = showPath(path)
  if (content.kind === 'empty') return `${shown}: an empty file, digest ${content.digest}`
  if (content.kind === 'binary') return `${shown}: no text (${content.type}), ${content.size} bytes; the bytes are not shown.`
  if (content.to < content.from) return `${shown}: ${describeEnd(content)}`
  return `${shown}: ${describeLines(content).join(', ')}\n\n${content.text.replaceAll('\r\n', '\n')}`
}

type TextContent = Extract<FileContent, { kind: 'text' }>

function describeEnd({ from, count, digest }: TextContent): string {
  if (digest === undefined) return `line ${from} lies behind the first ${MAX_READ_BYTES} bytes, which is all that is read of a file.`
  return `there is no line ${from}: the file has ${count} lines, digest ${digest}`
}

function describeLines(content: TextContent): readonly string[] {
  const { from, to, count, digest, size, isLineCut, isExact, isClosed, crlf, lf } = content
  const isEnd = digest !== undefined && to >= count
  return [
    `lines ${from}-${to} of ${digest === undefined ? 'more' : count}`,
    ...(isLineCut ? [`line ${from} is cut: only its first ${content.text.length} characters follow`] : []),
    ...(isEnd ? [] : [`go on with offset ${to + 1}`]),
    `${size} bytes`,
    ENCODINGS[content.encoding] + (content.hasMark ? ' with a byte order mark' : ''),
    ...(crlf > 0 ? [`${lf > 0 ? 'mixed' : 'CRLF'} line breaks`] : []),
    ...(isExact ? [] : ['bytes that are no characters are shown as U+FFFD']),
    ...(isEnd && !isClosed ? ['no line break at the end'] : []),
    digest === undefined ? `larger than the ${MAX_READ_BYTES} bytes that are read, so without a digest` : `digest ${digest}`
  ]
}

const ENCODINGS = { 'utf-8': 'UTF-8', 'utf-16le': 'UTF-16 LE', 'utf-16be': 'UTF-16 BE' } as const
