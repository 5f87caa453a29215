import { MAX_PATH_BYTES } from './file-path.ts'
import type { OpenRoots } from './file-roots.ts'
import { FileSearch } from './file-search.ts'
import { MAX_GLOB_LENGTH } from '../util/glob.ts'
import { compilePathGlob } from './glob.ts'
import { compilePattern, MAX_PATTERN_LENGTH } from './text-pattern.ts'
import type { InputTool } from './tool-input.ts'
import { toObjectInput } from './tool-input.ts'

interface SearchFilesInput {
  readonly pattern: string
  readonly regex?: boolean
  readonly ignoreCase?: boolean
  readonly path?: string
  readonly glob?: string
  readonly limit?: number
}

const DEFAULT_MATCHES = 100
const MAX_MATCHES = 1_000

/** The tool that finds lines in text files. */
export function createSearchFiles(openRoots: OpenRoots): InputTool<SearchFilesInput> {
  return {
    name: 'search_files',
    description:
      'Finds lines in the text files of a folder and of all folders in it. `skipped` counts files that are no text, too large or cannot be opened, and folders that are left out: .git and node_modules, unless `path` lies in one. `isWhole` is false when the search ended before everything was seen.',
    input: toObjectInput<SearchFilesInput>(['pattern'], {
      pattern: { type: 'string', minLength: 1, maxLength: MAX_PATTERN_LENGTH, description: 'What a line must contain.' },
      regex: {
        type: 'boolean',
        description: 'Read the pattern as a regular expression (RE2: no look-around, no back-references). Default false.'
      },
      ignoreCase: { type: 'boolean', description: 'Do not tell upper from lower case. Default false.' },
      path: { type: 'string', minLength: 1, maxLength: MAX_PATH_BYTES, description: 'The folder or the file. Default: the first folder.' },
      glob: {
        type: 'string',
        minLength: 1,
        maxLength: MAX_GLOB_LENGTH,
        description:
          'Only files whose path from `path` on fits, such as src/**/*.ts; without "/" only the name must fit, such as *.{md,txt}.'
      },
      limit: { type: 'integer', minimum: 1, maximum: MAX_MATCHES, description: `How many lines at most. Default ${DEFAULT_MATCHES}.` }
    }),
    effect: 'read',
    parallelSafe: true,
    async execute({ pattern, regex = false, ignoreCase = false, path = '.', glob, limit = DEFAULT_MATCHES }, { signal, grants }) {
      const search = new FileSearch({
        matches: await compilePattern({ pattern, isExpression: regex, ignoreCase }),
        fits: glob === undefined ? () => true : await compilePathGlob(glob),
        limit,
        signal
      })
      const roots = await openRoots()
      const place = roots.locate(path, 'read', grants.files)
      await search.run(roots, place)
      return search.result
    }
  }
}
