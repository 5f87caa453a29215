import { HoldfastError } from '../contracts/errors.ts'
import type { Ms } from '../contracts/ids.ts'

/** The bounds of one request with all its redirects. */
export interface HttpLimits {
  /** Of the body, as decoded and as sent. Default 10 MiB. */
  readonly maxBodyBytes: number
  /** Of names and values of the header fields. Default 32 KiB. */
  readonly maxHeaderBytes: number
  /** How many times a body above 1 MiB may be larger decoded than sent. Default 250. */
  readonly maxExpansion: number
  /** From 0 to 5. Default 5. */
  readonly maxRedirects: number
  /** To resolve a name and connect, for each redirect again. Default 10 s. */
  readonly connectTimeoutMs: Ms
  /** From the request to the end of the answer's head, for each redirect again. Default 30 s. */
  readonly headersTimeoutMs: Ms
  /** From the call to the last byte. Default 60 s. */
  readonly totalTimeoutMs: Ms
}

const DEFAULTS: HttpLimits = {
  maxBodyBytes: 10 * 1024 * 1024,
  maxHeaderBytes: 32 * 1024,
  maxExpansion: 250,
  maxRedirects: 5,
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 30_000,
  totalTimeoutMs: 60_000
}

const RANGES: { readonly [name in keyof HttpLimits]: readonly [least: number, most: number] } = {
  maxBodyBytes: [0, 2 ** 30],
  maxHeaderBytes: [1, 2 ** 20],
  maxExpansion: [1, 2 ** 20],
  maxRedirects: [0, 5],
  connectTimeoutMs: [1, 2 ** 31 - 1],
  headersTimeoutMs: [1, 2 ** 31 - 1],
  totalTimeoutMs: [1, 2 ** 31 - 1]
}

/** Limits with what is not given taken from `base`. Throws `invalid_input` (details: `field`) for a value out of its range. */
export function parseLimits(given: Partial<HttpLimits> = {}, base: HttpLimits = DEFAULTS): HttpLimits {
  const limits = { ...base, ...given }
  for (const [name, [least, most]] of Object.entries(RANGES)) {
    const value: unknown = Reflect.get(limits, name)
    if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) continue
    throw new HoldfastError(
      'invalid_input',
      `\`limits.${name}\` must be a whole number from ${least} to ${most}, but is ${String(value)}.`,
      {
        details: { field: `limits.${name}` }
      }
    )
  }
  return limits
}
