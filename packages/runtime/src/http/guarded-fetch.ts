import { readBody } from './body.ts'
import type { ConnectOptions } from './connect.ts'
import { openConnection } from './connect.ts'
import type { Deadline } from './deadline.ts'
import { startDeadline } from './deadline.ts'
import type { Answer } from './exchange.ts'
import { exchange } from './exchange.ts'
import { toBroken, toTooLarge } from './failure.ts'
import { loadIpaddr, loadUndici } from './libraries.ts'
import type { HttpLimits } from './limits.ts'
import { parseLimits } from './limits.ts'
import type { GuardedRequest, GuardedResponse } from './message.ts'
import { parseRequest } from './message.ts'
import type { NetworkPolicy } from './network-policy.ts'
import { allOfRules, parseNetworkPolicy } from './network-policy.ts'
import type { Hop } from './redirect.ts'
import { toNextHop } from './redirect.ts'
import type { Resolver } from './resolver.ts'
import { systemResolver } from './resolver.ts'
import { parseTarget } from './target.ts'

/** What a guarded client is made of. */
export interface GuardedFetchOptions {
  readonly network: NetworkPolicy
  /** Bounds of every request that names none of its own. */
  readonly limits?: Partial<HttpLimits>
  /** Default: the resolver of this machine. */
  readonly resolver?: Resolver
  /** A certificate (PEM) that is trusted beside those of this machine. */
  readonly ca?: string
}

/**
 * Makes one bounded HTTP request.
 *
 * **Contract**: it gives a complete answer, of whatever status, or throws: `http_blocked` and `http_unreachable` when nothing was sent to the
 * hop that `details.hop` names, `http_timeout`, `http_too_large`, `http_protocol`, `invalid_input`, or the reason of `signal`. It sends to
 * each hop at most once and never repeats anything by itself. No error holds a path, a query, a header or a body. Environment variables
 * for proxies are not followed.
 */
export type GuardedFetch = (request: GuardedRequest) => Promise<GuardedResponse>

/** A client that reaches only what a policy allows, and connects to no address that was not checked. */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const connect: ConnectOptions = {
    rules: parseNetworkPolicy(options.network),
    resolver: options.resolver ?? systemResolver,
    ...(options.ca === undefined ? {} : { ca: options.ca })
  }
  const base = parseLimits(options.limits)
  return async (request) => {
    const limits = parseLimits(request.limits, base)
    const outgoing = parseRequest(request)
    const target = parseTarget(request.url, { hop: 0 })
    const { rules } = connect
    const bound = request.network === undefined ? connect : { ...connect, rules: allOfRules([rules, parseNetworkPolicy(request.network)]) }
    // Not on the request's time: once per process this takes longer than a short limit allows.
    await Promise.all([loadUndici(), loadIpaddr()])
    using deadline = startDeadline(limits, target.place, request.signal)
    deadline.signal.throwIfAborted()
    return await follow({ target, outgoing }, request, { connect: bound, limits, deadline })
  }
}

interface Context {
  readonly connect: ConnectOptions
  readonly limits: HttpLimits
  readonly deadline: Deadline
}

async function follow(first: Hop, request: GuardedRequest, context: Context): Promise<GuardedResponse> {
  const { resendOnRedirect = false, allowDowngrade = false } = request
  const rules = { resendOnRedirect, allowDowngrade, maxRedirects: context.limits.maxRedirects }
  let hop = first
  for (;;) {
    const socket = await openConnection(hop.target, context.deadline, context.connect)
    try {
      const answer = await exchange(hop, socket, context.deadline, context.limits.maxHeaderBytes)
      const next = toNextHop(hop, answer.status, answer.headers['location'], rules)
      if (next === undefined) return await toResponse(hop, answer, context)
      hop = next
    } finally {
      socket.destroy()
    }
  }
}

async function toResponse({ target, outgoing }: Hop, answer: Answer, { limits, deadline }: Context): Promise<GuardedResponse> {
  const { place } = target
  const headers = toHeaders(answer.headers)
  const length = Number(headers['content-length'] ?? 0)
  deadline.enter('body', place)
  const declares = length > 0 || headers['transfer-encoding'] !== undefined
  if (answer.status === 204 && declares) throw toBroken('surplus', place)
  const hasBody = outgoing.method !== 'HEAD' && answer.status !== 204 && answer.status !== 304
  if (hasBody && length > limits.maxBodyBytes) throw toTooLarge('encoded', limits.maxBodyBytes, place)
  const encoding = hasBody ? (headers['content-encoding'] ?? '') : ''
  const body = await readBody(answer.body, { encoding, limits, place, signal: deadline.signal })
  return { status: answer.status, headers, url: target.url.href, body }
}

function toHeaders(headers: Answer['headers']): GuardedResponse['headers'] {
  const entries = Object.entries(headers).filter(([name, value]) => name !== 'set-cookie' && value !== undefined)
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : String(value)]))
}
