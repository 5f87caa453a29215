import { HoldfastError } from '../contracts/errors.ts'
import type { Path } from './problem.ts'
import { toPathText } from './problem.ts'
import { findPlace } from './written-source.ts'

/**
 * The error with the place of what is at fault: file, line and column before its message, and as `details.place`. One that has a place already, and one
 * about what was not read from a file, stays as it is.
 */
export function toPlacedError(error: HoldfastError, source: object, path: Path): HoldfastError {
  const place = findPlace(source, path)
  if (place === undefined || 'place' in error.details || 'problems' in error.details) return error
  const { file, line, column } = place
  const text = toPathText(path)
  return new HoldfastError(error.code, `${file}:${line}:${column}: ${text}: ${error.message}`, {
    details: { ...error.details, place: { file, line, column, path: text } },
    cause: error
  })
}
