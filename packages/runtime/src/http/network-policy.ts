import { HoldfastError } from '../contracts/errors.ts'
import type { HostPattern } from '../util/host-pattern.ts'
import { HOST_PATTERNS, matchesHost, parseHostPattern } from '../util/host-pattern.ts'

/** Which hosts may be reached, as data. */
export interface NetworkPolicy {
  /**
   * `*` is any public host, `*.suffix` any public host below a name, a name or an IP address is that one; each with an optional `:port`.
   * An IPv6 address stands in brackets.
   */
  readonly hosts: readonly string[]
  /**
   * Opens loopback and private addresses: for those entries that name a host and a port (`true`), for hosts with ports that are listed and that `hosts`
   * covers, or for all that `hosts` covers. Link-local addresses and metadata services are never opened. Default false.
   */
  readonly private?: boolean | 'all' | readonly string[]
}

/** What a host and port may be: not reached, reached at public addresses, or at private ones as well. */
export type Reach = 'none' | 'public' | 'private'

/** A policy that was read. */
export interface HostRules {
  reachOf(host: string, port: number): Reach
}

/** Reads a policy. Throws `invalid_input` (details: `field`, `index`) when an entry cannot be understood. */
export function parseNetworkPolicy(policy: NetworkPolicy): HostRules {
  const patterns = policy.hosts.map(parseEntry)
  const opened = readPrivate(policy, patterns)
  return {
    reachOf(host, port) {
      const matching = patterns.filter((pattern) => matchesHost(pattern, host, port))
      if (matching.length === 0) return 'none'
      return opened === 'all' || opened.some((place) => matchesHost(place, host, port)) ? 'private' : 'public'
    }
  }
}

/** What all of some policies allow. */
export function allOfRules(rules: readonly HostRules[]): HostRules {
  return {
    reachOf: (host, port) => REACHES[Math.min(...rules.map((each) => REACHES.indexOf(each.reachOf(host, port))))] ?? 'none'
  }
}

const REACHES = ['none', 'public', 'private'] as const satisfies readonly Reach[]

/** The places at which private addresses are opened. */
function readPrivate({ private: opened = false }: NetworkPolicy, patterns: readonly HostPattern[]): 'all' | readonly HostPattern[] {
  if (opened === 'all') return opened
  if (typeof opened === 'boolean') return opened ? patterns.filter(isOnePlace) : []
  return opened.map((text, index) => {
    const pattern = parseHostPattern(text)
    if (pattern === undefined || !isOnePlace(pattern)) throw refusePlace(text, index)
    return pattern
  })
}

function isOnePlace({ kind, port }: HostPattern): boolean {
  return kind === 'one' && port !== undefined
}

function parseEntry(text: string, index: number): HostPattern {
  const pattern = parseHostPattern(text)
  if (pattern === undefined) throw refuse(text, index)
  return pattern
}

function refuse(text: string, index: number): HoldfastError {
  const shown = JSON.stringify(text.slice(0, 100))
  return new HoldfastError('invalid_input', `\`network.hosts\` takes ${HOST_PATTERNS}, but entry ${index} is ${shown}.`, {
    details: { field: 'network.hosts', index }
  })
}

function refusePlace(text: string, index: number): HoldfastError {
  const shown = JSON.stringify(text.slice(0, 100))
  return new HoldfastError('invalid_input', `\`network.private\` takes hosts with ports, but entry ${index} is ${shown}.`, {
    details: { field: 'network.private', index }
  })
}
