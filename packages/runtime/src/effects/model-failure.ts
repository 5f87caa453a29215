import type { ErrorCode } from '../contracts/errors.ts'
import { ERROR_CODES, isHoldfastError } from '../contracts/errors.ts'
import type { ModelFailure } from '../contracts/fact.ts'
import type { Fault } from '../contracts/fault.ts'
import { cutText } from '../util/well-formed.ts'
import type { ResponseHeaders } from './retry-after.ts'
import { readRetryAfterMs } from './retry-after.ts'

/** Why a model call failed, as the facts record it. */
export interface ModelError {
  readonly why: ModelFailure
  readonly error: Fault
  readonly retryAfterMs?: number
}

const MESSAGE_LENGTH = 500

const CODES_BY_STATUS: { readonly [status: number]: ErrorCode } = {
  408: 'provider_timeout',
  429: 'rate_limited',
  503: 'provider_overloaded',
  504: 'provider_timeout',
  529: 'provider_overloaded'
}
const TRANSIENT_STATUSES = new Set([408, 409, 425, 429])

// What providers write into the type or code of an error; the first that is found decides.
const CODES_BY_WORD: readonly (readonly [RegExp, ErrorCode])[] = [
  [/overload|capacity/, 'provider_overloaded'],
  [/content.?(?:filter|policy|management)|safety_violation/, 'content_filtered'],
  [/rate.?limit|too_many_requests|resource_exhausted/, 'rate_limited'],
  [/invalid|authenti|permission|forbidden|not_found|billing|quota|context_length|unsupported|too_large|too_long/, 'provider_rejected'],
  [/time.?out|timedout|deadline/, 'provider_timeout'],
  [/econnreset|epipe|und_err_socket|abort/, 'stream_interrupted']
]

// Errors of the AI SDK by name. The messages of the first two quote the whole chunk, so they are not passed on.
const BROKEN_CHUNKS = new Set(['AI_JSONParseError', 'AI_TypeValidationError'])
const CODES_BY_NAME: { readonly [name: string]: ErrorCode } = {
  AI_InvalidResponseDataError: 'stream_interrupted',
  AI_EmptyResponseBodyError: 'stream_interrupted',
  AI_LoadAPIKeyError: 'secret_missing',
  AI_InvalidArgumentError: 'provider_rejected',
  AI_InvalidPromptError: 'provider_rejected',
  AI_LoadSettingError: 'provider_rejected',
  AI_NoSuchModelError: 'provider_rejected',
  AI_UnsupportedFunctionalityError: 'provider_rejected',
  FatalError: 'provider_rejected',
  TimeoutError: 'provider_timeout',
  AbortError: 'stream_interrupted'
}

/**
 * Says what a failed model call means: an error that a provider threw, or the content of an `error` part of its stream.
 * An abort is recognised by its signal before anything else is looked at: providers report it as errors of many kinds. The message
 * holds the status and the provider's own words, bounded, and never headers, request bodies or what looks like a key.
 */
export function classifyModelError(error: unknown, signal?: Pick<AbortSignal, 'aborted' | 'reason'>): ModelError {
  if (signal?.aborted) return toAborted(signal.reason)
  if (isHoldfastError(error)) return toModelError(error.code, error.message)
  if (isBrokenChunk(error)) return classifyBrokenChunk(error)
  const answer = readAnswer(error)
  const code = answer.status === undefined ? codeOf(answer) : codeOfStatus(answer.status, answer)
  const prefix = answer.status === undefined ? '' : `The provider answered ${answer.status}: `
  return toModelError(code, `${prefix}${answer.message}`, readRetryAfterMs(answer.headers) ?? answer.retryAfterMs)
}

