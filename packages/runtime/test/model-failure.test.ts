import { APICallError, LoadAPIKeyError } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import { HoldfastError, RetryableError } from '../src/contracts/errors.ts'
import { classifyModelError } from '../src/effects/model-failure.ts'
import { readRetryAfterMs } from '../src/effects/retry-after.ts'

const NOW = Date.parse('2026-11-30T12:00:00Z')

function answer(
  statusCode: number | undefined,
  message = 'no',
  more: { headers?: Record<string, string>; data?: unknown } = {}
): APICallError {
  return new APICallError({
    message,
    url: 'https://api.example/v1?key=url-secret',
    requestBodyValues: { prompt: 'request-secret' },
    ...(statusCode === undefined ? { isRetryable: true } : { statusCode }),
    responseHeaders: { 'x-trace': 'header-secret', ...more.headers },
    data: more.data
  })
}

describe('classification of a provider’s error', () => {
  test.each([
    [408, 'provider_timeout'],
    [409, 'provider_unavailable'],
    [425, 'provider_unavailable'],
    [429, 'rate_limited'],
    [500, 'provider_unavailable'],
    [502, 'provider_unavailable'],
    [503, 'provider_overloaded'],
    [504, 'provider_timeout'],
    [529, 'provider_overloaded'],
    [200, 'stream_interrupted']
  ])('takes status %i for transient', (status, code) => {
    expect(classifyModelError(answer(status))).toMatchObject({ why: 'transient', error: { code } })
  })

  test.each([307, 400, 401, 403, 404, 413, 422])('takes status %i for permanent', (status) => {
    expect(classifyModelError(answer(status))).toMatchObject({ why: 'permanent', error: { code: 'provider_rejected' } })
  })

  test('takes a failed connection for transient', () => {
    expect(classifyModelError(answer(undefined, 'Cannot connect to API'))).toMatchObject({
      why: 'transient',
      error: { code: 'provider_unavailable' }
    })
    const refused = new TypeError('fetch failed', { cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) })
    expect(classifyModelError(refused)).toMatchObject({ why: 'transient', error: { code: 'provider_unavailable' } })
    const slow = new TypeError('fetch failed', { cause: Object.assign(new Error('slow'), { code: 'UND_ERR_HEADERS_TIMEOUT' }) })
    expect(classifyModelError(slow)).toMatchObject({ why: 'transient', error: { code: 'provider_timeout' } })
  })

  // B015
  test.each([
    [{ type: 'overloaded_error', message: 'Overloaded' }, 'provider_overloaded'],
    [{ message: 'overloaded', type: 'server_error' }, 'provider_overloaded'],
    [{ message: 'The model is overloaded', code: 503 }, 'provider_overloaded'],
    [{ message: 'slow down', type: 'rate_limit_error' }, 'rate_limited'],
    [{ message: 'x', type: 'api_error' }, 'provider_unavailable'],
    [{ message: 'Bad gateway', code: 502 }, 'provider_unavailable'],
    ['overloaded', 'provider_overloaded'],
    [undefined, 'provider_unavailable']
  ])('takes the error %j inside a stream for transient', (error, code) => {
    expect(classifyModelError(error)).toMatchObject({ why: 'transient', error: { code } })
  })

  test.each([
    [{ type: 'invalid_request_error', message: 'no such tool' }, 'provider_rejected'],
    [{ type: 'authentication_error', message: 'x' }, 'provider_rejected'],
    [{ code: 'insufficient_quota', message: 'pay' }, 'provider_rejected'],
    [{ code: 'content_filter', message: 'x' }, 'content_filtered'],
    [{ code: 400, message: 'x' }, 'provider_rejected']
  ])('takes the error %j inside a stream for permanent', (error, code) => {
    expect(classifyModelError(error)).toMatchObject({ why: 'permanent', error: { code } })
  })

  test('finds the error inside a chunk that is in no known format', () => {
    const broken = Object.assign(new Error('Type validation failed: Value: …'), {
      name: 'AI_TypeValidationError',
      value: { object: 'error', error: { message: 'Overloaded', code: 529 } }
    })
    expect(classifyModelError(broken)).toMatchObject({ why: 'transient', error: { code: 'provider_overloaded' } })
    expect(classifyModelError(Object.assign(broken, { value: 1 }))).toMatchObject({
      why: 'transient',
      error: { code: 'stream_interrupted' }
    })
  })

  test('keeps the code of our own errors and the wish of user code', () => {
    expect(classifyModelError(new HoldfastError('script_exhausted', 'x'))).toMatchObject({
      why: 'permanent',
      error: { code: 'script_exhausted' }
    })
    expect(classifyModelError(new RetryableError('x', { retryAfterMs: 70 }))).toMatchObject({ why: 'transient', retryAfterMs: 70 })
    expect(classifyModelError(new LoadAPIKeyError({ message: 'no key' }))).toMatchObject({
      why: 'permanent',
      error: { code: 'secret_missing' }
    })
  })

  test('recognises an abort by its signal, and a deadline by the reason of the abort', () => {
    expect(classifyModelError(answer(500), AbortSignal.abort())).toMatchObject({ why: 'aborted' })
    const late = AbortSignal.abort(new DOMException('late', 'TimeoutError'))
    expect(classifyModelError(answer(500), late)).toMatchObject({ why: 'transient', error: { code: 'provider_timeout' } })
    expect(classifyModelError(answer(500), new AbortController().signal)).toMatchObject({ why: 'transient' })
  })

  // I14
  test('names the status and the provider’s words and nothing of request, headers or keys', () => {
    const quoted = 'Incorrect API key provided: sk-live-0123456789abcdef. Authorization: Bearer abcdefghijkl, api_key="plainsecretvalue"'
    const { message } = classifyModelError(answer(401, quoted)).error
    expect(message).toContain('401')
    expect(message).toContain('Incorrect API key')
    expect(message).not.toMatch(/0123456789abcdef|abcdefghijkl|plainsecretvalue|url-secret|request-secret|header-secret/)
    expect(classifyModelError(answer(500, `${'x'.repeat(499)}\u{1F600}`.repeat(100_000))).error.message.length).toBeLessThanOrEqual(500)
  })
})

