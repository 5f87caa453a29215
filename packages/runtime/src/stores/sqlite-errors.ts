import type { ErrorCode } from '../contracts/errors.ts'
import { HoldfastError, isHoldfastError } from '../contracts/errors.ts'
import { errorMessage } from '../util/error-message.ts'

const BUSY = 5
const LOCKED = 6
const CORRUPT = 11
const FULL = 13
const TOO_BIG = 18
const NOT_A_DATABASE = 26
/** Growing the -shm file failed: what a full disk gives there. */
const IOERR_SHMSIZE = 4874
/** Errors that only a mistake of ours can cause, so that repeating is of no use. */
const MISTAKES: ReadonlySet<number> = new Set([1, 19, 20, 21, 25])

/** Whether another connection held a lock that this one needs: worth a retry. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error)
  return code === BUSY || code === LOCKED
}

/** Whether SQLite does not take a file for one of its own. */
export function isNoDatabase(error: unknown): boolean {
  return primaryCode(error) === NOT_A_DATABASE
}

/** Whether SQLite finds that a file of its own is damaged. */
export function isCorrupt(error: unknown): boolean {
  return primaryCode(error) === CORRUPT
}

/** What the store throws for an error of SQLite or of the file system; the cause is kept. */
export function toStoreError(error: unknown, path: string): Error {
  if (isHoldfastError(error)) return error
  const [code, message] = classify(error, path)
  if (code === 'store_corrupt') return corruptFile(path, errorMessage(error), error)
  const sqlite = extendedCode(error)
  return new HoldfastError(code, message, { details: { path, ...(sqlite === null ? {} : { sqlite }) }, cause: error })
}

function classify(error: unknown, path: string): readonly [code: ErrorCode, message: string] {
  const code = primaryCode(error)
  const system = systemCode(error)
  if (code === FULL || extendedCode(error) === IOERR_SHMSIZE || system === 'ENOSPC') {
    return ['store_full', `No space is left for ${path}. What was acknowledged is kept.`]
  }
  if (system !== null) return ['store_unavailable', `Could not use ${path}: ${errorMessage(error)}`]
  if (code === null || MISTAKES.has(code)) return ['internal', `The store made a mistake with ${path}: ${errorMessage(error)}`]
  if (isCorrupt(error) || isNoDatabase(error)) return ['store_corrupt', '']
  if (code === TOO_BIG) return ['value_too_large', `A value is larger than SQLite takes, for ${path}.`]
  if (isBusy(error)) return ['store_unavailable', `Another process kept ${path} locked for too long. Repeat when it has finished.`]
  return ['store_unavailable', `The store could not use ${path}: ${errorMessage(error)}. The outcome is unknown; repeat.`]
}

/** The error for a file that cannot be read as a store. It is never replaced by an empty one. */
export function corruptFile(path: string, why: string, cause?: unknown): HoldfastError {
  return new HoldfastError(
    'store_corrupt',
    `${path} is not a readable Holdfast store: ${why}. It was left as it is; use another file, or a backup of this one.`,
    { details: { path }, ...(cause === undefined ? {} : { cause }) }
  )
}

/** The error for a file that a newer program has written or changed. */
export function newerStore(path: string, found: number, known: number): HoldfastError {
  return new HoldfastError(
    'store_newer',
    `${path} has schema ${found}; this program knows schemas up to ${known}: a newer version of Holdfast has written it.`,
    { details: { path, found, known } }
  )
}

function primaryCode(error: unknown): number | null {
  const code = extendedCode(error)
  return code === null ? null : code & 0xff
}

function extendedCode(error: unknown): number | null {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : null
}

/** The code of an error of the operating system, as `node:fs` throws it. */
function systemCode(error: unknown): string | null {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string' ? error.code : null
}
