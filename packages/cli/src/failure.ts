import type { ErrorCode, HoldfastError, JsonObject } from '@holdfast/runtime'

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

const REMEDIES: { readonly [code in ErrorCode]?: string } = {
  thread_not_found: 'List what there is with `holdfast threads`; another store is named with --store.',
  file_not_found: 'Check the path.',
  secret_missing: 'Set the variable, as in `export NAME=…`, or put a line `NAME=…` into the file .env beside the configuration.',
  tool_unknown: 'Name the module that has the tool with --tools FILE.',
  thread_unplaceable: 'Name what is missing: --tools FILE for tools, --config FILE for models.',
  store_newer: 'Use a newer holdfast for this file, or another file with --store.',
  store_foreign: 'Name another file with --store; this one was left as it is.',
  store_corrupt: 'Restore the file from a copy, or use another one with --store.',
  store_full: 'Free some space; nothing that was acknowledged is lost, and the run goes on with `holdfast resume`.',
  store_unavailable: 'Try again; what was committed is safe.',
  model_unknown: 'Name the model as `--model provider/model`, or a profile of the configuration.',
  model_not_granted:
    'Grant it in `grants.models` of the configuration or with --grant models=NAME, or name one that is granted with --model.',
  conflict: 'Use another --idempotency-key for another start.'
}

/** What a thrown value says to the person at the command. */
export function toReport(error: unknown): Report {
  if (error instanceof Failure) {
    const { code, message, details } = error
    return { code, message, details, ...(error.remedy === undefined ? {} : { remedy: error.remedy }) }
  }
  if (isRuntimeError(error)) {
    const remedy = REMEDIES[error.code]
    return { code: error.code, message: error.message, details: error.details, ...(remedy === undefined ? {} : { remedy }) }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { code: 'internal', message, details: {}, remedy: 'This is a defect of holdfast. HOLDFAST_DEBUG=1 shows where it happened.' }
}

/** By name and shape: the error may come from another copy of the package, and this file must not load the runtime. */
export function isRuntimeError(error: unknown): error is HoldfastError {
  return error instanceof Error && error.name === 'HoldfastError' && 'code' in error && 'details' in error
}
