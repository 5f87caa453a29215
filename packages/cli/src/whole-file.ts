import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from './failure.ts'

type Pieces = AsyncIterable<string> | Iterable<string | Uint8Array>

/** What was written. */
export interface Written {
  readonly lines: number
  readonly bytes: number
}

/** How long a pipe may have nobody who reads it. */
const READER_MS = 1_000
const LOOK_MS = 20

/**
 * Writes a file, whole or not at all, for this user alone. One that is there is replaced, also behind a link; what is no file (a device, a pipe) is
 * written to and stays what it is. Throws `output_unwritable` where that cannot be.
 */
export async function writeWhole(path: string, lines: Pieces): Promise<Written> {
  const kind = await kindOf(path)
  if (kind === 'pipe') return writeIntoPipe(path, lines)
  if (kind === 'device') return writeInto(path, 'a', lines)
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

async function kindOf(path: string): Promise<'pipe' | 'device' | 'file'> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFIFO() === true) return 'pipe'
  return found === undefined || found.isFile() || found.isDirectory() ? 'file' : 'device'
}

/** Whoever waits for a reader, or for one that is slow, keeps no thread of the process, which could not end then. */
async function writeIntoPipe(path: string, lines: Pieces): Promise<Written> {
  const file = await openPipe(path, READER_MS).catch((cause: unknown) => {
    throw unwritable(path, hasCode(cause, 'ENXIO') ? new Error('nobody reads this pipe', { cause }) : cause)
  })
  try {
    const written = { lines: 0, bytes: 0 }
    for await (const line of lines) {
      const bytes = Buffer.from(line)
      await writePiece(file, bytes).catch((cause: unknown) => {
        throw unwritable(path, cause)
      })
      written.lines += 1
      written.bytes += bytes.length
    }
    return written
  } finally {
    await file.close()
  }
}

async function openPipe(path: string, patienceMs: number): Promise<FileHandle> {
  try {
    return await open(path, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch (error) {
    if (!hasCode(error, 'ENXIO') || patienceMs <= 0) throw error
    await sleep(LOOK_MS)
    return openPipe(path, patienceMs - LOOK_MS)
  }
}

async function writePiece(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += (await file.write(bytes, at)).bytesWritten
    } catch (error) {
      if (!hasCode(error, 'EAGAIN')) throw error
      await sleep(LOOK_MS)
    }
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
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
  return new Failure('output_unwritable', `${path} cannot be written: ${why}.`, {
    details: { path },
    remedy: 'Name another file with -o.',
    cause
  })
}
