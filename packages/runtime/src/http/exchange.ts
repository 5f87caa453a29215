// Keeps: a request is sent once, over one connection; an answer is complete only when it ended by its own framing and nothing follows.
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Deadline } from './deadline.ts'
import type { Place } from './failure.ts'
import { toBroken, toTooLarge } from './failure.ts'
import { loadUndici } from './libraries.ts'
import type { Hop } from './redirect.ts'

/** The head of an answer, and its body as it is sent. */
export interface Answer {
  readonly status: number
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  /** Ends with an error when the answer was not complete. */
  readonly body: Readable
}

/** Sends one request over a connection and gives the head of the answer. Destroy the socket when done with it. */
export async function exchange(hop: Hop, socket: Socket, deadline: Deadline, maxHeaderBytes: number): Promise<Answer> {
  const { Client } = await loadUndici()
  const { target, outgoing } = hop
  const { place } = target
  deadline.enter('headers', place)
  deadline.signal.throwIfAborted()
  let taken = false
  const client = new Client(target.url.origin, {
    allowH2: false,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_options, callback) => {
      // A second connection would send the request a second time.
      if (taken) return callback(new Error('the connection was lost'), null)
      taken = true
      queueMicrotask(() => callback(null, socket))
    }
  })
  socket.once('close', () => void client.destroy().catch(() => {}))
  const reader = readAnswer(socket, { place, maxHeaderBytes })
  client.dispatch(
    {
      path: `${target.url.pathname}${target.url.search}`,
      method: outgoing.method,
      headers: Object.fromEntries(outgoing.headers),
      body: outgoing.body ?? null,
      reset: true
    },
    reader.handler
  )
  return deadline.within(reader.answer)
}

function readAnswer(
  socket: Socket,
  { place, maxHeaderBytes }: { readonly place: Place; readonly maxHeaderBytes: number }
): { readonly handler: Dispatcher.DispatchHandler; readonly answer: Promise<Answer> } {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  let controller: Dispatcher.DispatchController | undefined
  let came: Came = 'nothing'
  const body = new Readable({ read: () => controller?.resume() })
  body.on('error', () => {})
  const end = watchEnd(socket)
  const fail = (error: Error): void => {
    reject(error)
    body.destroy(error)
  }
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (given) => {
      controller = given
    },
    onResponseStarted: () => {
      came = 'begin'
    },
    onResponseStart: (_controller, status, headers) => {
      if (status < 200) return
      came = 'head'
      resolve({ status, headers, body })
    },
    onResponseData: (given, chunk) => {
      if (!body.push(chunk)) given.pause()
    },
    onResponseEnd: () => {
      // What follows the answer is put back right after this.
      end.reached(() => {
        if (end.reset) return fail(toBroken('truncated', place))
        if (end.surplus) return fail(toBroken('surplus', place))
        body.push(null)
      })
    },
    onResponseError: (_controller, error) => fail(toFailure(error, { came, place, maxHeaderBytes }))
  }
  return { handler, answer: promise }
}

interface End {
  readonly reset: boolean
  readonly surplus: boolean
  reached(then: () => void): void
}

/**
 * Watches how an answer ends, for two things that undici accepts: a body that lasts until the connection ends and is cut by a reset, and
 * bytes after the end. The latter it gives back to the socket, which is the only trace of them.
 */
function watchEnd(socket: Socket): End {
  let isOver = false
  let reset = false
  let surplus = false
  socket.once('error', () => {
    reset ||= !isOver
  })
  const unshift = socket.unshift
  socket.unshift = (chunk: Buffer, encoding) => {
    surplus ||= isOver && chunk.length > 0
    return unshift.call(socket, chunk, encoding)
  }
  return {
    get reset() {
      return reset
    },
    get surplus() {
      return surplus
    },
    reached(then) {
      isOver = true
      queueMicrotask(then)
    }
  }
}

/** How much of an answer came. */
type Came = 'nothing' | 'begin' | 'head'

function toFailure(error: Error, { came, place, maxHeaderBytes }: { came: Came; place: Place; maxHeaderBytes: number }): Error {
  const code = 'code' in error ? error.code : undefined
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return toTooLarge('headers', maxHeaderBytes, place)
  // A parser's error carries what was read: that is not kept.
  if (error.name === 'HTTPParserError') return toBroken('malformed', place)
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && came !== 'head') return toBroken('malformed', place)
  return toBroken(came === 'nothing' ? 'no_answer' : 'truncated', place, error)
}
