import type { JsonObject } from './json.ts'

/** Every code of the product: its HTTP status and whether the same request may succeed later. Each has a page of its name in docs/reference/errors. */
export const ERROR_CODES = {
  // what a caller gave
  invalid_input: { status: 400, retryable: false },
  invalid_manifest: { status: 400, retryable: false },
  invalid_config: { status: 400, retryable: false },
  invalid_tools: { status: 400, retryable: false },
  value_too_large: { status: 413, retryable: false },
  file_not_found: { status: 404, retryable: false },
  file_unreadable: { status: 400, retryable: false },
  output_unwritable: { status: 500, retryable: false },
  secret_missing: { status: 400, retryable: false },
  model_unknown: { status: 400, retryable: false },
  model_not_granted: { status: 403, retryable: false },
  tool_unknown: { status: 400, retryable: false },
  thread_not_found: { status: 404, retryable: false },
  thread_busy: { status: 409, retryable: true },
  thread_taken: { status: 409, retryable: false },
  thread_unplaceable: { status: 409, retryable: true },
  conflict: { status: 409, retryable: false },
  forbidden: { status: 403, retryable: false },
  runtime_closed: { status: 503, retryable: false },
  // the store
  store_unavailable: { status: 503, retryable: true },
  store_full: { status: 507, retryable: true },
  store_closed: { status: 503, retryable: false },
  store_foreign: { status: 500, retryable: false },
  store_newer: { status: 500, retryable: false },
  store_corrupt: { status: 500, retryable: false },
  log_corrupt: { status: 500, retryable: false },
  format_unknown: { status: 500, retryable: false },
  publication_missing: { status: 500, retryable: false },
  plugin_changed: { status: 409, retryable: false },
  artifact_missing: { status: 500, retryable: false },
  artifact_corrupt: { status: 500, retryable: false },
  grants_unreadable: { status: 500, retryable: false },
  // the model
  provider_unavailable: { status: 502, retryable: true },
  provider_overloaded: { status: 503, retryable: true },
  provider_rejected: { status: 502, retryable: false },
  rate_limited: { status: 429, retryable: true },
  stream_interrupted: { status: 502, retryable: true },
  provider_timeout: { status: 504, retryable: true },
  response_too_large: { status: 502, retryable: false },
  output_truncated: { status: 502, retryable: false },
  content_filtered: { status: 502, retryable: false },
  empty_model_response: { status: 502, retryable: true },
  usage_missing: { status: 502, retryable: false },
  output_invalid: { status: 502, retryable: false },
  script_exhausted: { status: 500, retryable: false },
  // requests to other hosts
  http_blocked: { status: 403, retryable: false },
  http_unreachable: { status: 502, retryable: true },
  http_timeout: { status: 504, retryable: true },
  http_too_large: { status: 502, retryable: false },
  http_protocol: { status: 502, retryable: true },
  // hooks
  hook_blocked: { status: 403, retryable: false },
  hook_failed: { status: 500, retryable: true },
  // our own
  quarantined: { status: 500, retryable: false },
  livelock: { status: 500, retryable: false },
  process_ended: { status: 500, retryable: false },
  internal: { status: 500, retryable: false }
} as const satisfies { readonly [code: string]: { readonly status: number; readonly retryable: boolean } }

/** A code of the error table. */
export type ErrorCode = keyof typeof ERROR_CODES

/** A broken contract or bad input. `message` says what was expected, what came and what to do; `details` is JSON-safe and holds no secret. */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError'
  readonly code: ErrorCode
  readonly details: JsonObject

  constructor(code: ErrorCode, message: string, options: { readonly details?: JsonObject; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details ?? {}
  }

  /** HTTP status of the code. */
  get status(): number {
    return ERROR_CODES[this.code].status
  }

  /** Whether the same request may succeed later. */
  get retryable(): boolean {
    return ERROR_CODES[this.code].retryable
  }
}

/** Whether this is one of ours, with the given code when one is named. Works across copies of the package. */
export function isHoldfastError(error: unknown, code?: ErrorCode): error is HoldfastError {
  return error instanceof Error && error.name === 'HoldfastError' && 'code' in error && (code === undefined || error.code === code)
}

/** Thrown by a model: the failure is final, the call is not tried again. Thrown by a tool it is what the model reads, like any error. */
export class FatalError extends Error {
  override readonly name = 'FatalError'
}

/** Thrown by a model: the failure may pass, the call is tried again, at the earliest after `retryAfterMs`. Thrown by a tool it is what the model reads. */
export class RetryableError extends Error {
  override readonly name = 'RetryableError'
  readonly retryAfterMs: number | undefined

  constructor(message: string, options: { readonly retryAfterMs?: number; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.retryAfterMs = options.retryAfterMs
  }
}
