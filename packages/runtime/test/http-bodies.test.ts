import { execFile } from 'node:child_process'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { LocalServer } from './http-kit.ts'
import { clientFor, serveBytes, serveRaw, textOf } from './http-kit.ts'
import { refusalOf } from './refusal.ts'

const MIB = 1024 * 1024
/** What the two kernels' buffers of one connection may hold, generously. */
const IN_FLIGHT_BYTES = 24 * MIB
const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`

/** Sends the same again and again while somebody reads. */
function pour(socket: Socket, piece: string | Uint8Array, head = ''): void {
  socket.write(head)
  const next = (): void => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', next)
  next()
}

/** What left the server, as far as it can know. */
function sentBy({ connections }: LocalServer): number {
  return connections.reduce((bytes, socket) => bytes + socket.bytesWritten - socket.writableLength, 0)
}

function withLength(body: Uint8Array, encoding: string): Uint8Array {
  const head = `${OK}Content-Length: ${body.length}\r\nContent-Encoding: ${encoding}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

/** A gzip stream of as many zeros, which costs no time to make: members of 64 MiB one after the other. */
function gzipBomb(bytes: number): Uint8Array {
  const member = gzipSync(Buffer.alloc(64 * MIB))
  return Buffer.concat(Array.from({ length: bytes / (64 * MIB) }, () => member))
}

