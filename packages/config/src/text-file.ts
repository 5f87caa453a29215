import { HoldfastError, isHoldfastError } from '@holdfast/runtime'
import { readNamedFile } from './named-file.ts'

/** More than any document may have, however its characters are written. */
const MAX_BYTES = 33_554_432

/** Reads a text file, also from a pipe. Throws `file_not_found` or `file_unreadable`: for what is no UTF-8 text, and for more than 32 MiB. */
export async function readText(path: string): Promise<string> {
  const details = { file: path }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readNamedFile(path, { maxBytes: MAX_BYTES, details }))
  } catch (cause) {
    if (cause instanceof TypeError) throw new HoldfastError('file_unreadable', `The file ${path} is not UTF-8 text.`, { details, cause })
    if (!isHoldfastError(cause, 'value_too_large')) throw cause
    throw new HoldfastError('file_unreadable', `The file ${path} has more than 32 MiB: this is no configuration and no script.`, {
      details,
      cause
    })
  }
}
