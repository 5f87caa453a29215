import type { Grants } from '../contracts/grants.ts'
import type { HostPattern } from '../util/host-pattern.ts'
import { fromHostText, isAddress, parseHostPattern, toCanonicalHost, toHostText } from '../util/host-pattern.ts'
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

/** Whether a canonical entry is one host with one port: only such an entry can open a private address by itself. */
export function isOnePlace(entry: string): boolean {
  const { kind, port } = fromHostText(entry)
  return kind === 'one' && port !== undefined
}

/** Hosts without those that another entry covers, in order, and private places only where hosts cover them. */
export function normalNetwork(network: Network): Network {
  const hosts = normalEntries(toPatterns(network.hosts))
  return { hosts, private: normalPrivate(network.private, hosts) }
}

/** The hosts that both hold, and the private places that both hold. Takes its time by the length of what comes out. */
export function intersectNetworks(a: Network, b: Network): Network {
  const [left, right] = [toPatterns(a.hosts), toPatterns(b.hosts)]
  const hosts = normalEntries([...narrowedBy(left, right), ...narrowedBy(right, left)])
  return { hosts, private: normalPrivate(intersectNames(a.private, b.private), hosts) }
}

/** Whether a host may be reached. What is no host is not. */
export function holdsHost({ hosts, private: opened }: Network, { host: given, port, isPrivate = false }: HostRequest): boolean {
  const host = toCanonicalHost(given)
  if (host === undefined || !Number.isInteger(port) || port < 1 || port > 65_535) return false
  const place: HostPattern = { kind: 'one', host, port }
  const covering = new Set(coveringEntries(place))
  if (!hosts.some((entry) => covering.has(entry))) return false
  return !isPrivate || opened === 'all' || opened.includes(toHostText(place))
}

function toPatterns(entries: readonly string[]): readonly HostPattern[] {
  return entries.map(fromHostText)
}

function normalEntries(patterns: readonly HostPattern[]): readonly string[] {
  const unique = new Map(patterns.map((pattern) => [toHostText(pattern), pattern]))
  const texts = new Set(unique.keys())
  const kept = [...unique].filter(([text, pattern]) => !coveringEntries(pattern).some((wider) => wider !== text && texts.has(wider)))
  return kept.map(([text]) => text).toSorted(byText)
}

/** Where every host is one place, all of them and a list of them are the same set: the list stands for it. */
function normalPrivate(opened: Network['private'], hosts: readonly string[]): Network['private'] {
  if (opened === 'all') return hosts.every(isOnePlace) ? hosts : opened
  const texts = new Set(hosts)
  const places = new Map(toPatterns(opened).map((place) => [toHostText(place), place]))
  return [...places]
    .filter(([, place]) => isCovered(place, texts))
    .map(([text]) => text)
    .toSorted(byText)
}

/** What of each entry is held by entries of other hosts: those that name the same hosts or more. */
function narrowedBy(patterns: readonly HostPattern[], others: readonly HostPattern[]): readonly HostPattern[] {
  const byHost = Map.groupBy(others, ({ kind, host }) => toHostText({ kind, host, port: undefined }))
  return patterns.flatMap((pattern) =>
    hostsAround(pattern)
      .flatMap((host) => byHost.get(host) ?? [])
      .filter(({ port }) => port === undefined || pattern.port === undefined || port === pattern.port)
      .map(({ port }) => ({ ...pattern, port: pattern.port ?? port }))
  )
}

function isCovered(pattern: HostPattern, entries: ReadonlySet<string>): boolean {
  return coveringEntries(pattern).some((entry) => entries.has(entry))
}

/** Every entry that holds all of a pattern, itself among them. */
function coveringEntries(pattern: HostPattern): readonly string[] {
  const hosts = hostsAround(pattern)
  return pattern.port === undefined ? hosts : [...hosts, ...hosts.map((host) => `${host}:${pattern.port}`)]
}

/** Every entry without a port that holds the hosts of a pattern: its own, those of the names above, any. */
function hostsAround({ kind, host }: HostPattern): readonly string[] {
  if (kind === 'any') return ['*']
  const own = toHostText({ kind, host, port: undefined })
  if (isAddress(host)) return [own, '*']
  const labels = host.split('.')
  const above = labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`)
  return [...new Set([own, ...above, '*'])]
}
