import { HoldfastError } from '@holdfast/runtime'
import { createChatEvents, toChatStream } from './chat-stream.ts'
import { createCohereEvents } from './cohere-stream.ts'
import { isFields } from './fields.ts'
import { toMessageStream } from './message-events.ts'
import type { StreamEvents } from './stream-events.ts'
import { createLineReader } from './stream-lines.ts'
import { createXaiEvents } from './xai-stream.ts'

/** How a provider is spoken to. */
export interface ProviderFetchOptions {
  /** The format of its streams: `chat` is OpenAI's Chat Completions and what calls itself compatible with it. */
  readonly format: 'chat' | 'messages' | 'cohere' | 'xai' | 'other'
  /** The key that must not come back in any answer (I14). */
  readonly secret?: string | undefined
  /** Whether who reads the answers looks for the key in them: what a model wrote is judged as it wrote it. Errors do not hold it in any case. */
  readonly isLookedFor?: boolean
  /** Default: the global one, looked up at each request. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

const MAX_ERROR_BYTES = 65_536
const MAX_WHOLE_BYTES = 67_108_864
// One event holds at most one image; lines longer than this are no answer.
const MAX_LINE_LENGTH = 67_108_864

const REFUSED_OPTION =
  /stream_options|include_usage|(?:unknown|unrecogni[sz]ed|unsupported|unexpected|extra|additional)[ _](?:field|key|parameter|argument|input|propert)/i

/**
 * The `fetch` that the provider's package is given. It reads answers as they were meant: streams in proper form, answers that came
 * whole as streams. It takes the key out of answers, bounds errors, does not follow redirects with a key in hand, and leaves out
 * `stream_options` where a server refuses it. It does not retry.
 */
export function createProviderFetch(options: ProviderFetchOptions): typeof globalThis.fetch {
  // A server that refused the option once is not asked again.
  let plain = false
  const inAnswers = options.isLookedFor ? { ...options, secret: undefined } : options
  const send = (input: string | URL | Request, init: RequestInit | undefined): Promise<Response> =>
    (options.fetch ?? globalThis.fetch)(input, { ...init, redirect: 'manual' })

  return async (input, init) => {
    const lighter = options.format === 'chat' ? withoutStreamOptions(init) : null
    const response = await send(input, plain && lighter ? lighter : init)
    if (response.ok) return toReadable(response, inAnswers)
    const text = hide(await readBounded(response, MAX_ERROR_BYTES), options.secret)
    if (lighter && !plain && isRefusedOption(response.status, text)) {
      const second = await send(input, lighter)
      plain = second.ok
      return second.ok ? toReadable(second, inAnswers) : toError(second, hide(await readBounded(second, MAX_ERROR_BYTES), options.secret))
    }
    return toError(response, text)
  }
}

function isRefusedOption(status: number, text: string): boolean {
  return (status === 400 || status === 422) && REFUSED_OPTION.test(text)
}

/** The same request without `stream_options`, or null when it has none. */
function withoutStreamOptions(init: RequestInit | undefined): RequestInit | null {
  if (typeof init?.body !== 'string' || !init.body.includes('"stream_options"')) return null
  const body: unknown = JSON.parse(init.body)
  if (!isFields(body) || !('stream_options' in body)) return null
  const { stream_options: _options, ...rest } = body
  return { ...init, body: JSON.stringify(rest) }
}

async function toReadable(response: Response, options: ProviderFetchOptions): Promise<Response> {
  const isWhole = (response.headers.get('content-type') ?? '').includes('application/json')
  const convert = { chat: toChatStream, messages: toMessageStream, cohere: undefined, xai: undefined, other: undefined }[options.format]
  if (isWhole && convert) {
    const text = hide(await readBounded(response, MAX_WHOLE_BYTES), options.secret)
    return new Response(convert(text), { status: 200, headers: { 'content-type': 'text/event-stream' } })
  }
  if (!response.body) return response
  return new Response(response.body.pipeThrough(createLineTransform(options)), { status: response.status, headers: toHeaders(response) })
}

/** Whole lines only: the readers of the provider packages search a long line again with every piece of it. */
function createLineTransform({ format, secret }: ProviderFetchOptions): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  const events = toStreamEvents(format)
  let out: string[] = []
  const reader = createLineReader((line) => out.push(events.line(hide(line, secret))), MAX_LINE_LENGTH, tooLarge)
  const flush = (controller: TransformStreamDefaultController<Uint8Array>): void => {
    const text = out.join('')
    out = []
    if (text !== '') controller.enqueue(encoder.encode(text))
  }
  return new TransformStream({
    transform(bytes, controller) {
      reader.push(decoder.decode(bytes, { stream: true }))
      flush(controller)
    },
    flush(controller) {
      reader.push(decoder.decode())
      reader.end()
      out.push(events.end())
      flush(controller)
    }
  })
}

function toStreamEvents(format: ProviderFetchOptions['format']): StreamEvents {
  switch (format) {
    case 'chat':
      return createChatEvents()
    case 'cohere':
      return createCohereEvents()
    case 'xai':
      return createXaiEvents()
    case 'messages':
    case 'other':
      return { line: (line) => `${line}\n`, end: () => '' }
  }
}

function tooLarge(): never {
  throw new HoldfastError('response_too_large', 'One event of the response is larger than 64 MiB.')
}

async function readBounded(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder()
  const pieces: string[] = []
  let left = maxBytes
  for await (const bytes of response.body ?? []) {
    pieces.push(decoder.decode(bytes.subarray(0, left), { stream: true }))
    left -= bytes.length
    // Leaving the loop cancels the rest.
    if (left <= 0) break
  }
  return pieces.join('')
}

// What stands in for a key where none is needed (`ollama`, `none`) is no secret, and is a word of the answer.
const MIN_SECRET_LENGTH = 16

function hide(text: string, secret = ''): string {
  return secret.length >= MIN_SECRET_LENGTH && text.includes(secret) ? text.replaceAll(secret, '[hidden]') : text
}

function toError(response: Response, text: string): Response {
  // A `Response` cannot be made with a status outside this range, and nobody answers so.
  const status = response.status >= 200 && response.status <= 599 ? response.status : 502
  return new Response(text, { status, statusText: response.statusText, headers: toHeaders(response) })
}

function toHeaders(response: Response): Headers {
  const headers = new Headers(response.headers)
  // What was decoded has neither the length nor the encoding that was announced.
  headers.delete('content-length')
  headers.delete('content-encoding')
  return headers
}
