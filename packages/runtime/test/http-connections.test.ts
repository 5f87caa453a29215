import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createServer } from 'node:net'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createGuardedFetch } from '../src/http/guarded-fetch.ts'
import type { GuardedRequest } from '../src/http/message.ts'
import type { Resolver } from '../src/http/resolver.ts'
import type { LocalServer } from './http-kit.ts'
import { clientFor, serve, serveBytes, serveRaw, textOf, trap } from './http-kit.ts'
import { refusalOf } from './refusal.ts'

/** Global unicast that belongs to nobody: it passes the rules, and nothing answers there. */
const NOWHERE = '3ffe:ffff::1'
const NEVER = new Promise<never>(() => {})

/** A resolver that gives one answer after the other, and counts how often it was asked. */
function answering(...answers: readonly (readonly string[])[]): Resolver & { readonly asked: readonly string[] } {
  const asked: string[] = []
  return {
    asked,
    resolve: async (host) => {
      asked.push(host)
      return answers[Math.min(asked.length, answers.length) - 1] ?? []
    }
  }
}

describe('a name that resolves differently each time', () => {
  // B072
  test('is resolved once: what was checked is what is connected to', async () => {
    const listener = await trap()
    const resolver = answering([NOWHERE], ['127.0.0.1'], ['::1'])
    const fetch = createGuardedFetch({ network: { hosts: ['*'] }, resolver, limits: { connectTimeoutMs: 500 } })
    const url = `http://rebound.test:${listener.port}/`
    const error = await fetch({ url }).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: expect.stringMatching(/^http_(unreachable|timeout)$/) })
    expect(resolver.asked).toEqual(['rebound.test'])
    const { details } = await refusalOf('http_blocked', () => fetch({ url }))
    expect(details).toMatchObject({ reason: 'address', range: 'loopback' })
    expect(listener.connections).toEqual([])
  })

  // B072
  test.each([[[NOWHERE, '127.0.0.1']], [['127.0.0.1', NOWHERE]], [['8.8.8.8', '::1']], [['8.8.8.8', 'not an address']]])(
    'is refused when one of its addresses is not public: %j',
    async (answer) => {
      const listener = await trap()
      const fetch = createGuardedFetch({ network: { hosts: ['*'] }, resolver: answering(answer) })
      await refusalOf('http_blocked', () => fetch({ url: `http://mixed.test:${listener.port}/` }))
      expect(listener.connections).toEqual([])
    }
  )

  test('is resolved and checked again when a redirect leads to it', async () => {
    const listener = await trap()
    const resolver = answering(['127.0.0.1'], ['127.0.0.1'])
    const server = await serve((_request, response) => response.writeHead(302, { location: `http://a.test:${listener.port}/` }).end())
    const fetch = createGuardedFetch({ network: { hosts: ['*', `a.test:${server.port}`], private: true }, resolver })
    const { details } = await refusalOf('http_blocked', () => fetch({ url: `http://a.test:${server.port}/` }))
    expect(details).toMatchObject({ reason: 'address', hop: 1 })
    expect(resolver.asked).toEqual(['a.test', 'a.test'])
    expect(listener.connections).toEqual([])
  })
})

describe('a host that cannot be reached', () => {
  test.each([
    ['no address', answering([])],
    ['a failure of the resolver', { resolve: () => Promise.reject(new Error('ENOTFOUND')) }]
  ])('because its name has %s is told from one that refused', async (_name, resolver) => {
    const fetch = createGuardedFetch({ network: { hosts: ['*'] }, resolver })
    const { details } = await refusalOf('http_unreachable', () => fetch({ url: 'http://a.test/' }))
    expect(details).toEqual({ phase: 'resolve', hop: 0, host: 'a.test:80' })
  })

  test('because nothing listens there was sent nothing', async () => {
    const server = await closedServer()
    const { details } = await refusalOf('http_unreachable', () => clientFor({ 'a.test': server })({ url: urlOf(server), method: 'POST' }))
    expect(details).toMatchObject({ phase: 'connect', code: 'ECONNREFUSED' })
  })
})

