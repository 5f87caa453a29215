import type { Grants } from '../contracts/grants.ts'
import type { HostPattern } from '../util/host-pattern.ts'
import { matchesHost, parseHostPattern, toCanonicalHost, toHostText } from '../util/host-pattern.ts'
import { byText, intersectNames } from './name-set.ts'

type Network = Grants['network']

/** A host with a port as somebody wants to reach it. */
export interface HostRequest {
  /** A name or an address; IPv6 in brackets. */
  readonly host: string
  readonly port: number
  /** Whether it leads to a loopback or private address. */
  readonly isPrivate?: boolean
}

/** An entry in its one canonical form, or nothing when it is none. */
export function toCanonicalEntry(text: string): string | undefined {
  const pattern = parseHostPattern(text)
  return pattern && toHostText(pattern)
}

/** Whether an entry is one host with one port: only such an entry can open a private address by itself. */
export function isOnePlace(entry: string): boolean {
  const pattern = parseHostPattern(entry)
  return pattern?.kind === 'one' && pattern.port !== undefined
}

/** Hosts without those that another entry covers, in order, and private places only where hosts cover them. */
export function normalNetwork(network: Network): Network {
  const hosts = normalEntries(network.hosts.flatMap((entry) => parseHostPattern(entry) ?? []))
  return { hosts, private: normalPrivate(network.private, hosts) }
}

/** The hosts that both hold, and the private places that both hold. */
export function intersectNetworks(a: Network, b: Network): Network {
  const left = a.hosts.flatMap((entry) => parseHostPattern(entry) ?? [])
  const right = b.hosts.flatMap((entry) => parseHostPattern(entry) ?? [])
  const hosts = normalEntries(left.flatMap((one) => right.flatMap((other) => meet(one, other) ?? [])))
  return { hosts, private: normalPrivate(intersectNames(a.private, b.private), hosts) }
}

/** Whether a host may be reached. What is no host is not. */
export function holdsHost(network: Network, request: HostRequest): boolean {
  const host = toCanonicalHost(request.host)
  if (host === undefined || !isPort(request.port)) return false
  const { hosts, private: opened } = network
  if (!hosts.some((entry) => matchesEntry(entry, host, request.port))) return false
  return request.isPrivate !== true || opened === 'all' || opened.includes(`${host}:${request.port}`)
}

function matchesEntry(entry: string, host: string, port: number): boolean {
  const pattern = parseHostPattern(entry)
  return pattern !== undefined && matchesHost(pattern, host, port)
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535
}

function normalEntries(patterns: readonly HostPattern[]): readonly string[] {
  const unique = [...new Map(patterns.map((pattern) => [toHostText(pattern), pattern]))]
  const kept = unique.filter(([text, pattern]) => !unique.some(([other, wider]) => other !== text && covers(wider, pattern)))
  return kept.map(([text]) => text).toSorted(byText)
}

/** Where every host is one place, all of them and a list of them are the same set: the list stands for it. */
function normalPrivate(opened: Network['private'], hosts: readonly string[]): Network['private'] {
  if (opened === 'all') return hosts.every(isOnePlace) ? hosts : opened
  const patterns = hosts.flatMap((entry) => parseHostPattern(entry) ?? [])
  const isCovered = (place: string) => {
    const pattern = parseHostPattern(place)
    return pattern !== undefined && patterns.some((wider) => covers(wider, pattern))
  }
  return [...new Set(opened)].filter(isCovered).toSorted(byText)
}

/** The hosts that stand in both entries: an entry again, or nothing. */
function meet(a: HostPattern, b: HostPattern): HostPattern | undefined {
  if (a.port !== undefined && b.port !== undefined && a.port !== b.port) return undefined
  const narrow = narrower(a, b)
  return narrow && { ...narrow, port: a.port ?? b.port }
}

function narrower(a: HostPattern, b: HostPattern): HostPattern | undefined {
  if (holdsAll(b, a)) return a
  return holdsAll(a, b) ? b : undefined
}

/** Whether the hosts of one entry hold those of another, ports aside. */
function holdsAll(wide: HostPattern, narrow: HostPattern): boolean {
  if (wide.kind === 'any') return true
  if (narrow.kind === 'any') return false
  return wide.kind === 'below' ? narrow.host.endsWith(wide.host) : narrow.kind === 'one' && narrow.host === wide.host
}

function covers(wide: HostPattern, narrow: HostPattern): boolean {
  return holdsAll(wide, narrow) && (wide.port === undefined || wide.port === narrow.port)
}
