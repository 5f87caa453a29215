/** Response headers by lower-case name, as the AI SDK hands them on. */
export type ResponseHeaders = { readonly [name: string]: string | undefined }

const NUMBER = /^\d{1,15}(?:\.\d{1,9})?$/
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
const TIME = '\\d\\d:\\d\\d:\\d\\d'
// The three forms of RFC 9110 §5.6.7. `Date.parse` alone reads "-3" and "1.5" as calendar dates.
const HTTP_DATES = [
  new RegExp(`^${DAY}, \\d\\d ${MONTH} \\d{4} ${TIME} GMT$`),
  new RegExp(`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \\d\\d-${MONTH}-\\d\\d ${TIME} GMT$`),
  new RegExp(`^${DAY} ${MONTH} [ \\d]\\d ${TIME} \\d{4}$`)
]

/**
 * How long a provider asks us to wait: `retry-after-ms`, else `retry-after` in seconds, fractions of them, or as an HTTP date.
 * A date in the past is 0. Anything else (garbage, negative, empty, a joined list) is undefined: the caller's own back-off holds.
 */
export function readRetryAfterMs(headers: ResponseHeaders | undefined, now: number = Date.now()): number | undefined {
  if (!headers) return undefined
  const exact = readNumber(headers['retry-after-ms'])
  if (exact !== undefined) return Math.ceil(exact)
  const value = headers['retry-after']?.trim() ?? ''
  const seconds = readNumber(value)
  if (seconds !== undefined) return Math.ceil(seconds * 1000)
  const at = readHttpDate(value)
  // The date is on the provider's clock, which its `date` header shows.
  return at === undefined ? undefined : Math.max(0, at - (readHttpDate(headers['date'] ?? '') ?? now))
}

function readNumber(text: string | undefined): number | undefined {
  const value = text?.trim() ?? ''
  return NUMBER.test(value) ? Number(value) : undefined
}

function readHttpDate(text: string): number | undefined {
  const form = HTTP_DATES.findIndex((pattern) => pattern.test(text))
  if (form < 0) return undefined
  // The last form names no zone and means GMT.
  const at = Date.parse(form === 2 ? `${text} GMT` : text)
  return Number.isNaN(at) ? undefined : at
}
