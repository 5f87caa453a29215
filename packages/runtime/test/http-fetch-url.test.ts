import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { GrantsInput } from '../src/contracts/grants.ts'
import { ALL_GRANTS } from '../src/grants/intersect-grants.ts'
import type { FetchUrlInput } from '../src/tools/fetch-url.ts'
import { fetchUrlTool } from '../src/tools/fetch-url.ts'
import { grantsOf } from './grants-kit.ts'
import type { LocalServer } from './http-kit.ts'
import { resolving, serve, serveBytes } from './http-kit.ts'
import { refusalOf } from './refusal.ts'
import { agentOf, recordingModel, resultsIn, runtimeFor, within } from './runtime-kit.ts'

const CONTEXT = { signal: new AbortController().signal, grants: ALL_GRANTS }

/** What the tool gives for a server's page. */
function fetched(server: LocalServer, input: Partial<FetchUrlInput> = {}, maxBodyBytes = 1_000_000): Promise<string> {
  const network = { hosts: [`a.test:${server.port}`], private: true }
  const tool = fetchUrlTool({ network, resolver: resolving({}), limits: { maxBodyBytes } })
  return tool.execute({ url: `http://a.test:${server.port}/`, ...input }, CONTEXT)
}

/** A server that answers with some bytes of some type. */
function page(contentType: string | undefined, body: string | Uint8Array, status = 200): Promise<LocalServer> {
  return serve((_request, response) =>
    response.writeHead(status, contentType === undefined ? {} : { 'content-type': contentType }).end(body)
  )
}

/** Heading and text, of which the model sees both. */
function partsOf(result: string, server: LocalServer): readonly string[] {
  const [heading = '', ...text] = result.split('\n\n')
  return [heading.replace(`http://a.test:${server.port}/: `, ''), text.join('\n\n')]
}

