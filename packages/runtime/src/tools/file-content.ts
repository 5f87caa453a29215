import { Buffer } from 'node:buffer'
import type { Hash } from 'node:crypto'
import { createHash, hash } from 'node:crypto'
import { refuseFile } from './file-refusal.ts'
import type { OpenFile } from './folder.ts'
import { binaryTypeOf, TYPE_BYTES } from './file-type.ts'
import type { KeptLines, LineWindowOptions } from './line-window.ts'
import { LineWindow } from './line-window.ts'
import { showPath } from './shown-path.ts'
import type { TextEncoding } from './text-encoding.ts'
import { createTextReader, readByteOrderMark } from './text-encoding.ts'

/** How much of a file is read for its lines. */
export const MAX_READ_BYTES = 64 * 1024 * 1024

const PIECE_BYTES = 256 * 1024

/** What was read of a file. */
export type FileContent =
  | { readonly kind: 'empty'; readonly size: number; readonly digest: string }
  | { readonly kind: 'binary'; readonly size: number; readonly type: string }
  | ({
      readonly kind: 'text'
      readonly size: number
      /** Of all bytes. Absent when the file is larger than what is read of it. */
      readonly digest?: string
      readonly encoding: TextEncoding
      readonly hasMark: boolean
      /** Whether every byte that was read is one of a character. If not, U+FFFD stands where they are not. */
      readonly isExact: boolean
    } & KeptLines)

/** How a file is read. */
export interface ReadContentOptions extends LineWindowOptions {
  readonly signal?: AbortSignal
}

/** Reads lines of a text file, piece by piece: a large file costs no more memory than a small one. */
export async function readContent(file: OpenFile, options: ReadContentOptions): Promise<FileContent> {
  const buffer = Buffer.allocUnsafe(PIECE_BYTES)
  const size = Number(file.stats.size)
  const digest = createHash('sha256')
  let piece = await readPiece(file, buffer, 0)
  if (piece.length === 0) return { kind: 'empty', size: 0, digest: toDigest(digest) }
  const head = Buffer.from(piece.subarray(0, TYPE_BYTES))
  const type = binaryTypeOf(head, false)
  if (type !== undefined) return { kind: 'binary', size, type }
  const mark = readByteOrderMark(head)
  const reader = createTextReader(mark.encoding)
  const lines = new LineWindow(options)
  let at = 0
  while (piece.length > 0 && at < MAX_READ_BYTES && !(lines.isFull && size > MAX_READ_BYTES)) {
    options.signal?.throwIfAborted()
    digest.update(piece)
    const text = reader.read(at === 0 ? piece.subarray(mark.length) : piece)
    if (text.includes('\0')) return { kind: 'binary', size, type: binaryTypeOf(head, true) ?? '' }
    lines.push(text)
    at += piece.length
    piece = await readPiece(file, buffer, at)
  }
  const isWhole = piece.length === 0
  if (isWhole) lines.push(reader.end())
  const { encoding, length } = mark
  const whole = isWhole ? { digest: toDigest(digest) } : {}
  return { kind: 'text', size, ...whole, encoding, hasMark: length > 0, isExact: reader.isExact, ...lines.end() }
}

/** Reads all bytes of a file that has at most `maxBytes`. */
export async function readBytes(file: OpenFile, path: string, maxBytes: number): Promise<Buffer> {
  const refuse = () => refuseFile('too_large', path, `${showPath(path)} is larger than ${maxBytes} bytes.`)
  if (file.stats.size > BigInt(maxBytes)) throw refuse()
  const bytes = Buffer.alloc(Number(file.stats.size) + 1)
  let length = 0
  for (;;) {
    const piece = await readPiece(file, bytes.subarray(length), length)
    if (piece.length === 0) return bytes.subarray(0, length)
    length += piece.length
    if (length >= bytes.length) throw refuseFile('moved', path, `${showPath(path)} grew while it was read. Try again.`)
  }
}

/** The digest of bytes as tools name it. */
export function digestBytes(bytes: Uint8Array): string {
  return `sha256:${hash('sha256', bytes, 'hex')}`
}

async function readPiece({ handle }: OpenFile, buffer: Buffer, at: number): Promise<Buffer> {
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, at)
  return buffer.subarray(0, bytesRead)
}

function toDigest(digest: Hash): string {
  return `sha256:${digest.digest('hex')}`
}
