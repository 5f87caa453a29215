import { toBlocked, toBroken } from './failure.ts'
import type { HttpMethod, Outgoing } from './message.ts'
import type { Target } from './target.ts'
import { parseTarget } from './target.ts'

/** What a redirect may do. */
export interface RedirectOptions {
  readonly maxRedirects: number
  readonly resendOnRedirect: boolean
  readonly allowDowngrade: boolean
}

/** One request and where it goes. */
export interface Hop {
  readonly target: Target
  readonly outgoing: Outgoing
}

/** Sent on to another origin. A list of what is harmless: nobody can list every header that some service takes as a credential. */
const HARMLESS: readonly string[] = [
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-language',
  'content-type',
  'idempotency-key',
  'if-modified-since',
  'if-none-match',
  'range',
  'user-agent'
]
const STATUSES: readonly number[] = [301, 302, 303, 307, 308]
const SAFE: readonly HttpMethod[] = ['GET', 'HEAD', 'OPTIONS']

/** The request that an answer redirects to, or nothing when it is the answer. Throws when the redirect may not be followed. */
export function toNextHop(
  hop: Hop,
  status: number,
  location: string | readonly string[] | undefined,
  options: RedirectOptions
): Hop | undefined {
  if (!STATUSES.includes(status) || location === undefined) return undefined
  const { target, outgoing } = hop
  if (typeof location !== 'string') throw toBroken('redirect', target.place)
  const next = target.place.hop + 1
  if (next > options.maxRedirects) throw toBroken('too_many_redirects', target.place)
  const to = parseTarget(location, { hop: next, base: target.url })
  if (target.secure && !to.secure && !options.allowDowngrade) throw toBlocked('downgrade', to.place)
  const method = toMethod(outgoing.method, status)
  if (!SAFE.includes(method) && !options.resendOnRedirect) throw toBlocked('redirect_method', to.place)
  const headers = to.url.origin === target.url.origin ? outgoing.headers : onlyHarmless(outgoing.headers)
  if (method === outgoing.method) return { target: to, outgoing: { method, headers, body: outgoing.body } }
  return { target: to, outgoing: { method, headers: withoutContent(headers), body: undefined } }
}

/** RFC 9110, 15.4: 303 is answered with GET, and so is a POST after 301 and 302, as every client does. */
function toMethod(method: HttpMethod, status: number): HttpMethod {
  if (status === 303) return method === 'HEAD' ? 'HEAD' : 'GET'
  return method === 'POST' && (status === 301 || status === 302) ? 'GET' : method
}

function onlyHarmless(headers: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...headers].filter(([name]) => HARMLESS.includes(name)))
}

function withoutContent(headers: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...headers].filter(([name]) => !name.startsWith('content-')))
}
