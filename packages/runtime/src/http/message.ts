import { HoldfastError } from '../contracts/errors.ts'
import type { HttpLimits } from './limits.ts'
import type { NetworkPolicy } from './network-policy.ts'

/** A method that is sent. */
export type HttpMethod = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One request. */
export interface GuardedRequest {
  readonly url: string
  /** Default GET. */
  readonly method?: HttpMethod
  /** Without those of the connection and the framing, which are set here. Off the origin of `url` only harmless ones are sent. */
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string | Uint8Array
  readonly signal?: AbortSignal
  /** Narrower or wider than those of the client, for this request. */
  readonly limits?: Partial<HttpLimits>
  /** Bounds this request, and each redirect of it, further than the policy of the client does: only what both allow is reached. */
  readonly network?: NetworkPolicy
  /** Follows a redirect that asks to send a request other than GET again, with its body, wherever it leads. Default false. */
  readonly resendOnRedirect?: boolean
  /** Follows a redirect from https to http. Default false. */
  readonly allowDowngrade?: boolean
}

/** One complete answer. */
export interface GuardedResponse {
  readonly status: number
  /** Names in lower case, repeated fields joined with commas. Without `set-cookie`: cookies are not kept. */
  readonly headers: { readonly [name: string]: string }
  /** The URL that answered, after redirects. */
  readonly url: string
  /** Decoded from its content encodings. */
  readonly body: Uint8Array
}

/** A request as it is sent to one hop. */
export interface Outgoing {
  readonly method: HttpMethod
  readonly headers: ReadonlyMap<string, string>
  readonly body: string | Uint8Array | undefined
}

const METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies readonly HttpMethod[]
const OURS: readonly string[] = [
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade'
]
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Checks what a caller gave. Throws `invalid_input` (details: `field`); values are not repeated. */
export function parseRequest({ method = 'GET', headers = {}, body }: GuardedRequest): Outgoing {
  if (!METHODS.includes(method)) throw refuse('method', `one of ${METHODS.join(', ')}`)
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) throw refuse('body', `nothing for ${method}`)
  const fields = new Map([
    ['accept', '*/*'],
    ['user-agent', 'holdfast']
  ])
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase()
    if (!NAME.test(name) || OURS.includes(name)) throw refuse(`headers.${given.slice(0, 100)}`, 'a header field that is not set here')
    if (!VALUE.test(value)) throw refuse(`headers.${name}`, 'a text in Latin-1 without control characters')
    fields.set(name, value)
  }
  fields.set('accept-encoding', 'gzip, br')
  return { method, headers: fields, body }
}

function refuse(field: string, expected: string): HoldfastError {
  return new HoldfastError('invalid_input', `\`${field}\` of an HTTP request must be ${expected}.`, { details: { field } })
}
