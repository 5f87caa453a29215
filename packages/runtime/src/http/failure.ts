import type { ErrorCode } from '../contracts/errors.ts'
import { HoldfastError } from '../contracts/errors.ts'
import type { JsonObject } from '../contracts/json.ts'

/** Where a request was going. Neither path nor query: those may hold secrets. */
export interface Place {
  /** 0 is the URL that was asked for, 1 the first redirect. */
  readonly hop: number
  /** Name and port, or nothing when the URL had none that could be read. */
  readonly host: string
}

/** Why a request was refused before anything of it was sent. */
export type BlockReason =
  | 'url'
  | 'scheme'
  | 'credentials'
  | 'host'
  | 'local_name'
  | 'metadata'
  | 'address'
  | 'downgrade'
  | 'redirect_method'

/** How an answer broke the protocol. */
export type ProtocolReason = 'malformed' | 'no_answer' | 'truncated' | 'surplus' | 'encoding' | 'redirect' | 'too_many_redirects'

/** What was larger than allowed: the head, the body as sent, the body as decoded, or the relation of the two. */
export type LargePart = 'headers' | 'encoded' | 'body' | 'ratio'

/** How far a request had come. Until `connect` is over nothing was sent. */
export type Phase = 'resolve' | 'connect' | 'headers' | 'body'

const HOW_BLOCKED: { readonly [reason in BlockReason]: string } = {
  url: 'this is not a URL that can be requested',
  scheme: 'only http and https are requested',
  credentials: 'the URL holds a user name or a password; send them in a header',
  host: 'the host is not one of `network.hosts`',
  local_name: 'the name stands for this machine; name it with its port in `network.hosts` and set `network.private`',
  metadata: 'this is a metadata service of a cloud, which is never opened',
  address:
    'an address of the host is not public; a private one is opened by naming host and port in `network.hosts` and setting `network.private`',
  downgrade: 'a redirect leads from https to http',
  redirect_method: 'a redirect asks to send a request again that may change something; allow it with `resendOnRedirect`'
}

const HOW_BROKEN: { readonly [reason in ProtocolReason]: string } = {
  malformed: 'the answer is not HTTP/1.1',
  no_answer: 'the connection was closed before the answer began',
  truncated: 'the connection was closed before the answer was complete',
  surplus: 'the answer is longer than it says, or has a body where none may be',
  encoding: 'the body is not in the encoding that it names, or in one that is not known',
  redirect: 'the answer redirects, but not to one URL',
  too_many_redirects: 'there were more redirects than allowed'
}

/** Refused by the rules. */
export function toBlocked(reason: BlockReason, place: Place, details: JsonObject = {}): HoldfastError {
  return failure('http_blocked', `was not made: ${HOW_BLOCKED[reason]}`, place, { reason, ...details })
}

/** What answered does not follow the protocol. Give no cause that holds what was read. */
export function toBroken(reason: ProtocolReason, place: Place, cause?: unknown): HoldfastError {
  return failure('http_protocol', `failed: ${HOW_BROKEN[reason]}`, place, { reason, ...codeOf(cause) }, cause)
}

/** More than the limit. */
export function toTooLarge(part: LargePart, limit: number, place: Place): HoldfastError {
  const what = part === 'ratio' ? `expands more than ${limit} times` : `is larger than ${limit} bytes`
  return failure('http_too_large', `failed: the answer ${what} (${part}), and nothing of it is used`, place, { part, limit })
}

/** A limit of time has passed. */
export function toTimedOut(limit: string, limitMs: number, phase: Phase, place: Place): HoldfastError {
  return failure('http_timeout', `failed: it took longer than ${limitMs} ms (${limit}, phase ${phase})`, place, { limit, limitMs, phase })
}

/** No connection: nothing was sent. */
export function toUnreachable(phase: 'resolve' | 'connect', place: Place, cause?: unknown): HoldfastError {
  const what = phase === 'resolve' ? 'the name has no address' : 'no connection could be made'
  return failure('http_unreachable', `failed: ${what}, and nothing was sent`, place, { phase, ...codeOf(cause) }, cause)
}

function failure(code: ErrorCode, text: string, place: Place, details: JsonObject, cause?: unknown): HoldfastError {
  const to = place.host === '' ? '' : ` to ${place.host}`
  const hop = place.hop === 0 ? '' : ` (redirect ${place.hop})`
  return new HoldfastError(code, `The request${to}${hop} ${text}.`, {
    details: { ...details, hop: place.hop, host: place.host },
    ...(cause === undefined ? {} : { cause })
  })
}

function codeOf(error: unknown): JsonObject {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
}
