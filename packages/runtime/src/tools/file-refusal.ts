import type { ErrorCode } from '../contracts/errors.ts'
import { HoldfastError, isHoldfastError } from '../contracts/errors.ts'
import { showPath } from './shown-path.ts'

/** Why a file tool did not do what it was asked, and the code that its error has. The message begins with the reason, because a model reads only that. */
const CODES = {
  invalid_path: 'invalid_input',
  outside_roots: 'invalid_input',
  invalid_pattern: 'invalid_input',
  invalid_edit: 'invalid_input',
  not_found: 'file_not_found',
  link: 'file_unreadable',
  hidden: 'file_unreadable',
  special_file: 'file_unreadable',
  not_a_file: 'file_unreadable',
  not_a_folder: 'file_unreadable',
  denied: 'file_unreadable',
  read_only: 'file_unreadable',
  binary: 'file_unreadable',
  failed: 'file_unreadable',
  no_space: 'file_unreadable',
  too_large: 'value_too_large',
  moved: 'conflict',
  text_not_found: 'conflict',
  not_unique: 'conflict',
  changed_since_read: 'conflict',
  maybe_applied: 'conflict'
} as const satisfies { readonly [reason: string]: ErrorCode }

/** Why a file tool refused. */
export type FileReason = keyof typeof CODES

/** The error of a refusal; details: `reason`, `path`. */
export function refuseFile(reason: FileReason, path: string, message: string, options: { readonly cause?: unknown } = {}): HoldfastError {
  const details = { reason, path: path.slice(0, 500) }
  return new HoldfastError(CODES[reason], `${reason}: ${message}`, { details, ...options })
}

/** What the system said, as a refusal. Refusals and what is no error of the system stay as they are. */
export function toFileRefusal(error: unknown, path: string): unknown {
  if (isHoldfastError(error) || !(error instanceof Error)) return error
  const code = systemCodeOf(error)
  if (code === undefined) return error
  const [reason, message] = MEANINGS[code] ?? ['failed', `the system refused it (${code})`]
  return refuseFile(reason, path, `${showPath(path)}: ${message}.`, { cause: error })
}

/** The system's code of an error, such as `ENOENT`. */
export function systemCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

const MEANINGS: { readonly [code: string]: readonly [FileReason, string] | undefined } = {
  ENOENT: ['not_found', 'there is no such file or folder'],
  ELOOP: ['link', 'this is a symbolic link, and links are not followed'],
  ENOTDIR: ['not_a_folder', 'a part of it is no folder'],
  EISDIR: ['not_a_file', 'this is a folder'],
  EACCES: ['denied', 'the system does not permit it'],
  EPERM: ['denied', 'the system does not permit it'],
  EROFS: ['read_only', 'the file system is read-only'],
  ENXIO: ['special_file', 'this is no ordinary file'],
  ENAMETOOLONG: ['invalid_path', 'a name is too long'],
  EINVAL: ['invalid_path', 'the file system does not take this name'],
  EILSEQ: ['invalid_path', 'the file system does not take this name'],
  ENOSPC: ['no_space', 'there is no space left'],
  EDQUOT: ['no_space', 'the quota is used up'],
  EFBIG: ['too_large', 'the file system does not take a file of this size']
}
