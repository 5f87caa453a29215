// Keeps: a name is resolved once per hop; every answer is checked before a socket exists; what was checked is what is connected to.
import type { LookupFunction, Socket, TcpNetConnectOpts } from 'node:net'
import { connect as connectPlain, isIPv6 } from 'node:net'
import { getCACertificates, connect as connectSecure } from 'node:tls'
import { toAddressKind } from './address.ts'
import type { Deadline } from './deadline.ts'
import { toBlocked, toUnreachable } from './failure.ts'
import { loadIpaddr } from './libraries.ts'
import type { HostRules } from './network-policy.ts'
import { isAddress, toAddress } from '../util/host-pattern.ts'
import type { Resolver } from './resolver.ts'
import type { Target } from './target.ts'
import { isLocalName } from './target.ts'

/** What decides where connections go. */
export interface ConnectOptions {
  readonly rules: HostRules
  readonly resolver: Resolver
  /** A certificate (PEM) that is trusted beside those of this machine. */
  readonly ca?: string
}

/** A connection to a target, or `http_blocked`, `http_unreachable`, `http_timeout`. Nothing of a request was sent yet. */
export async function openConnection(target: Target, deadline: Deadline, options: ConnectOptions): Promise<Socket> {
  deadline.enter('resolve', target.place)
  const addresses = await admit(target, deadline, options)
  deadline.enter('connect', target.place)
  const socket = dial(target, addresses, options.ca)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.once(target.secure ? 'secureConnect' : 'connect', resolve)
  // Stays for the life of the socket: an error that nobody listens to would end the process.
  socket.on('error', reject)
  try {
    await deadline.within(promise)
    return socket
  } catch (error) {
    socket.destroy()
    throw deadline.signal.aborted ? error : toUnreachable('connect', target.place, error)
  }
}

/** The addresses of a target, every one of them checked. */
async function admit(target: Target, deadline: Deadline, { rules, resolver }: ConnectOptions): Promise<readonly string[]> {
  const { host, port, place } = target
  const reach = rules.reachOf(host, port)
  if (reach === 'none') throw toBlocked('host', place)
  if (isLocalName(host) && reach !== 'private') throw toBlocked('local_name', place)
  const ipaddr = await loadIpaddr()
  const addresses = isAddress(host) ? [toAddress(host)] : await resolve(target, deadline, resolver)
  for (const address of addresses) {
    const { kind, range } = toAddressKind(address, ipaddr)
    // The range and not the address: a stranger's name may have been made to find that out.
    if (kind === 'never' || (kind === 'private' && reach !== 'private')) throw toBlocked('address', place, { range })
  }
  return addresses
}

async function resolve({ host, place }: Target, deadline: Deadline, resolver: Resolver): Promise<readonly string[]> {
  let addresses: readonly string[]
  try {
    addresses = await deadline.within(resolver.resolve(host))
  } catch (error) {
    throw deadline.signal.aborted ? error : toUnreachable('resolve', place, error)
  }
  if (addresses.length === 0) throw toUnreachable('resolve', place)
  return addresses
}

function dial({ host, port, secure }: Target, addresses: readonly string[], ca: string | undefined): Socket {
  const to: TcpNetConnectOpts = { host: toAddress(host), port, lookup: pinned(addresses), autoSelectFamily: true, noDelay: true }
  if (!secure) return connectPlain(to)
  return connectSecure({
    ...to,
    ALPNProtocols: ['http/1.1'],
    ...(isAddress(host) ? {} : { servername: host }),
    ...(ca === undefined ? {} : { ca: [...getCACertificates(), ca] })
  })
}

/** Answers with what was checked, so that nobody asks a second time. */
function pinned(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_host, options, callback) => {
    if (options.all === true) return callback(null, [...answers])
    const [first = { address: '', family: 0 }] = answers
    callback(null, first.address, first.family)
  }
}