function brotliBomb(bytes: number): Uint8Array {
  return brotliCompressSync(Buffer.alloc(bytes), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
}

const get = (server: LocalServer, limits: Parameters<ReturnType<typeof clientFor>>[0]['limits'] = {}) =>
  clientFor({ 'a.test': server })({ url: `http://a.test:${server.port}/`, limits })

describe('a body without end', () => {
  // B074
  test.each([
    ['in chunks', CHUNKED, `10000\r\n${'\0'.repeat(65_536)}\r\n`],
    ['until the connection closes', `${OK}\r\n`, '\0'.repeat(65_536)],
    ['below a length that is a lie', `${OK}Content-Length: 1000\r\n\r\n`, '\0'.repeat(65_536)],
    ['as empty gzip members', `${OK}Content-Encoding: gzip\r\n\r\n`, Buffer.alloc(60_000, gzipSync(''))]
  ])('is given up at the limit: %s', async (name, head, piece) => {
    const server = await serveRaw((socket) => {
      socket.write(Buffer.concat([Buffer.from(head), Buffer.from(piece)]))
      pour(socket, piece)
    })
    const isLie = name.includes('lie')
    const { details } = await refusalOf(isLie ? 'http_protocol' : 'http_too_large', () => get(server, { maxBodyBytes: MIB }))
    expect(details).toMatchObject(isLie ? { reason: 'surplus' } : { part: 'encoded', limit: MIB, hop: 0 })
    expect(sentBy(server)).toBeLessThan(MIB + IN_FLIGHT_BYTES)
  })

  // B074
  test('that comes a byte at a time is given up at the deadline', async () => {
    const server = await serveRaw((socket) => {
      socket.write(`${OK}Content-Length: 100000\r\n\r\n`)
      const timer = setInterval(() => socket.write('x'), 10)
      socket.on('close', () => clearInterval(timer))
    })
    const { details } = await refusalOf('http_timeout', () => get(server, { totalTimeoutMs: 1_500, headersTimeoutMs: 1_400 }))
    expect(details).toMatchObject({ limit: 'totalTimeoutMs', phase: 'body' })
    expect(sentBy(server)).toBeGreaterThan(0)
  })
})

describe('a body that is larger than it looks', () => {
  const limits = { maxBodyBytes: 4 * MIB, maxExpansion: 100_000 }

  // B074
  test.each([
    ['gzip', gzipBomb(64 * MIB), 'gzip'],
    ['x-gzip', gzipBomb(64 * MIB), 'x-gzip'],
    ['deflate', deflateSync(Buffer.alloc(64 * MIB)), 'deflate'],
    ['brotli', brotliBomb(64 * MIB), 'br'],
    ['gzip in gzip', gzipSync(gzipBomb(64 * MIB)), 'gzip, gzip'],
    ['gzip in brotli', brotliCompressSync(gzipBomb(64 * MIB)), 'GZIP,br']
  ])('is given up at the limit of decoded bytes: %s', async (_name, body, encoding) => {
    expect(body.length).toBeLessThan(MIB)
    const server = await serveBytes(withLength(body, encoding))
    const { details } = await refusalOf('http_too_large', () => get(server, limits))
    expect(details).toMatchObject({ part: 'body', limit: 4 * MIB })
  })

  test('in the middle of two encodings is given up as well', async () => {
    // The outer layer gives 64 MiB of empty gzip members, which give nothing.
    const members = Buffer.alloc(64 * MIB, gzipSync(''))
    const server = await serveBytes(withLength(gzipSync(members), 'gzip, gzip'))
    const { details } = await refusalOf('http_too_large', () => get(server, limits))
    expect(details['part']).toBe('body')
  })

  // B074
  test('is given up when it expands more than anything honest', async () => {
    const server = await serveBytes(withLength(gzipSync(Buffer.alloc(3 * MIB)), 'gzip'))
    const { details } = await refusalOf('http_too_large', () => get(server, { maxBodyBytes: 4 * MIB }))
    expect(details).toMatchObject({ part: 'ratio', limit: 250 })
    const small = await serveBytes(withLength(gzipSync(Buffer.alloc(MIB)), 'gzip'))
    expect((await get(small)).body).toHaveLength(MIB)
  })

  // B074
  test.each([
    ['in chunks without end', (socket: Socket) => pour(socket, `10000\r\n${'\0'.repeat(65_536)}\r\n`, CHUNKED)],
    ['gzip', (socket: Socket) => socket.write(withLength(gzipBomb(1024 * MIB), 'gzip'))],
    ['gzip in gzip', (socket: Socket) => socket.write(withLength(gzipSync(gzipBomb(1024 * MIB)), 'gzip, gzip'))],
    ['brotli', (socket: Socket) => socket.write(withLength(brotliBomb(256 * MIB), 'br'))]
  ])('makes the process grow by less than 50 MB: %s', async (_name, answer) => {
    const ordinary = await serveBytes(`${OK}Content-Length: 2\r\n\r\nok`)
    const server = await serveRaw(answer)
    const script = fileURLToPath(new URL('./fixtures/http-memory-child.ts', import.meta.url))
    const args = ['--conditions=@holdfast/source', script, String(ordinary.port), String(server.port)]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const { code, growthKilobytes } = JSON.parse(stdout) as { code: string; growthKilobytes: number }
    expect(code).toBe('http_too_large')
    expect(growthKilobytes).toBeLessThan(50_000)
  })
})

describe('the limit of a body', () => {
  const bytes = Buffer.alloc(1000, 'x')
  const chunked = (body: Uint8Array) =>
    Buffer.concat([Buffer.from(`${CHUNKED}${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])

  test.each([
    ['with a length', withLength(bytes, 'identity')],
    ['in chunks', chunked(bytes)],
    ['encoded', withLength(gzipSync(bytes), 'gzip')]
  ])('lets exactly that much through: %s', async (_name, answer) => {
    const server = await serveBytes(answer)
    expect(textOf(await get(server, { maxBodyBytes: 1000 }))).toBe(String(bytes))
    await refusalOf('http_too_large', () => get(server, { maxBodyBytes: 999 }))
  })

  test('is held against the length that is named, before the body comes', async () => {
    const server = await serveBytes(`${OK}Content-Length: 5000000000\r\n\r\n`)
    const { details } = await refusalOf('http_too_large', () => get(server))
    expect(details).toMatchObject({ part: 'encoded' })
  })

  test('does not count what a HEAD only names', async () => {
    const server = await serveBytes(`${OK}Content-Length: 5000000000\r\nContent-Encoding: gzip\r\n\r\n`)
    const response = await clientFor({ 'a.test': server })({ url: `http://a.test:${server.port}/`, method: 'HEAD' })
    expect(response).toMatchObject({ status: 200, headers: { 'content-length': '5000000000' } })
    expect(response.body).toHaveLength(0)
  })
})

describe('an answer that does not follow the protocol', () => {
  const zipped = gzipSync('a body that is long enough to be cut somewhere')

  // B074
  test.each([
    ['a body longer than its length', `${OK}Content-Length: 5\r\n\r\nhello world`, 'surplus'],
    [
      'a body longer than its length on a connection that closes',
      `${OK}Connection: close\r\nContent-Length: 5\r\n\r\nhello world`,
      'surplus'
    ],
    ['a second answer', `${OK}Content-Length: 0\r\n\r\n${OK}Content-Length: 0\r\n\r\n`, 'surplus'],
    ['bytes after the last chunk', `${CHUNKED}0\r\n\r\nmore`, 'surplus'],
    ['204 with a body', 'HTTP/1.1 204 No Content\r\n\r\nhello', 'surplus'],
    ['204 with a length and a body', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello', 'surplus'],
    ['204 with a length and no body', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n', 'surplus'],
    ['204 in chunks', 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 'surplus'],
    ['304 with a body', 'HTTP/1.1 304 Not Modified\r\n\r\nhello', 'surplus'],
    ['two lengths', `${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`, 'malformed'],
    ['a length and chunks', `${OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 'malformed'],
    ['a negative length', `${OK}Content-Length: -5\r\n\r\nhello`, 'malformed'],
    ['a chunk that is not one', `${CHUNKED}zz\r\n`, 'malformed'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n', 'malformed'],
    ['HTTP/0.9', 'hello', 'malformed'],
    ['another encoding than named', `${OK}Content-Length: 5\r\nContent-Encoding: gzip\r\n\r\nhello`, 'encoding'],
    ['another encoding than named', `${OK}Content-Length: 5\r\nContent-Encoding: br\r\n\r\nhello`, 'encoding'],
    ['an unknown encoding', `${OK}Content-Length: 5\r\nContent-Encoding: rot13\r\n\r\nhello`, 'encoding'],
    ['an encoding of a prototype', `${OK}Content-Length: 5\r\nContent-Encoding: constructor\r\n\r\nhello`, 'encoding'],
    ['a stack of encodings', `${OK}Content-Length: 5\r\nContent-Encoding: gzip, gzip, gzip\r\n\r\nhello`, 'encoding']
  ])('is an error of its own: %s', async (_name, answer, reason) => {
    const server = await serveBytes(answer)
    const { details } = await refusalOf('http_protocol', () => get(server))
    expect(details).toMatchObject({ reason, hop: 0, host: `a.test:${server.port}` })
  })

  // B074
  test.each([
    ['before the answer', '', 'no_answer'],
    ['in the head', `${OK}Content-Len`, 'truncated'],
    ['in a body with a length', `${OK}Content-Length: 50\r\n\r\nhello`, 'truncated'],
    ['in a chunk', `${CHUNKED}5\r\nhel`, 'truncated'],
    ['before the last chunk', `${CHUNKED}5\r\nhello\r\n`, 'truncated'],
    [
      'in an encoded body without a length',
      Buffer.concat([Buffer.from(`${OK}Content-Encoding: gzip\r\n\r\n`), zipped.subarray(0, 20)]),
      'encoding'
    ]
  ])('is never handed on when the connection closes %s', async (_name, answer, reason) => {
    const server = await serveBytes(answer, { close: true })
    const { details } = await refusalOf('http_protocol', () => get(server))
    expect(details['reason']).toBe(reason)
  })

  // B074
  test('is never handed on when the connection is reset, even if only its close would have ended the body', async () => {
    const server = await serveRaw((socket) => {
      socket.write(`${OK}\r\nthe first half`)
      setTimeout(() => socket.resetAndDestroy(), 50)
    })
    await refusalOf('http_protocol', () => get(server))
  })
})

describe('an unusual answer that follows the protocol', () => {
  test.each([
    ['a body until the connection closes', `${OK}\r\nhello`, 'hello'],
    ['hints before the answer', `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${OK}Content-Length: 5\r\n\r\nhello`, 'hello'],
    ['an encoding of nothing', `${OK}Content-Length: 0\r\nContent-Encoding: gzip\r\n\r\n`, ''],
    ['304 with the length of the body that it stands for', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n', ''],
    ['trailers', `${CHUNKED}5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n`, 'hello']
  ])('is complete: %s', async (_name, answer, text) => {
    const server = await serveBytes(answer, { close: true })
    expect(textOf(await get(server))).toBe(text)
  })

  test('joins repeated fields, and keeps no cookies', async () => {
    const server = await serveBytes(`${OK}Content-Length: 0\r\nX-A: 1\r\nx-a: 2\r\nSet-Cookie: a=1\r\n__proto__: 3\r\n\r\n`)
    const { headers } = await get(server)
    expect(Object.entries(headers)).toEqual([
      ['content-length', '0'],
      ['x-a', '1, 2'],
      ['__proto__', '3']
    ])
  })
})

describe('a head without end', () => {
  // B074
  test.each([
    ['one field', `X: ${'a'.repeat(300_000)}\r\n`],
    ['many fields', 'X: a\r\n'.repeat(50_000)],
    ['one name', 'X'.repeat(300_000)]
  ])('is given up at the limit: %s', async (_name, fields) => {
    const server = await serveRaw((socket) => pour(socket, OK + fields))
    const { details } = await refusalOf('http_too_large', () => get(server))
    expect(details).toMatchObject({ part: 'headers', limit: 32 * 1024 })
  })

  test('of hints is given up at the deadline', async () => {
    const server = await serveRaw((socket) => pour(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100)))
    const { details } = await refusalOf('http_timeout', () => get(server, { headersTimeoutMs: 200 }))
    expect(details).toMatchObject({ limit: 'headersTimeoutMs', phase: 'headers' })
  })
})