describe('fetch_url', () => {
  test('gives text as it is, below its URL, status, type and size', async () => {
    const server = await page('text/html; charset=utf-8', '<p>one</p>\n\n<p>zw\u00f6lf</p>')
    expect(await fetched(server)).toBe(`http://a.test:${server.port}/: status 200, text/html, 25 bytes\n\n<p>one</p>\n\n<p>zw\u00f6lf</p>`)
  })

  test('gives an answer of any status, and says which', async () => {
    const server = await page('application/problem+json', '{"title":"gone"}', 410)
    expect(partsOf(await fetched(server), server)).toEqual(['status 410, application/problem+json, 16 bytes', '{"title":"gone"}'])
  })

  // B074
  test.each([
    ['UTF-8 that is not named', 'text/plain', 'gr\u00fcn', 'gr\u00fcn'],
    ['UTF-8 with a mark', 'text/plain', '\ufeffgr\u00fcn', 'gr\u00fcn'],
    ['Latin-1 that is named', 'text/plain; charset=ISO-8859-1', Buffer.from('gr\u00fcn', 'latin1'), 'gr\u00fcn'],
    ['a charset in quotes', 'text/plain; charset="windows-1251"', Buffer.from([0xe4, 0xe0]), '\u0434\u0430'],
    ['Shift_JIS', 'text/html;charset=Shift_JIS', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), '\u65e5\u672c'],
    ['UTF-16 that is named', 'text/plain; charset=utf-16le', Buffer.from('gr\u00fcn', 'utf16le'), 'gr\u00fcn'],
    ['UTF-16 with a mark that is named UTF-8', 'text/plain; charset=utf-8', Buffer.from('\ufeffgr\u00fcn', 'utf16le'), 'gr\u00fcn'],
    ['no type', undefined, 'plain', 'plain'],
    ['JSON', 'application/json', '{"a":1}', '{"a":1}'],
    ['SVG', 'image/svg+xml', '<svg/>', '<svg/>'],
    ['nothing', 'text/plain', '', '']
  ])('decodes %s', async (_name, type, body, text) => {
    const server = await page(type, body)
    expect(partsOf(await fetched(server), server)[1]).toBe(text)
  })

  // B074
  test('says when bytes are not in the charset', async () => {
    const server = await page('text/plain; charset=utf-8', Buffer.from('gr\u00fcn', 'latin1'))
    const [heading, text] = partsOf(await fetched(server), server)
    expect(text).toBe('gr\ufffdn')
    expect(heading).toContain('U+FFFD')
  })

  // B074
  test.each([
    ['a PDF', 'application/pdf', '%PDF-1.7', { type: 'application/pdf', bytes: 8 }],
    ['an image', 'image/png', Buffer.from('89504e470d0a1a0a', 'hex'), { type: 'image/png', bytes: 8 }],
    ['bytes of no type', undefined, Buffer.from([0xff, 0x00, 0x80]), { type: '', bytes: 3 }],
    ['a type that is none', 'ignore what was said', Buffer.from([0xff]), { type: '', bytes: 1 }],
    [
      'UTF-16 without a mark that is named UTF-8',
      'text/plain; charset=utf-8',
      Buffer.from('abc', 'utf16le'),
      { type: 'text/plain', bytes: 6 }
    ]
  ])('refuses %s with type and size', async (_name, type, body, about) => {
    const server = await page(type, body)
    const { details, message } = await refusalOf('invalid_input', () => fetched(server))
    expect(details).toEqual({ reason: 'binary', ...about })
    expect(message).toContain(`${about.bytes} bytes`)
  })

  test('refuses a charset that nobody knows', async () => {
    const server = await page('text/plain; charset=klingon', 'x')
    const { details } = await refusalOf('invalid_input', () => fetched(server))
    expect(details['reason']).toBe('charset')
  })

  test('is bounded by its own limit and by a narrower one of the call, after decoding', async () => {
    const server = await serve((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(1000)))
    )
    expect(partsOf(await fetched(server, {}, 1000), server)[1]).toHaveLength(1000)
    for (const [maxBytes, limit] of [
      [999, 1_000_000],
      [5000, 999]
    ] as const) {
      const { details } = await refusalOf('http_too_large', () => fetched(server, { maxBytes }, limit))
      expect(details).toMatchObject({ part: 'body', limit: 999 })
    }
  })

  test('cuts a long text between characters, and says so', async () => {
    const server = await page('text/plain; charset=utf-8', `x${'\u{1f600}'.repeat(50_000)}`)
    const [heading, text = ''] = partsOf(await fetched(server), server)
    expect(text).toHaveLength(79_999)
    expect(text.isWellFormed()).toBe(true)
    expect(heading).toContain('79999 of 100001')
  })

  test('sends the headers that it may', async () => {
    const seen: unknown[] = []
    const server = await serve((request, response) => {
      seen.push([request.method, request.headers.accept, request.headers['accept-language']])
      response.end()
    })
    await fetched(server, { headers: { accept: 'application/json', 'accept-language': 'de' } })
    await fetched(server)
    expect(seen).toEqual([
      ['GET', 'application/json', 'de'],
      ['GET', '*/*', undefined]
    ])
    expect(fetchUrlTool({ network: { hosts: [] } }).input.jsonSchema).toMatchObject({
      additionalProperties: false,
      required: ['url'],
      properties: { headers: { additionalProperties: false } }
    })
  })

  // B071 B072
  test('reaches nothing that its policy does not open', async () => {
    const server = await serveBytes('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    for (const hosts of [[], ['*'], [`127.0.0.1:${server.port}`]]) {
      const tool = fetchUrlTool({ network: { hosts } })
      await refusalOf('http_blocked', () => tool.execute({ url: `http://127.0.0.1:${server.port}/` }, CONTEXT))
    }
    expect(server.connections).toEqual([])
    await refusalOf('invalid_input', () => fetchUrlTool({ network: { hosts: ['http://a.test'] } }))
  })

  // B072
  test.each<readonly [string, (port: number) => GrantsInput['network'], string | null]>([
    ['all places', () => ({ hosts: ['*'], private: 'all' }), null],
    ['the place', (port) => ({ hosts: [`a.test:${port}`], private: true }), null],
    ['nothing', () => ({}), 'host'],
    ['another host', () => ({ hosts: ['b.test'], private: 'all' }), 'host'],
    ['another port', () => ({ hosts: ['a.test:9'], private: true }), 'host'],
    ['the host at public addresses', () => ({ hosts: ['a.test'] }), 'address']
  ])('reaches what both its policy and the thread are granted: %s', async (_, toNetwork, reason) => {
    const server = await page('text/plain', 'the page')
    const context = { ...CONTEXT, grants: grantsOf({ network: toNetwork(server.port) ?? {} }) }
    const network = { hosts: [`a.test:${server.port}`], private: true }
    const tool = fetchUrlTool({ network, resolver: resolving({}) })
    const fetch = () => tool.execute({ url: `http://a.test:${server.port}/` }, context)
    if (reason === null) expect(await fetch()).toContain('the page')
    else expect((await refusalOf('http_blocked', fetch)).details).toMatchObject({ reason })
    expect(server.connections).toHaveLength(reason === null ? 1 : 0)
  })

  // B072
  test('follows no redirect to a place that the thread is not granted', async () => {
    const other = await page('text/plain', 'other')
    const server = await serve((_request, response) => response.writeHead(302, { location: `http://b.test:${other.port}/` }).end())
    const places = [`a.test:${server.port}`, `b.test:${other.port}`]
    const tool = fetchUrlTool({ network: { hosts: places, private: true }, resolver: resolving({}) })
    const fetch = (hosts: readonly string[]) =>
      tool.execute({ url: `http://a.test:${server.port}/` }, { ...CONTEXT, grants: grantsOf({ network: { hosts, private: true } }) })
    expect(await fetch(places)).toContain('other')
    expect((await refusalOf('http_blocked', () => fetch(places.slice(0, 1)))).details).toMatchObject({ reason: 'host', hop: 1 })
    expect(other.connections).toHaveLength(1)
  })

  test('serves an agent: a page is a result, and what is refused is an error that the model reads', async () => {
    const server = await page('text/plain', 'the page')
    const network = { hosts: [`a.test:${server.port}`], private: true }
    const urls = [`http://a.test:${server.port}/`, 'http://169.254.169.254/latest/', 7]
    const toolCalls = urls.map((url) => ({ name: 'fetch_url', arguments: { url } }))
    const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls } : { text: 'done' }))
    const tools = [fetchUrlTool({ network, resolver: resolving({}) })]
    const handle = await runtimeFor(model, { tools }).start(agentOf({ tools: ['fetch_url'] }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: 'done' })
    const shown = [...resultsIn(model.prompts.at(-1)).values()]
    expect(shown).toMatchObject([
      { type: 'text', value: expect.stringMatching(/the page$/) },
      { type: 'error-text' },
      { type: 'error-text' }
    ])
    expect(server.connections).toHaveLength(1)
  })

  test('stops when the call is cancelled', async () => {
    const reason = new Error('cancelled')
    const tool = fetchUrlTool({ network: { hosts: ['*'] }, resolver: { resolve: () => new Promise(() => {}) } })
    const stop = new AbortController()
    const running = tool.execute({ url: 'http://a.test/' }, { ...CONTEXT, signal: stop.signal })
    stop.abort(reason)
    await expect(running).rejects.toBe(reason)
  })
})
