import type { Stats } from 'node:fs'
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '@holdfast/runtime'
import { HoldfastError } from '@holdfast/runtime'

/** How a file that somebody named is read, and what is told about it. */
export interface NamedFileOptions {
  /** Of more than this no more is read. */
  readonly maxBytes?: number
  /** Stands before the message. */
  readonly label?: string
  /** What an error says beside its message. Default: the path. */
  readonly details?: JsonObject
}

const CHUNK_BYTES = 65_536
/** How long a pipe may have nobody who writes to it. */
const WRITER_MS = 1_000
const LOOK_MS = 20

/** The bytes of a file that somebody named. Throws as `streamNamedFile`. */
export async function readNamedFile(path: string, options: NamedFileOptions & { readonly maxBytes: number }): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of streamNamedFile(path, options)) pieces.push(piece)
  return Buffer.concat(pieces)
}

/**
 * The same, piece by piece: of a file, or of a pipe that somebody writes to. Never blocks a thread of the process. Throws `file_not_found`,
 * `file_unreadable` (a folder, a device, a socket, a pipe without a writer, missing rights) and `value_too_large`.
 */
export async function* streamNamedFile(path: string, options: NamedFileOptions = {}): AsyncGenerator<Uint8Array> {
  try {
    // Before it is opened: to open a device may do something.
    requireReadable(await stat(path), path, options)
    // A named pipe would keep the thread that opens it until somebody writes.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = await file.stat()
    requireReadable(stats, path, options)
    let bytes = 0
    for await (const piece of stats.isFIFO() ? readPipe(file, path, options) : readPieces(file)) {
      bytes += piece.length
      if (options.maxBytes !== undefined && bytes > options.maxBytes) {
        throw fault('value_too_large', `${path} has more than ${options.maxBytes} bytes.`, { path, options })
      }
      yield piece
    }
  } catch (cause) {
    throw cause instanceof HoldfastError ? cause : toReadFault(cause, path, options)
  }
}

async function* readPieces(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES))
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

/** A pipe has an end when all that wrote to it have gone; before the first has come it looks the same. */
async function* readPipe(file: FileHandle, path: string, options: NamedFileOptions): AsyncGenerator<Uint8Array> {
  let [isBegun, waitedMs] = [false, 0]
  for (;;) {
    const piece = await readNow(file)
    if (piece === 'none_yet') await sleep(LOOK_MS)
    else if (piece.length > 0) yield piece
    else if (isBegun) return
    else if (waitedMs < WRITER_MS) {
      await sleep(LOOK_MS)
      waitedMs += LOOK_MS
      continue
    } else throw fault('file_unreadable', `${path} is a pipe that nobody writes to.`, { path, options })
    isBegun = true
  }
}

async function readNow(file: FileHandle): Promise<Uint8Array | 'none_yet'> {
  try {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES))
    return buffer.subarray(0, bytesRead)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 'none_yet'
    throw error
  }
}

function requireReadable(stats: Stats, path: string, options: NamedFileOptions): void {
  if (stats.isFile() || stats.isFIFO()) return
  const kind = stats.isDirectory() ? 'a folder' : stats.isSocket() ? 'a socket' : 'a device'
  throw fault('file_unreadable', `${path} is ${kind}, and a file was expected.`, { path, options })
}

function toReadFault(cause: unknown, path: string, options: NamedFileOptions): HoldfastError {
  const isMissing = cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')
  if (isMissing) return fault('file_not_found', `There is no file ${path}.`, { path, options, cause })
  const why = cause instanceof Error ? cause.message : String(cause)
  return fault('file_unreadable', `${path} cannot be read: ${why}.`, { path, options, cause })
}

function fault(
  code: 'file_not_found' | 'file_unreadable' | 'value_too_large',
  message: string,
  { path, options, cause }: { readonly path: string; readonly options: NamedFileOptions; readonly cause?: unknown }
): HoldfastError {
  const details = options.details ?? { path }
  return new HoldfastError(code, `${options.label ?? ''}${message}`, { details, ...(cause === undefined ? {} : { cause }) })
}
