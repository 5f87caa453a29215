import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { createGuardedFetch } from '../src/http/guarded-fetch.ts'
import { CERTIFICATE } from './http-certificate.ts'
import type { LocalServer } from './http-kit.ts'
import { clientFor, resolving, serve, serveBytes, serveSecure, textOf, trap } from './http-kit.ts'
import { refusalOf } from './refusal.ts'

interface Received {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A server that says what it was sent. */
async function recorder(): Promise<LocalServer & { readonly received: readonly Received[] }> {
  const received: Received[] = []
  const server = await serve(async (request, response) => {
    received.push({ method: request.method, path: request.url, headers: request.headers, body: String(await buffer(request)) })
    response.end('arrived')
  })
  return { ...server, received }
}

const redirecting =
  (location: string, status = 302): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { location }).end('elsewhere')

describe('a redirect to what is not public', () => {
  // B071
  test.each([
    ['http://169.254.169.254/latest/meta-data/', 'address'],
    ['http://[::ffff:169.254.169.254]/', 'address'],
    ['http://2852039166/', 'address'],
    ['http://metadata.google.internal/', 'metadata'],
    ['//127.0.0.1:TRAP/x', 'address'],
    ['http://127.1:TRAP/', 'address'],
    ['http://[::1]:TRAP/', 'address'],
    ['http://localhost:TRAP/', 'local_name'],
    ['http://rebound.test:TRAP/', 'address'],
    ['http://user:password@example.com/', 'credentials'],
    ['file:///etc/passwd', 'scheme'],
    ['gopher://127.0.0.1:TRAP/', 'scheme'],
    ['http://%zz/', 'url']
  ])('is refused as the first URL would be: %s', async (location, reason) => {
    const listener = await trap()
    const server = await serve(redirecting(location.replace('TRAP', String(listener.port))))
    const fetch = clientFor({ 'public.test': server })
    const { details } = await refusalOf('http_blocked', () => fetch({ url: `http://public.test:${server.port}/` }))
    expect(details).toMatchObject({ reason, hop: 1 })
    expect(server.connections).toHaveLength(1)
    expect(listener.connections).toEqual([])
  })

  // B071
  test('is refused at the end of a chain, and the hop is named', async () => {
    const listener = await trap()
    const second = await serve(redirecting(`http://127.0.0.1:${listener.port}/`))
    const first = await serve(redirecting(`http://second.test:${second.port}/`))
    const fetch = clientFor({ 'first.test': first, 'second.test': second })
    const { details } = await refusalOf('http_blocked', () => fetch({ url: `http://first.test:${first.port}/` }))
    expect(details).toEqual({ reason: 'address', range: 'loopback', hop: 2, host: `127.0.0.1:${listener.port}` })
    expect([first, second, listener].map(({ connections }) => connections.length)).toEqual([1, 1, 0])
  })

  test('is refused when the host is outside the policy', async () => {
    const server = await serve(redirecting('https://other.example:8443/'))
    const fetch = createGuardedFetch({ network: { hosts: [`public.test:${server.port}`], private: true }, resolver: resolving({}) })
    const { details } = await refusalOf('http_blocked', () => fetch({ url: `http://public.test:${server.port}/` }))
    expect(details).toEqual({ reason: 'host', hop: 1, host: 'other.example:8443' })
  })
})

