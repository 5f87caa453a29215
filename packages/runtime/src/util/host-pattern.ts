/** Hosts as data: `*` any, `*.suffix` those below a name, a name or an IP address; each with or without a port. */
export interface HostPattern {
  readonly kind: 'any' | 'below' | 'one'
  /** `*`, the suffix with its first dot, or a canonical host. */
  readonly host: string
  readonly port: number | undefined
}

/** What can stand where hosts are listed. */
export const HOST_PATTERNS = '"*", "*.example.com", "example.com", "192.0.2.1" or "[2001:db8::1]", each with or without ":port"'

/** Reads an entry of a list of hosts, or gives nothing when it is none. */
export function parseHostPattern(text: string): HostPattern | undefined {
  const { host, port } = splitPort(text)
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined
  if (host === '*') return { kind: 'any', host, port }
  const isBelow = host.startsWith('*.')
  const found = toCanonicalHost(isBelow ? host.slice(2) : host)
  if (found === undefined) return undefined
  if (!isBelow) return { kind: 'one', host: found, port }
  return isAddress(found) ? undefined : { kind: 'below', host: `.${found}`, port }
}

/** An entry as it is written in its one canonical form. */
export function toHostText({ kind, host, port }: HostPattern): string {
  return `${kind === 'below' ? '*' : ''}${host}${port === undefined ? '' : `:${port}`}`
}

/** Reads what `toHostText` wrote, without judging hosts again: an entry in another spelling is of no host. */
export function fromHostText(text: string): HostPattern {
  const { host, port } = splitPort(text)
  if (host === '*') return { kind: 'any', host, port }
  return host.startsWith('*.') ? { kind: 'below', host: host.slice(1), port } : { kind: 'one', host, port }
}

/** Whether a canonical host with a port is among those of an entry. */
export function matchesHost(pattern: HostPattern, host: string, port: number): boolean {
  if (pattern.port !== undefined && pattern.port !== port) return false
  if (pattern.kind === 'any') return true
  return pattern.kind === 'below' ? host.endsWith(pattern.host) : host === pattern.host
}

/**
 * A host as URLs spell it: lower case, international names in ASCII, any spelling of an IP address as the usual one, IPv6 in brackets,
 * without the dot of the root. Nothing when it is not one host, or has a port.
 */
export function toCanonicalHost(text: string): string | undefined {
  if (/[\s/\\?#@*]/.test(text) || /:/.test(text.replace(/^\[[^\]]*\]/, ''))) return undefined
  const url = URL.parse(`http://${text}/`)
  if (url === null || url.pathname !== '/') return undefined
  const host = url.hostname.replace(/\.$/, '')
  return host.split('.').includes('') ? undefined : host
}

/** Whether a canonical host is an IP address: URLs spell no name like one. */
export function isAddress(host: string): boolean {
  return host.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(host)
}

/** A canonical host without the brackets of IPv6. */
export function toAddress(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host
}

function splitPort(text: string): { readonly host: string; readonly port: number | undefined } {
  const [, host, digits] = /^(.*[^:]):(\d{1,5})$/s.exec(text) ?? []
  return host === undefined ? { host: text, port: undefined } : { host, port: Number(digits) }
}
