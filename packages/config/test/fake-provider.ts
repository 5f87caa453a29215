import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as a fake provider received it. */
export interface ReceivedRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

/** The bytes of an answer. */
export interface FakeAnswer {
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  /** Written one after another; default type `text/event-stream`. */
  readonly chunks: Iterable<string | Uint8Array>
  /** What happens after the last chunk: a proper end, a broken connection, or nothing. Default `end`. */
  readonly after?: 'end' | 'destroy' | 'stay'
}

/** A provider that answers with given bytes, on loopback and a free port. */
export interface FakeProvider extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
}

/** Starts a provider that gives the nth answer to the nth request, and the last one to all that follow. */
export async function startFakeProvider(
  ...answers: readonly (FakeAnswer | ((request: ReceivedRequest) => FakeAnswer))[]
): Promise<FakeProvider> {
  const requests: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    void readBody(request).then(async (body) => {
      const received = { path: request.url ?? '', headers: request.headers, body }
      requests.push(received)
      const answer = answers[Math.min(requests.length, answers.length) - 1]
      if (answer) await writeAnswer(response, typeof answer === 'function' ? answer(received) : answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

/** Events of a stream in the OpenAI style, without `[DONE]`. */
export function events(...data: readonly unknown[]): string[] {
  return data.map((item) => `data: ${JSON.stringify(item)}\n\n`)
}

/** Events of a stream in the Anthropic style. */
export function namedEvents(...data: readonly { readonly type: string; readonly [key: string]: unknown }[]): string[] {
  return data.map((item) => `event: ${item.type}\ndata: ${JSON.stringify(item)}\n\n`)
}

/** The end of a stream in the OpenAI style. */
export const DONE = 'data: [DONE]\n\n'

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return text === '' ? undefined : JSON.parse(text)
}

async function writeAnswer(response: ServerResponse, answer: FakeAnswer): Promise<void> {
  response.writeHead(answer.status ?? 200, { 'content-type': 'text/event-stream', ...answer.headers })
  const closed = new Promise<void>((resolve) => response.once('close', resolve))
  for (const chunk of answer.chunks) {
    if (response.destroyed) return
    // Each chunk leaves by itself, and no faster than the reader takes it.
    if (!response.write(chunk)) await Promise.race([new Promise((resolve) => response.once('drain', resolve)), closed])
  }
  if (answer.after === 'destroy') response.destroy()
  else if (answer.after !== 'stay') response.end()
}
