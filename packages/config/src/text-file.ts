import { open } from 'node:fs/promises'
import { HoldfastError } from '@holdfast/runtime'

/** More than any document may have, however its characters are written. */
const MAX_BYTES = 33_554_432

/** Reads a text file, also from a pipe. Throws `file_not_found` or `file_unreadable`: for what is no UTF-8 text, and for more than 32 MiB. */
export async function readText(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readBounded(path))
  } catch (cause) {
    if (cause instanceof HoldfastError) throw cause
    const missing = cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')
    const message = missing ? `There is no file ${path}.` : `The file ${path} cannot be read as UTF-8 text.`
    throw new HoldfastError(missing ? 'file_not_found' : 'file_unreadable', message, { details: { file: path }, cause })
  }
}

async function readBounded(path: string): Promise<Uint8Array> {
  await using file = await open(path)
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > MAX_BYTES) {
      throw new HoldfastError('file_unreadable', `The file ${path} has more than 32 MiB: this is no configuration and no script.`, {
        details: { file: path }
      })
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