/** A failure of the given code, as data: transient when the same request may succeed later. */
export function toModelError(code: ErrorCode, message: string, retryAfterMs?: number): ModelError {
  const text = cutText(hideKeys(cutText(message, 4 * MESSAGE_LENGTH)), MESSAGE_LENGTH).toWellFormed()
  const why = ERROR_CODES[code].retryable ? 'transient' : 'permanent'
  return { why, error: { code, message: text }, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** What an error says about a provider's answer, whatever class it is of. */
interface Answer {
  readonly name: string
  readonly message: string
  /** Type and code, of the error itself and of its causes. */
  readonly words: string
  readonly status: number | undefined
  readonly retryable: boolean | undefined
  readonly headers: ResponseHeaders | undefined
  readonly retryAfterMs: number | undefined
}

type Fields = { readonly [name: string]: unknown }

function toAborted(reason: unknown): ModelError {
  // A deadline is ours to set, but it is the provider that was too slow.
  const timedOut = reason instanceof Error && (reason.name === 'TimeoutError' || isHoldfastError(reason, 'provider_timeout'))
  if (timedOut) return toModelError('provider_timeout', 'The provider did not answer in time.')
  return { why: 'aborted', error: { code: 'stream_interrupted', message: 'The model call was aborted.' } }
}

function isBrokenChunk(error: unknown): error is Error & { readonly value?: unknown } {
  return error instanceof Error && BROKEN_CHUNKS.has(error.name)
}

/** A chunk that is not in the provider's format may be an error that is in nobody's. */
function classifyBrokenChunk(error: { readonly value?: unknown }): ModelError {
  const inside = isFields(error.value) ? error.value['error'] : undefined
  if (inside) return classifyModelError(inside)
  return toModelError('stream_interrupted', 'A part of the response is not in the format of the provider.')
}

function codeOfStatus(status: number, answer: Answer): ErrorCode {
  if (status < 300) return 'stream_interrupted'
  // We do not follow redirects: the key was given to one address.
  if (status < 400) return 'provider_rejected'
  const word = codeOfWords(answer.words)
  if (status === 429 && answer.retryable === false) return 'provider_rejected'
  if (TRANSIENT_STATUSES.has(status) || status >= 500) {
    const overloaded = word === 'provider_overloaded' || /overload/i.test(answer.message)
    return overloaded ? 'provider_overloaded' : (CODES_BY_STATUS[status] ?? 'provider_unavailable')
  }
  if (answer.retryable) return 'provider_unavailable'
  return word === 'content_filtered' ? word : 'provider_rejected'
}

function codeOf(answer: Answer): ErrorCode {
  const named = CODES_BY_NAME[answer.name]
  if (named) return named
  if (/overload/i.test(answer.message)) return 'provider_overloaded'
  const word = codeOfWords(answer.words)
  if (word) return word
  if (/^terminated$|socket hang up|premature|other side closed/i.test(answer.message)) return 'stream_interrupted'
  return answer.retryable === false && answer.name !== 'AI_APICallError' ? 'provider_rejected' : 'provider_unavailable'
}

function codeOfWords(words: string): ErrorCode | undefined {
  return CODES_BY_WORD.find(([pattern]) => pattern.test(words))?.[1]
}

function readAnswer(error: unknown): Answer {
  const fields: Fields = isFields(error) ? error : {}
  const body = isFields(fields['data']) && isFields(fields['data']['error']) ? fields['data']['error'] : fields
  const message = [fields['message'], body['message'], error].find((text) => typeof text === 'string' && text.trim() !== '')
  return {
    name: typeof fields['name'] === 'string' ? fields['name'] : '',
    message: typeof message === 'string' ? message.trim() : 'no message',
    words: wordsOf(fields, body),
    status: readStatus(fields),
    retryable: typeof fields['isRetryable'] === 'boolean' ? fields['isRetryable'] : undefined,
    headers: isFields(fields['responseHeaders']) ? (fields['responseHeaders'] as ResponseHeaders) : undefined,
    retryAfterMs: typeof fields['retryAfterMs'] === 'number' ? fields['retryAfterMs'] : undefined
  }
}

function wordsOf(fields: Fields, body: Fields): string {
  const words = [fields['type'], fields['code'], body['type'], body['code'], body['status']]
  let cause = fields['cause']
  for (let depth = 0; depth < 4 && isFields(cause); depth++) {
    words.push(cause['code'], cause['name'])
    cause = cause['cause']
  }
  return words
    .filter((word) => typeof word === 'string')
    .join(' ')
    .toLowerCase()
}

function readStatus(fields: Fields): number | undefined {
  const status = [fields['statusCode'], fields['status'], fields['code']].find((value) => Number.isInteger(value))
  return typeof status === 'number' && status >= 100 && status <= 599 ? status : undefined
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

const KEYS = /\b(?:(?:sk|pk|rk|xai|gsk|hf)[-_]|AIza|ya29\.|eyJ)[\w.*-]{8,}/g
const NAMED_KEYS = /((?:api[-_ ]?key(?: provided)?|authorization|access[-_ ]?token)["']?\s{0,9}[:=]\s{0,9}["']?)[^\s"',;&]{6,}/gi
const CREDENTIALS = /\b(Bearer|Basic)\s+[^\s"',;]{6,}/gi

/** Some providers quote the key that they refuse. */
function hideKeys(text: string): string {
  return text.replace(CREDENTIALS, '$1 [hidden]').replace(KEYS, '[hidden]').replace(NAMED_KEYS, '$1[hidden]')
}
