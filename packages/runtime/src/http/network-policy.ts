import { isIP } from 'node:net'
import { HoldfastError } from '../contracts/errors.ts'

/** Which hosts may be reached, as data. */
export interface NetworkPolicy {
  /**
   * `*` is any public host, `*.suffix` any public host below a name, a name or an IP address is that one; each with an optional `:port`.
   * An IPv6 address stands in brackets.
   */
  readonly hosts: readonly string[]
  /**
   * Opens loopback and private addresses for those entries that name a host and a port, and for no others. Link-local addresses and
   * metadata services are never opened. Default false.
   */
  readonly private?: boolean
}

/** What a host and port may be: not reached, reached at public addresses, or at private ones as well. */
export type Reach = 'none' | 'public' | 'private'

/** A policy that was read. */
export interface HostRules {
  reachOf(host: string, port: number): Reach
}

interface Pattern {
  readonly kind: 'any' | 'below' | 'one'
  readonly host: string
  readonly port: number | undefined
}

/** Reads a policy. Throws `invalid_input` (details: `field`, `index`) when an entry cannot be understood. */
export function parseNetworkPolicy(policy: NetworkPolicy): HostRules {
  const patterns = policy.hosts.map(parsePattern)
  const opensPrivate = policy.private === true
  return {
    reachOf(host, port) {
      const matching = patterns.filter((pattern) => matches(pattern, host, port))
      if (matching.length === 0) return 'none'
      return opensPrivate && matching.some(({ kind, port }) => kind === 'one' && port !== undefined) ? 'private' : 'public'
    }
  }
}

/**
 * A host as URLs spell it: lower case, international names in ASCII, any spelling of an IP address as the usual one, IPv6 in brackets,
 * without the dot of the root. Nothing when it is not a host.
 */
export function toCanonicalHost(text: string): string | undefined {
  if (/[\s/\\?#@]/.test(text)) return undefined
  const url = URL.parse(`http://${text}/`)
  if (url === null || url.port !== '' || url.pathname !== '/') return undefined
  const host = url.hostname.replace(/\.$/, '')
  return host === '' ? undefined : host
}

/** Whether a canonical host is an IP address. */
export function isAddress(host: string): boolean {
  return isIP(toAddress(host)) !== 0
}

/** A canonical host without the brackets of IPv6. */
export function toAddress(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host
}

function parsePattern(text: string, index: number): Pattern {
  const { host, port } = splitPort(text)
  if (host === '*') return { kind: 'any', host, port }
  if (!host.startsWith('*.')) return { kind: 'one', host: canonical(host, text, index), port }
  const suffix = canonical(host.slice(2), text, index)
  if (isAddress(suffix)) throw refuse(text, index)
  return { kind: 'below', host: `.${suffix}`, port }
}

function splitPort(text: string): { readonly host: string; readonly port: number | undefined } {
  const [, host, digits] = /^(.*[^:]):(\d{1,5})$/.exec(text) ?? []
  return host === undefined ? { host: text, port: undefined } : { host, port: Number(digits) }
}

function canonical(host: string, text: string, index: number): string {
  const found = host.includes('*') ? undefined : toCanonicalHost(host)
  if (found === undefined) throw refuse(text, index)
  return found
}

function matches(pattern: Pattern, host: string, port: number): boolean {
  if (pattern.port !== undefined && pattern.port !== port) return false
  if (pattern.kind === 'any') return true
  return pattern.kind === 'below' ? host.endsWith(pattern.host) : host === pattern.host
}

function refuse(text: string, index: number): HoldfastError {
  const shown = JSON.stringify(text.slice(0, 100))
  const expected = '"*", "*.example.com", "example.com", "192.0.2.1" or "[2001:db8::1]", each with or without ":port"'
  return new HoldfastError('invalid_input', `\`network.hosts\` takes ${expected}, but entry ${index} is ${shown}.`, {
    details: { field: 'network.hosts', index }
  })
}
