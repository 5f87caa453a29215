// Lines never fuse, whatever a write has left behind (B049).
import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import type { Writable } from 'node:stream'

/** Appends a text. **Contract**: throws what the file or the stream says; a text that failed is given again. */
export type Append = (text: string) => Promise<void>

const NEWLINE = 0x0a

/** Appends to a file or to a stream. The file is made for its owner alone and opened for each text; the stream is not ended. */
export function createAppender(target: string | Writable): Append {
  return typeof target === 'string' ? createFileAppender(target) : createStreamAppender(target)
}

/** Lines put together to texts of about so many bytes, at least one line each. */
export function* toBatches(lines: Iterable<string>, maxBytes: number): Generator<string> {
  let batch: string[] = []
  let bytes = 0
  for (const line of lines) {
    const length = Buffer.byteLength(line)
    if (bytes > 0 && bytes + length > maxBytes) {
      yield batch.join('')
      batch = []
      bytes = 0
    }
    batch.push(line)
    bytes += length
  }
  if (bytes > 0) yield batch.join('')
}

function createFileAppender(path: string): Append {
  let isWhole = false
  return async (text) => {
    const wasWhole = isWhole
    // A write that fails may leave a part of itself.
    isWhole = false
    await using file = await open(path, 'a+', 0o600)
    const before = wasWhole || !(await isTorn(file)) ? '' : '\n'
    await writeAll(file, Buffer.from(before + text))
    isWhole = true
  }
}

async function isTorn(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat()
  if (size === 0) return false
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] !== NEWLINE
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length; ) written += (await file.write(bytes, written)).bytesWritten
}

function createStreamAppender(stream: Writable): Append {
  // The callback tells what failed; without a listener the event would end the process.
  stream.on('error', () => {})
  return (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) => (error ? reject(error) : resolve()))
    })
}
