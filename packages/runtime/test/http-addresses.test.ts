import { beforeAll, describe, expect, test } from 'vitest'
import { toAddressKind } from '../src/http/address.ts'
import { createGuardedFetch } from '../src/http/guarded-fetch.ts'
import { loadIpaddr } from '../src/http/libraries.ts'
import type { NetworkPolicy } from '../src/http/network-policy.ts'
import type { LocalServer } from './http-kit.ts'
import { clientFor, resolving, serve, trap } from './http-kit.ts'
import { refusalOf } from './refusal.ts'

const RESOLVER = resolving({ 'v6.test': ['::1'], 'both.test': ['93.184.215.14', '10.0.0.1'], 'zone.test': ['fe80::1%lo'] })

/** Hosts that must not be reached, and why. The port is that of a listener on every address of this machine. */
const BLOCKED: readonly (readonly [host: string, reason: string, range?: string])[] = [
  ['2130706433', 'address', 'loopback'],
  ['017700000001', 'address', 'loopback'],
  ['0x7f000001', 'address', 'loopback'],
  ['0x7f.1', 'address', 'loopback'],
  ['0177.0.0.1', 'address', 'loopback'],
  ['127.1', 'address', 'loopback'],
  ['127.0.0.1', 'address', 'loopback'],
  ['127.0.0.1.', 'address', 'loopback'],
  ['127.255.255.254', 'address', 'loopback'],
  ['%31%32%37.0.0.1', 'address', 'loopback'],
  ['\u2460\u2461\u2466.\u24ea.\u24ea.\u2460', 'address', 'loopback'],
  ['\uff11\uff12\uff17.0.0.1', 'address', 'loopback'],
  ['127\u30020\u30020\u30021', 'address', 'loopback'],
  ['0', 'address', 'unspecified'],
  ['0.0.0.0', 'address', 'unspecified'],
  ['[::]', 'address', 'unspecified'],
  ['[::1]', 'address', 'loopback'],
  ['[0:0:0:0:0:0:0:1]', 'address', 'loopback'],
  ['[::ffff:127.0.0.1]', 'address', 'ipv4Mapped'],
  ['[::ffff:7f00:1]', 'address', 'ipv4Mapped'],
  ['[::ffff:8.8.8.8]', 'address', 'ipv4Mapped'],
  ['[::127.0.0.1]', 'address'],
  ['[64:ff9b::7f00:1]', 'address', 'rfc6052'],
  ['[64:ff9b:1::7f00:1]', 'address', 'rfc6052'],
  ['[2002:7f00:1::]', 'address', '6to4'],
  ['[2001:0:7f00:1::]', 'address', 'teredo'],
  ['[fe80::1]', 'address', 'linkLocal'],
  ['[fe80::1%25lo]', 'url'],
  ['[fe80::1%lo]', 'url'],
  ['[fd00::1]', 'address', 'uniqueLocal'],
  ['[fd00:ec2::254]', 'address', 'metadata'],
  ['169.254.169.254', 'address', 'linkLocal'],
  ['169.254.170.2', 'address', 'linkLocal'],
  ['100.64.0.1', 'address', 'carrierGradeNat'],
  ['100.100.100.200', 'address', 'metadata'],
  ['168.63.129.16', 'address', 'metadata'],
  ['192.0.0.192', 'address', 'reserved'],
  ['198.18.0.1', 'address', 'reserved'],
  ['10.0.0.1', 'address', 'private'],
  ['172.31.255.255', 'address', 'private'],
  ['192.168.0.1', 'address', 'private'],
  ['224.0.0.1', 'address', 'multicast'],
  ['255.255.255.255', 'address', 'broadcast'],
  ['localhost', 'local_name'],
  ['LOCALHOST.', 'local_name'],
  ['a.localhost', 'local_name'],
  ['metadata.google.internal', 'metadata'],
  ['METADATA.google.internal.', 'metadata'],
  ['7f000001.nip.io', 'address', 'loopback'],
  ['v6.test', 'address', 'loopback'],
  ['zone.test', 'address', 'linkLocal'],
  ['both.test', 'address', 'private'],
  ['user@127.0.0.1', 'credentials'],
  ['user:password@127.0.0.1', 'credentials'],
  ['evil%2f@127.0.0.1', 'credentials'],
  ['example.com@127.0.0.1', 'credentials'],
  ['1.2.3.4.5', 'url'],
  ['256.0.0.1', 'url'],
  ['', 'url']
]