// B010
describe('reading Retry-After', () => {
  test.each([
    ['2', 2000],
    ['1.5', 1500],
    ['0', 0],
    [' 3 ', 3000],
    ['99999999', 99_999_999_000],
    ['Mon, 30 Nov 2026 12:00:02 GMT', 2000],
    ['Monday, 30-Nov-26 12:00:02 GMT', 2000],
    ['Mon Nov 30 12:00:02 2026', 2000],
    ['Mon, 30 Nov 2026 11:59:50 GMT', 0]
  ])('reads %j', (value, expected) => {
    expect(readRetryAfterMs({ 'retry-after': value }, NOW)).toBe(expected)
  })

  test.each(['-3', 'soon', '', ' ', '1, 5', '1e3', 'NaN', 'Infinity', '2026-11-30', '+5', '0x10', '1.', 'Mon, 99 Nov 2026 12:00:02 GMT'])(
    'takes %j for none',
    (value) => {
      expect(readRetryAfterMs({ 'retry-after': value }, NOW)).toBeUndefined()
    }
  )

  test('prefers retry-after-ms and falls back where it is garbage', () => {
    expect(readRetryAfterMs({ 'retry-after-ms': '700', 'retry-after': '5' }, NOW)).toBe(700)
    expect(readRetryAfterMs({ 'retry-after-ms': '-700', 'retry-after': '5' }, NOW)).toBe(5000)
    expect(readRetryAfterMs({}, NOW)).toBeUndefined()
    expect(readRetryAfterMs(undefined, NOW)).toBeUndefined()
  })

  test('reads a date on the clock of the provider that sent it', () => {
    const headers = { 'retry-after': 'Mon, 30 Nov 2026 12:10:02 GMT', date: 'Mon, 30 Nov 2026 12:10:00 GMT' }
    expect(readRetryAfterMs(headers, NOW)).toBe(2000)
  })

  test.each([429, 503, 529])('carries the wait of a %i', (status) => {
    expect(classifyModelError(answer(status, 'x', { headers: { 'retry-after': '2' } }))).toMatchObject({
      why: 'transient',
      retryAfterMs: 2000
    })
    expect(classifyModelError(answer(status, 'x', { headers: { 'retry-after': 'soon' } }))).not.toHaveProperty('retryAfterMs')
  })
})