describe('redirects', () => {
  // B071
  test('are followed five times and no more', async () => {
    let count = 0
    const server = await serve((_request, response) => {
      count += 1
      response.writeHead(302, { location: `/${count}` }).end()
    })
    const fetch = clientFor({ 'public.test': server })
    const { details } = await refusalOf('http_protocol', () => fetch({ url: `http://public.test:${server.port}/` }))
    expect(details).toMatchObject({ reason: 'too_many_redirects', hop: 5 })
    expect(count).toBe(6)
    await refusalOf('invalid_input', () => fetch({ url: `http://public.test:${server.port}/`, limits: { maxRedirects: 25 } }))
  })

  test('give the answer of the last URL', async () => {
    const last = await recorder()
    const first = await serve(redirecting(`http://last.test:${last.port}/b?c=1#fragment`, 301))
    const fetch = clientFor({ 'first.test': first, 'last.test': last })
    const response = await fetch({ url: `http://first.test:${first.port}/a` })
    expect(response).toMatchObject({ status: 200, url: `http://last.test:${last.port}/b?c=1` })
    expect(textOf(response)).toBe('arrived')
    expect(last.received[0]).toMatchObject({ method: 'GET', path: '/b?c=1' })
    expect(last.received[0]?.headers.host).toBe(`last.test:${last.port}`)
  })

  test('are relative to the URL that redirects', async () => {
    const server = await serve((request, response) => {
      if (request.url === '/a/b') response.writeHead(302, { location: '../c' }).end()
      else response.end(request.url)
    })
    const { url } = await clientFor({ 'a.test': server })({ url: `http://a.test:${server.port}/a/b` })
    expect(url).toBe(`http://a.test:${server.port}/c`)
  })

  test('without a place to go are the answer', async () => {
    const server = await serve((_request, response) => response.writeHead(302).end('nowhere'))
    const response = await clientFor({ 'a.test': server })({ url: `http://a.test:${server.port}/` })
    expect([response.status, textOf(response)]).toEqual([302, 'nowhere'])
  })

  test('to two places are refused', async () => {
    const server = await serveBytes('HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n')
    const { details } = await refusalOf('http_protocol', () => clientFor({ 'a.test': server })({ url: `http://a.test:${server.port}/` }))
    expect(details['reason']).toBe('redirect')
  })
})

describe('a redirect to another origin', () => {
  const secrets = {
    Authorization: 'Bearer hunter2',
    Cookie: 'session=hunter2',
    'Webhook-Signature': 'v1,hunter2',
    'X-Hub-Signature-256': 'hunter2',
    Signature: 'hunter2',
    'X-Api-Key': 'hunter2',
    'X-Company-Token': 'hunter2'
  }
  const harmless = { accept: 'text/html', 'accept-language': 'de', 'user-agent': 'tester', 'idempotency-key': 'k1' }

  // B071
  test('takes no credentials, cookies or signatures along, and nothing that may be one', async () => {
    const last = await recorder()
    const first = await serve(redirecting(`http://last.test:${last.port}/`))
    const fetch = clientFor({ 'first.test': first, 'last.test': last })
    await fetch({ url: `http://first.test:${first.port}/`, headers: { ...secrets, ...harmless } })
    const [sent] = last.received
    expect(JSON.stringify(sent)).not.toContain('hunter2')
    expect(sent?.headers).toMatchObject(harmless)
  })

  test('counts another port as another origin', async () => {
    const last = await recorder()
    const first = await serve(redirecting(`http://a.test:${last.port}/`))
    const network = { hosts: [`a.test:${first.port}`, `a.test:${last.port}`], private: true }
    const fetch = createGuardedFetch({ network, resolver: resolving({}) })
    await fetch({ url: `http://a.test:${first.port}/`, headers: secrets })
    expect(JSON.stringify(last.received)).not.toContain('hunter2')
  })

  test('does not give them back when it returns', async () => {
    const received: IncomingHttpHeaders[] = []
    const ports = { there: 0 }
    const home = await serve((request, response) => {
      received.push(request.headers)
      if (request.url === '/end') response.end()
      else response.writeHead(302, { location: `http://there.test:${ports.there}/` }).end()
    })
    const there = await serve(redirecting(`http://home.test:${home.port}/end`))
    ports.there = there.port
    await clientFor({ 'home.test': home, 'there.test': there })({ url: `http://home.test:${home.port}/`, headers: secrets })
    expect(received.map(({ authorization }) => authorization)).toEqual(['Bearer hunter2', undefined])
  })

  test('is told from one within the origin, which keeps them', async () => {
    const received: IncomingHttpHeaders[] = []
    const server = await serve((request, response) => {
      received.push(request.headers)
      if (request.url === '/end') response.end()
      else response.writeHead(302, { location: '/end' }).end()
    })
    await clientFor({ 'a.test': server })({ url: `http://a.test:${server.port}/`, headers: secrets })
    expect(received.map(({ authorization }) => authorization)).toEqual(['Bearer hunter2', 'Bearer hunter2'])
  })
})