describe('a host that is not public', () => {
  let listener: LocalServer
  beforeAll(async () => {
    listener = await trap()
  })

  // B072
  test.each(BLOCKED)('is refused before a socket is opened: %s', async (host, reason, range) => {
    const policies: readonly NetworkPolicy[] = [
      { hosts: ['*'] },
      { hosts: ['*', '*.test', `*:${listener.port}`, 'localhost'], private: true },
      // An exception is of one host and one port.
      { hosts: ['*', `127.0.0.1:${listener.port + 1}`, `localhost:${listener.port + 1}`, `192.168.0.2:${listener.port}`], private: true }
    ]
    for (const network of policies) {
      const fetch = createGuardedFetch({ network, resolver: RESOLVER })
      const { details } = await refusalOf('http_blocked', () => fetch({ url: `http://${host}:${listener.port}/` }))
      expect(details).toMatchObject({ reason, hop: 0, ...(range === undefined ? {} : { range }) })
    }
    expect(listener.connections).toEqual([])
  })

  // B072
  test.each(['127.0.0.1:22', '127.0.0.1:0', '127.0.0.1'])('is refused at every port: %s', async (host) => {
    const fetch = createGuardedFetch({ network: { hosts: ['*'] }, resolver: RESOLVER })
    const { details } = await refusalOf('http_blocked', () => fetch({ url: `http://${host}` }))
    expect(details['reason']).toBe('address')
  })

  test('would have been reached without the guard: the listener sees whoever comes', async () => {
    const spellings = ['127.0.0.1', '2130706433', '127.1', '\u2460\u2461\u2466.\u24ea.\u24ea.\u2460', 'localhost', '7f000001.nip.io']
    const open = await trap()
    for (const host of spellings) {
      const network = { hosts: [`${host}:${open.port}`], private: true }
      const fetch = createGuardedFetch({ network, resolver: RESOLVER, limits: { headersTimeoutMs: 50 } })
      await refusalOf('http_timeout', () => fetch({ url: `http://${host}:${open.port}/` }))
    }
    // The client may give up before the server is told of it.
    await expect.poll(() => open.connections.length, { timeout: 30_000 }).toBe(spellings.length)
  })
})

