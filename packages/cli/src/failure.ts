import type { ErrorCode, HoldfastError, JsonObject } from '@holdfast/runtime'
import { REMEDIES } from './remedies.ts'

/** What ended a command: a code of the error table, what happened, and what to do about it. */
export interface Report {
  readonly code: ErrorCode
  readonly message: string
  readonly details: JsonObject
  readonly remedy?: string
}

/** Thrown by the command itself. The runtime's own errors pass through as they are, so that importing this loads nothing. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: ErrorCode
  readonly details: JsonObject
  readonly remedy: string | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { readonly details?: JsonObject; readonly remedy?: string; readonly cause?: unknown } = {}
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details ?? {}
    this.remedy = options.remedy
  }
}

/** Whose message says already what was expected. */
const SELF_EXPLAINED: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['invalid_input', 'invalid_manifest'])

/** What a thrown value says to the person at the command. */
export function toReport(error: unknown): Report {
  if (error instanceof Failure) {
    const { code, message, details } = error
    return { code, message, details, ...(error.remedy === undefined ? {} : { remedy: error.remedy }) }
  }
  if (isRuntimeError(error)) {
    const { code, message, details } = error
    return { code, message, details, ...(SELF_EXPLAINED.has(code) ? {} : { remedy: toRemedy(error) }) }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { code: 'internal', message, details: {}, remedy: 'This is a defect of holdfast. HOLDFAST_DEBUG=1 shows where it happened.' }
}

/** The same error with what had been done before it. */
export function addDetails(error: unknown, done: JsonObject): unknown {
  if (!(error instanceof Failure) && !isRuntimeError(error)) return error
  const { code, message, details, remedy } = toReport(error)
  return new Failure(code, message, { details: { ...done, ...details }, ...(remedy === undefined ? {} : { remedy }), cause: error })
}

/** What to do, with the variable that is meant. */
function toRemedy({ code, details: { variable } }: HoldfastError): string {
  return typeof variable === 'string' ? REMEDIES[code].replaceAll('NAME', variable) : REMEDIES[code]
}

/** By name and shape: the error may come from another copy of the package, and this file must not load the runtime. */
export function isRuntimeError(error: unknown): error is HoldfastError {
  return error instanceof Error && error.name === 'HoldfastError' && 'code' in error && 'details' in error
}
