import { basename } from 'node:path'
import type { Part } from '@holdfast/runtime'
import { Failure, isRuntimeError } from './failure.ts'
import { loadConfiguration } from './libraries.ts'

/** A file as a part of a message, with what is told about it. */
export interface Attachment {
  readonly path: string
  readonly mediaType: string
  readonly bytes: number
  readonly part: Part
}

/** A whole message has less: of what is larger no more is read than this. */
const MAX_BYTES = 12 * 1024 * 1024

/** Media that models take, by their first bytes in hexadecimal digits; a dot is any digit. */
const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^89504e470d0a1a0a/, 'image/png'],
  [/^ffd8ff/, 'image/jpeg'],
  [/^47494638/, 'image/gif'],
  [/^52494646.{8}57454250/, 'image/webp'],
  [/^255044462d/, 'application/pdf']
]
const HEAD_BYTES = 16

/**
 * Reads a file for a message. What it is, its bytes say, not its name: images and PDF become files, text becomes a text that names the
 * file, for few models take text in any other form. Throws `file_not_found`, `file_unreadable` and `value_too_large`.
 */
export async function readAttachment(path: string): Promise<Attachment> {
  const bytes = await readBytes(path)
  const mediaType = mediaTypeOf(bytes)
  if (mediaType === undefined) {
    throw new Failure('file_unreadable', `${path} is neither an image, a PDF nor text.`, {
      details: { path },
      remedy: 'Attach PNG, JPEG, GIF, WebP, PDF or UTF-8 text.'
    })
  }
  const filename = basename(path)
  const part: Part =
    mediaType === 'text/plain'
      ? { type: 'text', text: `The file ${filename}:\n\n${bytes.toString('utf8')}` }
      : { type: 'file', mediaType, filename, source: { data: bytes.toString('base64') } }
  return { path, mediaType, bytes: bytes.length, part }
}

/** Whether a file is there and is an image, by its first bytes. */
export function isImage(head: Uint8Array): boolean {
  return knownTypeOf(head)?.startsWith('image/') === true
}

function mediaTypeOf(bytes: Buffer): string | undefined {
  const known = knownTypeOf(bytes)
  if (known !== undefined) return known
  if (bytes.length === 0 || bytes.includes(0)) return undefined
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return 'text/plain'
  } catch {
    return undefined
  }
}

function knownTypeOf(bytes: Uint8Array): string | undefined {
  const digits = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('hex')
  return TYPES.find(([pattern]) => pattern.test(digits))?.[1]
}

async function readBytes(path: string): Promise<Buffer> {
  const { readNamedFile } = await loadConfiguration()
  try {
    return Buffer.from(await readNamedFile(path, { maxBytes: MAX_BYTES }))
  } catch (cause) {
    if (!isRuntimeError(cause) || cause.code !== 'value_too_large') throw cause
    throw new Failure('value_too_large', `${path} is larger than ${MAX_BYTES} bytes, and a message must be smaller.`, {
      details: { path, limit: MAX_BYTES },
      remedy: 'Make it smaller, or give the agent a tool that reads it.',
      cause
    })
  }
}
