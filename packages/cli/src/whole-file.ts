import type { FileHandle } from 'node:fs/promises'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { Failure } from './failure.ts'

type Pieces = AsyncIterable<string> | Iterable<string | Uint8Array>

/** What was written. */
export interface Written {
  readonly lines: number
  readonly bytes: number
}

/**
 * Writes a file, whole or not at all, for this user alone. One that is there is replaced, also behind a link; what is no file (a device, a pipe) is
 * written to and stays what it is. Throws `file_unreadable` where that cannot be.
 */
export async function writeWhole(path: string, lines: Pieces): Promise<Written> {
  if (await isSpecial(path)) return writeInto(path, 'a', lines)
  const target = await realpath(path).catch(() => path)
  const draft = `${target}.${process.pid}.tmp`
  try {
    const written = await writeInto(draft, 'w', lines, path)
    await rename(draft, target).catch((cause: unknown) => {
      throw unwritable(path, cause)
    })
    return written
  } finally {
    await rm(draft, { force: true })
  }
}

async function isSpecial(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

async function writeInto(path: string, flags: 'a' | 'w', lines: Pieces, shown = path): Promise<Written> {
  const file = await open(path, flags, 0o600).catch((cause: unknown) => {
    throw unwritable(shown, cause)
  })
  try {
    const written = await writeAll(file, shown, lines)
    // There is nothing to sync in a pipe.
    if (flags === 'w') await file.sync()
    return written
  } finally {
    await file.close()
  }
}

async function writeAll(file: FileHandle, shown: string, lines: Pieces): Promise<Written> {
  const written = { lines: 0, bytes: 0 }
  for await (const line of lines) {
    const bytes = Buffer.from(line)
    await file.writeFile(bytes).catch((cause: unknown) => {
      throw unwritable(shown, cause)
    })
    written.lines += 1
    written.bytes += bytes.length
  }
  return written
}

function unwritable(path: string, cause: unknown): Failure {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new Failure('file_unreadable', `${path} cannot be written: ${why}.`, {
    details: { path },
    remedy: 'Name another file with -o.',
    cause
  })
}