describe('an exception of a host and its port', () => {
  // B072
  test.each([
    ['169.254.169.254', 'linkLocal'],
    ['169.254.170.2', 'linkLocal'],
    ['[fe80::1]', 'linkLocal'],
    ['0.0.0.0', 'unspecified'],
    ['[::]', 'unspecified'],
    ['[::ffff:127.0.0.1]', 'ipv4Mapped'],
    ['[64:ff9b::7f00:1]', 'rfc6052'],
    ['[fd00:ec2::254]', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['192.0.0.192', 'reserved'],
    ['224.0.0.1', 'multicast']
  ])('does not open %s', async (host, range) => {
    const fetch = createGuardedFetch({ network: { hosts: [`${host}:80`], private: true }, resolver: RESOLVER })
    const { details } = await refusalOf('http_blocked', () => fetch({ url: `http://${host}/` }))
    expect(details).toMatchObject({ reason: 'address', range })
  })

  test('does not open a metadata service by its name, nor by a name of its own', async () => {
    const resolver = resolving({ 'mine.test': ['169.254.169.254'], 'metadata.google.internal': ['127.0.0.1'] })
    const network = { hosts: ['metadata.google.internal:80', 'mine.test:80'], private: true }
    const fetch = createGuardedFetch({ network, resolver })
    const byName = await refusalOf('http_blocked', () => fetch({ url: 'http://metadata.google.internal/' }))
    expect(byName.details['reason']).toBe('metadata')
    const byAddress = await refusalOf('http_blocked', () => fetch({ url: 'http://mine.test/' }))
    expect(byAddress.details).toMatchObject({ reason: 'address', range: 'linkLocal' })
  })

  test('opens loopback for that host, in every spelling, and for no other', async () => {
    const server = await serve((_request, response) => response.end('here'))
    const fetch = clientFor({ '127.0.0.1': server })
    for (const host of ['127.0.0.1', '127.0.0.1.', '0x7f.1']) {
      const { status, url } = await fetch({ url: `http://${host}:${server.port}/a#b` })
      expect({ status, url }).toEqual({ status: 200, url: `http://127.0.0.1:${server.port}/a` })
    }
    const before = server.connections.length
    await refusalOf('http_blocked', () => fetch({ url: `http://127.0.0.2:${server.port}/` }))
    await refusalOf('http_blocked', () => fetch({ url: `http://name.test:${server.port}/` }))
    expect(server.connections).toHaveLength(before)
  })

  test('opens nothing without `private`', async () => {
    const server = await serve((_request, response) => response.end('here'))
    const fetch = createGuardedFetch({ network: { hosts: [`127.0.0.1:${server.port}`] } })
    const { details } = await refusalOf('http_blocked', () => fetch({ url: `http://127.0.0.1:${server.port}/` }))
    expect(details['reason']).toBe('address')
    expect(server.connections).toEqual([])
  })
})

describe('the hosts of a policy', () => {
  test.each([
    [['example.com'], 'example.com', 443, true],
    [['example.com'], 'www.example.com', 443, false],
    [['example.com:443'], 'example.com', 80, false],
    [['EXAMPLE.com.'], 'example.com', 80, true],
    [['*.example.com'], 'www.example.com', 80, true],
    [['*.example.com'], 'a.b.example.com', 80, true],
    [['*.example.com'], 'example.com', 80, false],
    [['*.example.com'], 'badexample.com', 80, false],
    [['*.example.com:8443'], 'www.example.com', 443, false],
    [['b\u00fccher.example'], 'xn--bcher-kva.example', 80, true],
    [['*:443'], 'example.com', 80, false],
    [[], 'example.com', 80, false]
  ])('%j: %s at %i is reached: %s', async (hosts, host, port, isReached) => {
    const seen: string[] = []
    const resolver = {
      resolve: async (name: string) => {
        seen.push(name)
        return []
      }
    }
    const fetch = createGuardedFetch({ network: { hosts }, resolver })
    await refusalOf(isReached ? 'http_unreachable' : 'http_blocked', () => fetch({ url: `http://${host}:${port}/` }))
    expect(seen).toEqual(isReached ? [host] : [])
  })

  test.each(['', '*.', '*a.com', 'a.*', 'a b', 'http://a.com', 'a.com/x', 'user@a.com', '*.127.0.0.1', '::1', 'a.com:x', 'a..:80:'])(
    'are refused when they cannot be understood: %j',
    async (host) => {
      const { details } = await refusalOf('invalid_input', () => createGuardedFetch({ network: { hosts: ['*', host] } }))
      expect(details).toEqual({ field: 'network.hosts', index: 1 })
    }
  )

  test.each(['file:///etc/passwd', 'ftp://example.com/', 'data:,x', 'javascript:1', 'ws://example.com/'])('do not open %s', async (url) => {
    const fetch = createGuardedFetch({ network: { hosts: ['*'] } })
    const { details } = await refusalOf('http_blocked', () => fetch({ url }))
    expect(details['reason']).toBe('scheme')
  })
})

// B072
test('an address is public only when it is global unicast of nobody special', async () => {
  const ipaddr = await loadIpaddr()
  const kinds = (addresses: readonly string[]) => addresses.map((address) => `${address} ${toAddressKind(address, ipaddr).kind}`)
  const all = (addresses: readonly string[], kind: string) => addresses.map((address) => `${address} ${kind}`)
  const open = ['8.8.8.8', '1.1.1.1', '93.184.215.14', '2606:4700::1111', '2a00:1450::1']
  expect(kinds(open)).toEqual(all(open, 'public'))
  const own = ['127.0.0.1', '10.1.2.3', '192.168.1.1', '172.16.0.1', '100.64.0.1', '::1', 'fd00::1', 'fc00::1']
  expect(kinds(own)).toEqual(all(own, 'private'))
  const never = ['192.88.99.1', '192.0.2.1', '198.51.100.1', '203.0.113.1', '240.0.0.1', '2001:db8::1', '3fff::1', '5f00::1', '100::1']
  never.push(
    'fec0::1',
    '4000::1',
    '8000::1',
    '::ffff:0:7f00:1',
    '::7f00:1',
    'ff02::1',
    '2001:20::1',
    'fe80::1%eth0',
    'localhost',
    '',
    '127.1'
  )
  expect(kinds(never)).toEqual(all(never, 'never'))
})
