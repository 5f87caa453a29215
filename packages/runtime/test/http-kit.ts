import type { RequestListener, Server as HttpServer } from 'node:http'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import { createServer } from 'node:net'
import { afterAll } from 'vitest'
import type { GuardedFetch, GuardedFetchOptions } from '../src/http/guarded-fetch.ts'
import { createGuardedFetch } from '../src/http/guarded-fetch.ts'
import type { GuardedResponse } from '../src/http/message.ts'
import type { Resolver } from '../src/http/resolver.ts'
import { CERTIFICATE, KEY } from './http-certificate.ts'

/** A server of these tests, on a port of loopback. */
export interface LocalServer {
  readonly port: number
  /** Every connection that was accepted, however it ended. */
  readonly connections: readonly Socket[]
}

const running: { readonly server: Server; readonly connections: Socket[] }[] = []

afterAll(() => {
  for (const { server, connections } of running) {
    for (const socket of connections) socket.destroy()
    server.close()
  }
})

/** Answers as Node's server does. */
export function serve(answer: RequestListener): Promise<LocalServer> {
  return listen(createHttpServer(answer), '127.0.0.1')
}

/** Answers with TLS as `secure.test`. */
export function serveSecure(answer: RequestListener): Promise<LocalServer> {
  return listen(createHttpsServer({ cert: CERTIFICATE, key: KEY }, answer), '127.0.0.1')
}

/** Does as it likes once the first bytes of a request have come. */
export function serveRaw(answer: (socket: Socket) => void): Promise<LocalServer> {
  return listen(
    createServer((socket) => socket.once('data', () => answer(socket))),
    '127.0.0.1'
  )
}

/** Sends bytes and keeps the connection open, or closes it. */
export function serveBytes(bytes: string | Uint8Array, { close = false } = {}): Promise<LocalServer> {
  return serveRaw((socket) => (close ? socket.end(bytes) : socket.write(bytes)))
}

/** Listens on every address of this machine and counts who comes. */
export function trap(): Promise<LocalServer> {
  return listen(
    createServer((socket) => socket.resume()),
    undefined
  )
}

/** A client that reaches these servers as names or at 127.0.0.1, and every public host. */
export function clientFor(
  servers: { readonly [host: string]: LocalServer },
  options: Omit<GuardedFetchOptions, 'network'> = {}
): GuardedFetch {
  const hosts = Object.entries(servers).map(([host, { port }]) => `${host}:${port}`)
  return createGuardedFetch({ resolver: resolving({}), ...options, network: { hosts: ['*', ...hosts], private: true } })
}

/** Gives the addresses of a table, and loopback for every other name. */
export function resolving(table: { readonly [host: string]: readonly string[] }): Resolver {
  return { resolve: async (host) => table[host] ?? ['127.0.0.1'] }
}

/** A body as UTF-8. */
export function textOf({ body }: GuardedResponse): string {
  return new TextDecoder().decode(body)
}

async function listen(server: Server | HttpServer, host: string | undefined): Promise<LocalServer> {
  const connections: Socket[] = []
  server.on('connection', (socket: Socket) => {
    // A client that goes away is what many of these tests are about.
    socket.on('error', () => {})
    connections.push(socket)
  })
  running.push({ server, connections })
  await new Promise<void>((resolve) => server.listen({ port: 0, host }, resolve))
  return { port: (server.address() as AddressInfo).port, connections }
}