describe('a request', () => {
  test('is sent once, also when the connection ends without an answer', async () => {
    const server = await serveRaw((socket) => socket.end())
    const fetch = clientFor({ 'a.test': server })
    for (const method of ['GET', 'POST'] as const) await refusalOf('http_protocol', () => fetch({ url: urlOf(server), method }))
    expect(server.connections).toHaveLength(2)
  })

  test('carries method, path, headers and body as given, and those of the client', async () => {
    const seen: unknown[] = []
    const server = await serve(async (request, response) => {
      const chunks = await request.toArray()
      const { host, connection, ...headers } = request.headers
      seen.push([request.method, request.url, host === `a.test:${server.port}`, connection, headers, String(Buffer.concat(chunks))])
      response.end()
    })
    const fetch = clientFor({ 'a.test': server })
    await fetch({
      url: `${urlOf(server)}a%20b?c=%2f#d`,
      method: 'PUT',
      body: 'gr\u00fcn',
      headers: { 'X-Name': 'value', ACCEPT: 'text/plain' }
    })
    await fetch({ url: urlOf(server), method: 'POST', body: new Uint8Array([104, 105]) })
    const shared = { 'accept-encoding': 'gzip, br', 'user-agent': 'holdfast' }
    expect(seen).toEqual([
      ['PUT', '/a%20b?c=%2f', true, 'close', { ...shared, accept: 'text/plain', 'x-name': 'value', 'content-length': '5' }, 'gr\u00fcn'],
      ['POST', '/', true, 'close', { ...shared, accept: '*/*', 'content-length': '2' }, 'hi']
    ])
  })

  test.each<[string, Partial<GuardedRequest>, string]>([
    ['a method', { method: 'CONNECT' as 'GET' }, 'method'],
    ['a body of GET', { body: 'x' }, 'body'],
    ['a line break in a header', { headers: { a: 'b\r\nc: d' } }, 'headers.a'],
    ['a character outside of Latin-1', { headers: { a: '\u20ac' } }, 'headers.a'],
    ['a name with a colon', { headers: { 'a:': 'b' } }, 'headers.a:'],
    ['a host of its own', { headers: { Host: 'other.test' } }, 'headers.Host'],
    ['framing of its own', { headers: { 'Transfer-Encoding': 'chunked' } }, 'headers.Transfer-Encoding'],
    ['a limit below its range', { limits: { maxBodyBytes: -1 } }, 'limits.maxBodyBytes'],
    ['a limit that is no number', { limits: { totalTimeoutMs: Number.NaN } }, 'limits.totalTimeoutMs']
  ])('is refused before it is sent: %s', async (_name, request, field) => {
    const server = await trap()
    const { details } = await refusalOf('invalid_input', () => clientFor({ 'a.test': server })({ url: urlOf(server), ...request }))
    expect(details).toEqual({ field })
    expect(server.connections).toEqual([])
  })
})

describe('a limit of time', () => {
  const slow = { connectTimeoutMs: 10_000, headersTimeoutMs: 10_000, totalTimeoutMs: 10_000 }

  // B074
  test.each([
    ['connectTimeoutMs', 'resolve'],
    ['totalTimeoutMs', 'resolve']
  ])('ends the wait for a resolver: %s', async (limit, phase) => {
    const fetch = createGuardedFetch({ network: { hosts: ['*'] }, resolver: { resolve: () => NEVER } })
    const { details } = await refusalOf('http_timeout', () => fetch({ url: 'http://a.test/', limits: { ...slow, [limit]: 50 } }))
    expect(details).toEqual({ limit, limitMs: 50, phase, hop: 0, host: 'a.test:80' })
  })

  // B074
  test('ends the wait for a handshake', async () => {
    const server = await serveRaw(() => {})
    const fetch = clientFor({ 'a.test': server }, { limits: { ...slow, connectTimeoutMs: 100 } })
    const { details } = await refusalOf('http_timeout', () => fetch({ url: `https://a.test:${server.port}/` }))
    expect(details).toMatchObject({ limit: 'connectTimeoutMs', phase: 'connect' })
    await closed(server)
  })

  // B074
  test.each(['headersTimeoutMs', 'totalTimeoutMs'])('ends the wait for a server that never answers: %s', async (limit) => {
    const server = await trap()
    const fetch = clientFor({ 'a.test': server }, { limits: { ...slow, [limit]: 1_000 } })
    const { details } = await refusalOf('http_timeout', () => fetch({ url: urlOf(server) }))
    expect(details).toMatchObject({ limit, phase: 'headers' })
    await closed(server)
  })

  test('is one for all redirects together', async () => {
    const server = await serve((_request, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 400)
    })
    const fetch = clientFor({ 'a.test': server }, { limits: { ...slow, totalTimeoutMs: 1_500 } })
    const { details } = await refusalOf('http_timeout', () => fetch({ url: urlOf(server) }))
    expect(details['limit']).toBe('totalTimeoutMs')
    expect(server.connections.length).toBeGreaterThan(1)
  })

  test('does not cut a body that began in time', async () => {
    const server = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe')
      setTimeout(() => socket.write('llo'), 1_500)
    })
    const fetch = clientFor({ 'a.test': server }, { limits: { ...slow, connectTimeoutMs: 1_000, headersTimeoutMs: 1_000 } })
    expect(textOf(await fetch({ url: urlOf(server) }))).toBe('hello')
  })
})

