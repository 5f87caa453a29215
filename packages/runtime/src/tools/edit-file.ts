import { digestBytes, readBytes } from './file-content.ts'
import { MAX_PATH_BYTES } from './file-path.ts'
import { refuseFile } from './file-refusal.ts'
import type { FilePlace, OpenRoots } from './file-roots.ts'
import { isBinary } from './file-type.ts'
import type { Folder } from './folder.ts'
import { replaceFile } from './replace-file.ts'
import { showPath } from './shown-path.ts'
import type { EditKnowledge, EditRefusal, TextEdit } from './text-edit.ts'
import { applyEdit, MAX_EDIT_BYTES } from './text-edit.ts'
import type { InputTool } from './tool-input.ts'
import { isSameText } from './text-places.ts'
import { toObjectInput } from './tool-input.ts'

interface EditFileInput {
  readonly path: string
  readonly oldText: string
  readonly newText: string
  readonly all?: boolean
  readonly expectedDigest?: string
}

/**
 * The tool that replaces a part of a text file. It may be repeated: a try that follows one whose end is not known applies the edit only when it can be
 * shown that the file does not have it yet, and says so otherwise.
 */
export function createEditFile(openRoots: OpenRoots): InputTool<EditFileInput> {
  return {
    name: 'edit_file',
    description:
      'Replaces one text in a file by another. The old text must stand in the file exactly once, or `all` must be true. Line breaks and encoding of the file stay as they are.',
    input: toObjectInput<EditFileInput>(['path', 'oldText', 'newText'], {
      path: { type: 'string', minLength: 1, maxLength: MAX_PATH_BYTES, description: 'The file, relative to the first folder or absolute.' },
      oldText: { type: 'string', minLength: 1, description: 'The text to replace, exactly as it stands in the file.' },
      newText: { type: 'string', description: 'The text that comes in its place.' },
      all: { type: 'boolean', description: 'Replace every place where the old text stands. Default false.' },
      expectedDigest: {
        type: 'string',
        pattern: '^sha256:[0-9a-f]{64}$',
        description: 'The digest that read_file gave. When the file has changed since, nothing is written.'
      }
    }),
    effect: 'idempotent',
    parallelSafe: false,
    async execute({ path, oldText, newText, all = false, expectedDigest }, context) {
      if (oldText === '') throw refuseFile('invalid_edit', path, 'the old text must not be empty.')
      if (isSameText({ oldText, newText }))
        throw refuseFile('invalid_edit', path, 'the old and the new text are the same, except for line breaks: those stay as they are.')
      const roots = await openRoots()
      // What an edit says of a file tells what stands in it.
      const { files } = context.grants
      roots.locate(path, 'read', files)
      const place = roots.locate(path, 'write', files)
      const edit = { oldText, newText, all }
      const knowledge = { expectedDigest, isRepeat: context.try > 1 }
      return roots.inTurn(place, () =>
        roots.inParent(place, (folder, name) => editFile(place, { folder, name, edit, knowledge, signal: context.signal }))
      )
    }
  }
}

interface Editing {
  readonly folder: Folder
  readonly name: string
  readonly edit: TextEdit
  readonly knowledge: EditKnowledge
  readonly signal: AbortSignal
}

async function editFile({ path, shown }: FilePlace, { folder, name, edit, knowledge, signal }: Editing) {
  await using file = await folder.file(name)
  const before = await readBytes(file, path, MAX_EDIT_BYTES)
  if (isBinary(before)) throw refuseFile('binary', path, `${showPath(shown)} is no text file.`)
  const outcome = applyEdit(before, edit, knowledge)
  switch (outcome.kind) {
    case 'refused':
      throw refuseFile(outcome.reason, path, `${showPath(shown)}: ${REASONS[outcome.reason](outcome.places)}`)
    case 'already_applied':
      return { path: shown, applied: 'before', digest: digestBytes(before) }
    case 'edited':
      await replaceFile(folder, name, outcome.bytes, { signal, basedOn: file.stats })
      return { path: shown, applied: 'now', places: outcome.places, digest: digestBytes(outcome.bytes) }
  }
}

const REASONS: { readonly [reason in EditRefusal]: (places: number) => string } = {
  text_not_found: () => 'the old text does not stand in the file. Read it again: it must match to the character.',
  not_unique: (places) => `the old text stands in the file ${places} times. Give more of what is around it, or set all to true.`,
  changed_since_read: () => 'the file has changed since it was read. Nothing was written; read it again.',
  maybe_applied: () => 'an earlier try of this edit was cut off and may have been applied. Nothing was written; read the file.',
  too_large: () => `the file would be larger than ${MAX_EDIT_BYTES} bytes.`
}