describe('a redirect of a request that may change something', () => {
  const order = { method: 'POST', body: 'order=1', headers: { 'content-type': 'text/plain' } } as const

  // B071
  test.each([
    [307, 'POST'],
    [308, 'POST'],
    [307, 'PUT'],
    [301, 'PUT'],
    [302, 'DELETE'],
    [308, 'PATCH']
  ] as const)('is not sent again after %i of a %s', async (status, method) => {
    const last = await recorder()
    const first = await serve(redirecting(`http://last.test:${last.port}/`, status))
    const fetch = clientFor({ 'first.test': first, 'last.test': last })
    const { details } = await refusalOf('http_blocked', () => fetch({ ...order, method, url: `http://first.test:${first.port}/` }))
    expect(details).toMatchObject({ reason: 'redirect_method', hop: 1 })
    expect(last.connections).toEqual([])
  })

  // B071
  test('is sent again when that is allowed, without credentials to another origin', async () => {
    const last = await recorder()
    const first = await serve(redirecting(`http://last.test:${last.port}/`, 307))
    const fetch = clientFor({ 'first.test': first, 'last.test': last })
    const headers = { ...order.headers, authorization: 'hunter2' }
    await fetch({ ...order, headers, url: `http://first.test:${first.port}/`, resendOnRedirect: true })
    expect(last.received).toMatchObject([{ method: 'POST', body: 'order=1' }])
    expect(last.received[0]?.headers).toMatchObject({ 'content-type': 'text/plain', 'content-length': '7' })
    expect(last.received[0]?.headers.authorization).toBeUndefined()
  })

  test.each([
    [301, 'POST'],
    [302, 'POST'],
    [303, 'POST'],
    [303, 'PUT']
  ] as const)('becomes a GET without its body after %i of a %s', async (status, method) => {
    const last = await recorder()
    const first = await serve(redirecting(`http://last.test:${last.port}/`, status))
    await clientFor({ 'first.test': first, 'last.test': last })({ ...order, method, url: `http://first.test:${first.port}/` })
    expect(last.received).toMatchObject([{ method: 'GET', body: '' }])
    expect(last.received[0]?.headers['content-type']).toBeUndefined()
  })
})

describe('TLS', () => {
  // B071
  test('is not left by a redirect, unless that is allowed', async () => {
    const plain = await recorder()
    const secure = await serveSecure(redirecting(`http://plain.test:${plain.port}/`))
    const fetch = clientFor({ 'secure.test': secure, 'plain.test': plain }, { ca: CERTIFICATE })
    const url = `https://secure.test:${secure.port}/`
    const { details } = await refusalOf('http_blocked', () => fetch({ url }))
    expect(details).toMatchObject({ reason: 'downgrade', hop: 1 })
    expect(plain.connections).toEqual([])
    const { status } = await fetch({ url, allowDowngrade: true })
    expect(status).toBe(200)
  })

  test('is checked against the name that was asked for, at the address that was checked', async () => {
    const secure = await serveSecure((_request, response) => response.end('secret'))
    const fetch = clientFor({ 'secure.test': secure, 'other.test': secure, '127.0.0.1': secure }, { ca: CERTIFICATE })
    expect(textOf(await fetch({ url: `https://secure.test:${secure.port}/` }))).toBe('secret')
    const { details } = await refusalOf('http_unreachable', () => fetch({ url: `https://other.test:${secure.port}/` }))
    expect(details).toMatchObject({ phase: 'connect', code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
    await refusalOf('http_unreachable', () => fetch({ url: `https://127.0.0.1:${secure.port}/` }))
    const untrusting = clientFor({ 'secure.test': secure })
    await refusalOf('http_unreachable', () => untrusting({ url: `https://secure.test:${secure.port}/` }))
  })
})