describe('a cancel', () => {
  const reason = new Error('the caller went away')

  test('before the start opens no socket', async () => {
    const server = await trap()
    const fetch = clientFor({ 'a.test': server })
    await expect(fetch({ url: urlOf(server), signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(server.connections).toEqual([])
  })

  test('ends the wait for a resolver', async () => {
    const stop = new AbortController()
    const resolver: Resolver = {
      resolve: () => {
        stop.abort(reason)
        return NEVER
      }
    }
    const fetch = createGuardedFetch({ network: { hosts: ['*'] }, resolver })
    await expect(fetch({ url: 'http://a.test/', signal: stop.signal })).rejects.toBe(reason)
  })

  // B074
  test.each([
    ['before the answer', ''],
    ['in the head', 'HTTP/1.1 200 OK\r\nContent-'],
    ['in the body', 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello'],
    ['in an encoded body', 'HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 1000\r\n\r\n']
  ])('ends the socket: %s', async (_name, begin) => {
    const stop = new AbortController()
    const server = await serveRaw((socket) => {
      socket.write(begin)
      setTimeout(() => stop.abort(reason), 30)
    })
    const fetch = clientFor({ 'a.test': server })
    await expect(fetch({ url: urlOf(server), signal: stop.signal })).rejects.toBe(reason)
    await closed(server)
  })

  test('leaves nothing on the signal when the request was complete', async () => {
    const server = await serveBytes('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    const stop = new AbortController()
    const counts = { added: 0, removed: 0 }
    const { addEventListener, removeEventListener } = stop.signal
    stop.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      counts.added += 1
      return addEventListener.apply(stop.signal, args)
    }
    stop.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      counts.removed += 1
      return removeEventListener.apply(stop.signal, args)
    }
    await clientFor({ 'a.test': server })({ url: urlOf(server), signal: stop.signal })
    expect(counts).toEqual({ added: 1, removed: 1 })
    await closed(server)
  })
})

describe('an error', () => {
  const secret = 'hunter2'
  const request = { method: 'POST', headers: { authorization: secret }, body: secret } as const

  test.each<[string, (server: LocalServer) => string, string]>([
    ['of the rules', () => `http://user:${secret}@a.test/`, ''],
    ['of a URL', () => `http://[${secret}/`, ''],
    ['of a scheme', () => `${secret}://a.test/`, ''],
    ['of an address', () => `http://10.0.0.1/${secret}?key=${secret}`, ''],
    ['of a connection', () => `http://a.test:9/${secret}?key=${secret}`, ''],
    ['of a protocol', (server) => `${urlOf(server)}${secret}?key=${secret}`, 'SSH-2.0\r\n'],
    ['of a parser that read it back', (server) => urlOf(server), `HTTP/1.1 200 OK\r\nSet-Cookie: ${secret}\r\nb ad ${secret}\r\n\r\n`],
    ['of a connection that broke', (server) => `${urlOf(server)}${secret}`, 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n'],
    ['of a redirect', (server) => urlOf(server), `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/?key=${secret}\r\n\r\n`],
    ['of a size', (server) => `${urlOf(server)}${secret}`, 'HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n']
  ])('%s holds no path, query, header or body', async (_name, url, answer) => {
    const server = await serveBytes(answer, { close: true })
    const fetch = createGuardedFetch({
      network: { hosts: ['*', `a.test:${server.port}`, 'a.test:9'], private: true },
      resolver: answering(['127.0.0.1'])
    })
    const error = await fetch({ url: url(server), ...request }).then(
      () => expect.fail('nothing was refused'),
      (caught: unknown) => caught
    )
    expect(error).toMatchObject({ name: 'HoldfastError' })
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret)
  })
})

function urlOf({ port }: LocalServer): string {
  return `http://a.test:${port}/`
}

/** Waits until every connection of a server has ended: many times as long as it may take. */
async function closed({ connections }: LocalServer): Promise<void> {
  // The client may be done with it before the server is told of it.
  await expect.poll(() => connections.length, { timeout: 30_000 }).toBeGreaterThan(0)
  const open = connections.filter((socket: Socket) => !socket.destroyed)
  await Promise.all(open.map((socket) => once(socket, 'close', { signal: AbortSignal.timeout(30_000) })))
}

/** A port on which nothing listens any more. */
async function closedServer(): Promise<LocalServer> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return { port: typeof address === 'object' && address !== null ? address.port : 0, connections: [] }
}
