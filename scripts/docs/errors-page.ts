import { exitCodeOfError } from '../../packages/cli/src/exit-code.ts'
import type { ErrorCode } from '../../packages/runtime/src/contracts/errors.ts'
import { ERROR_CODES } from '../../packages/runtime/src/contracts/errors.ts'
import { ERROR_NOTES } from './error-notes.ts'
import { assertCovers, toPage } from './markdown.ts'

const INTRODUCTION = `Every error has one of these codes. A program reads \`code\`, and \`retryable\`: whether the same request may succeed later. The message is for
people and may change. \`isHoldfastError(error, 'conflict')\` recognises an error; the command prints \`error[CODE]\` and ends with the exit code. A run that
fails has its code in \`error.code\` of its result, and the command then ends with 1 whatever the code. The codes that begin with \`http_\` are those of
the guarded client: the model reads them as the failure of a call.`

/** Every code of the error table. */
export function errorsPage(): string {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[]
  assertCovers('notes of errors', ERROR_NOTES, codes)
  return toPage('Errors', [INTRODUCTION, ...codes.map(toSection)])
}

function toSection(code: ErrorCode): string {
  const { status, retryable } = ERROR_CODES[code]
  const { cause, remedy } = ERROR_NOTES[code]
  const facts = `HTTP status ${status} · ${retryable ? 'retryable' : 'not retryable'} · exit code ${exitCodeOfError(code)}`
  return `## \`${code}\`\n\n${facts}\n\n${cause} ${remedy}`
}
