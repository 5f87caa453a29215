import { Buffer } from 'node:buffer'
import { digestBytes } from './file-content.ts'
import { MAX_PATH_BYTES } from './file-path.ts'
import { refuseFile } from './file-refusal.ts'
import type { OpenRoots } from './file-roots.ts'
import type { Folder } from './folder.ts'
import { replaceFile } from './replace-file.ts'
import type { InputTool } from './tool-input.ts'
import { toObjectInput } from './tool-input.ts'

interface WriteFileInput {
  readonly path: string
  readonly content: string
}

/** How many bytes may be written at once. */
export const MAX_WRITE_BYTES = 10 * 1024 * 1024

/** The tool that gives a file its whole content. */
export function createWriteFile(openRoots: OpenRoots): InputTool<WriteFileInput> {
  return {
    name: 'write_file',
    description:
      'Writes a text file as UTF-8: a new one, or one that replaces the whole content of the old. Folders that are missing are made. To change a part of a file, use edit_file.',
    input: toObjectInput<WriteFileInput>(['path', 'content'], {
      path: { type: 'string', minLength: 1, maxLength: MAX_PATH_BYTES, description: 'The file, relative to the first folder or absolute.' },
      content: { type: 'string', description: 'The whole content.' }
    }),
    effect: 'idempotent',
    parallelSafe: false,
    async execute({ path, content }, { signal, grants }) {
      const roots = await openRoots()
      const place = roots.locate(path, 'write', grants.files)
      const bytes = Buffer.from(content, 'utf8')
      if (bytes.length > MAX_WRITE_BYTES)
        throw refuseFile('too_large', path, `the content has ${bytes.length} bytes, and at most ${MAX_WRITE_BYTES} are written.`)
      const write = async (folder: Folder, name: string) => {
        const { isNew } = await replaceFile(folder, name, bytes, { signal })
        return { path: place.shown, created: isNew, bytes: bytes.length, digest: digestBytes(bytes) }
      }
      return roots.inTurn(place, () => roots.inParent(place, write, { make: true }))
    }
  }
}
