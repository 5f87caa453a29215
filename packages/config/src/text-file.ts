import { readFile } from 'node:fs/promises'
import { HoldfastError } from '@holdfast/runtime'

/** Reads a text file. Throws `file_not_found` or `file_unreadable`. */
export async function readText(path: string): Promise<string> {
  try {
    const bytes = await readFile(path)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')
    const message = missing ? `There is no file ${path}.` : `The file ${path} cannot be read as UTF-8 text.`
    throw new HoldfastError(missing ? 'file_not_found' : 'file_unreadable', message, { details: { file: path }, cause })
  }
}
