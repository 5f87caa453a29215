import { isIP } from 'node:net'
import type { loadIpaddr } from './libraries.ts'

type Ipaddr = Awaited<ReturnType<typeof loadIpaddr>>

/** What an address is: on the public internet, private (opened by naming host and port), or never opened. */
export interface AddressKind {
  readonly kind: 'public' | 'private' | 'never'
  /** Name of the range, for whoever asks why. */
  readonly range: string
}

/** Ranges that belong to a machine or a network, and to nobody else's services. */
const PRIVATE_RANGES: readonly string[] = ['loopback', 'private', 'uniqueLocal', 'carrierGradeNat']

/** What the ranges below do not say. Each is a metadata service or the agent of a cloud: at an address that looks private or public. */
const METADATA_ADDRESSES: readonly string[] = [
  '100.100.100.200',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fd00:42::42'
]

/**
 * Judges one address as a resolver or a URL gives it. What is not clearly public is not public: also every form that carries an IPv4 address
 * inside (mapped, NAT64, 6to4, Teredo), as what it leads to depends on the network.
 */
export function toAddressKind(address: string, ipaddr: Ipaddr): AddressKind {
  if (isIP(address) === 0) return { kind: 'never', range: 'unknown' }
  const parsed = ipaddr.parse(address)
  if (METADATA_ADDRESSES.some((each) => ipaddr.parse(each).toNormalizedString() === parsed.toNormalizedString())) {
    return { kind: 'never', range: 'metadata' }
  }
  const range: string = parsed.range()
  if (PRIVATE_RANGES.includes(range)) return { kind: 'private', range }
  if (range !== 'unicast') return { kind: 'never', range }
  // Global unicast is 2000::/3 (RFC 4291); the library calls everything unicast that has no row of its own.
  if (parsed.kind() === 'ipv6' && (parsed.toByteArray()[0] ?? 0) >> 5 !== 1) return { kind: 'never', range: 'unallocated' }
  return { kind: 'public', range }
}
