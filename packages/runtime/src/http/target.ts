import type { Place } from './failure.ts'
import { toBlocked } from './failure.ts'
import { toCanonicalHost } from '../util/host-pattern.ts'

/** Where one request goes. */
export interface Target {
  readonly url: URL
  /** As URLs spell it, IPv6 in brackets. */
  readonly host: string
  readonly port: number
  readonly secure: boolean
  readonly place: Place
}

/** Names of metadata services. Their addresses are refused as well: this saves asking for them. */
const METADATA_NAMES: readonly string[] = [
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'instance-data',
  'instance-data.ec2.internal'
]
const LOCAL_NAMES: readonly string[] = ['localhost', 'localhost.localdomain', 'ip6-localhost', 'ip6-loopback']

/** Reads a URL, of a redirect with the URL that it came from. Throws `http_blocked` when it may not be requested, whatever the policy. */
export function parseTarget(text: string, options: { readonly hop: number; readonly base?: URL }): Target {
  const url = URL.parse(text, options.base)
  const nowhere: Place = { hop: options.hop, host: '' }
  if (url === null) throw toBlocked('url', nowhere)
  const secure = url.protocol === 'https:'
  if (!secure && url.protocol !== 'http:') throw toBlocked('scheme', nowhere)
  const host = toCanonicalHost(url.hostname)
  if (host === undefined) throw toBlocked('url', nowhere)
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
  const place: Place = { hop: options.hop, host: `${host.slice(0, 255)}:${port}` }
  if (url.username !== '' || url.password !== '') throw toBlocked('credentials', place)
  if (METADATA_NAMES.includes(host)) throw toBlocked('metadata', place)
  url.hostname = host
  url.hash = ''
  return { url, host, port, secure, place }
}

/** Whether a name stands for this machine by convention (RFC 6761), whatever a resolver says. */
export function isLocalName(host: string): boolean {
  return LOCAL_NAMES.includes(host) || host.endsWith('.localhost')
}
