import { resolve } from 'node:path'
import type { CommandIo } from './command-io.ts'
import { Failure, isRuntimeError } from './failure.ts'
import { loadConfiguration } from './libraries.ts'

const MAX_INPUT_BYTES = 16 * 1024 * 1024

/** A text argument: as it stands, or what standard input gives when it is `-`, without its last line end. Throws `invalid_input` and `value_too_large`. */
export async function readTextArgument(text: string, io: CommandIo): Promise<string> {
  if (text !== '-') return requireText(text, 'The text is empty.')
  return requireText(toText(await readAll(io)), 'Standard input gave no text.')
}

/**
 * A text option: as it stands, what stands in a file with `@file` (`@@` begins a text with an at sign), or standard input with `-`; without the last line
 * end of either. Throws the same and `file_not_found`.
 */
export async function readInputOption(text: string, io: CommandIo): Promise<string> {
  if (!text.startsWith('@')) return readTextArgument(text, io)
  if (text.startsWith('@@')) return text.slice(1)
  const path = resolve(io.cwd, text.slice(1))
  return requireText(toText(await readNamedText(path)), `${path} is empty.`)
}

/** The text of a file that is named with `@`. Throws `file_not_found`, `file_unreadable` and `value_too_large`. */
export async function readNamedText(path: string, { variable }: { readonly variable?: string } = {}): Promise<string> {
  const label = variable === undefined ? '' : `--var ${variable}: `
  const details = { path, ...(variable === undefined ? {} : { variable }) }
  const { readNamedFile } = await loadConfiguration()
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readNamedFile(path, { maxBytes: MAX_INPUT_BYTES, label, details }))
  } catch (cause) {
    if (cause instanceof TypeError) throw new Failure('file_unreadable', `${label}${path} is not UTF-8 text.`, { details, cause })
    if (!isRuntimeError(cause) || cause.code !== 'file_not_found') throw cause
    const remedy = 'Write @@ for a text that begins with an at sign.'
    throw new Failure('file_not_found', cause.message, { details, remedy, cause })
  }
}

/** The line end that programs and editors put behind a text is not of it. */
function toText(text: string): string {
  return text.replace(/\r?\n$/, '')
}

function requireText(text: string, message: string): string {
  if (text.trim() === '') throw new Failure('invalid_input', message, { remedy: 'Give a text as an argument, or pipe one in with `-`.' })
  return text
}

async function readAll(io: CommandIo): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of io.stdin) {
    const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk
    length += bytes.length
    if (length > MAX_INPUT_BYTES) throw new Failure('value_too_large', `Standard input gave more than ${MAX_INPUT_BYTES} bytes.`)
    chunks.push(bytes)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (cause) {
    throw new Failure('invalid_input', 'Standard input is not UTF-8 text.', { cause })
  }
}
