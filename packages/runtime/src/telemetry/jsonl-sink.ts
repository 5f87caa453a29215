// Keeps I9: what goes wrong here is thrown to the feed, which stops nothing. Lines never fuse, whatever a write has left behind (B049).
import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import type { EventSink, SinkEvent } from '../contracts/event-sink.ts'
import type { Ms } from '../contracts/ids.ts'
import { toVisibleJson } from './visible-json.ts'

/** How events are written. */
export interface JsonlSinkOptions {
  /** Also pieces of answers and the progress of tools. Default false. */
  readonly transient?: boolean
  /** How long events are collected before they are written. Default 100. */
  readonly batchMs?: Ms
  /** How much is written at once, unless one line is longer. Default 262,144. */
  readonly maxBytes?: number
}

const DEFAULT_BYTES = 262_144
const NEWLINE = 0x0a

/**
 * A sink that appends one event a line as JSON, to a file or to a stream. The file is made for its owner alone and opened for each batch, so that it may be
 * moved away at any time; a last line without its end, left by a crash or a full disk, is ended first. The stream is not ended.
 */
export function jsonlSink(target: string | Writable, options: JsonlSinkOptions = {}): EventSink {
  const { transient = false, batchMs, maxBytes = DEFAULT_BYTES } = options
  const append = typeof target === 'string' ? createFileAppender(target) : createStreamAppender(target)
  return {
    name: typeof target === 'string' ? `jsonl ${target}` : 'jsonl',
    transient,
    ...(batchMs === undefined ? {} : { batchMs }),
    async write(events) {
      for (const text of toBatches(events, maxBytes)) await append(text)
    }
  }
}

type Append = (text: string) => Promise<void>

function* toBatches(events: readonly SinkEvent[], maxBytes: number): Generator<string> {
  let lines: string[] = []
  let bytes = 0
  for (const event of events) {
    const line = `${toVisibleJson(event)}\n`
    const length = Buffer.byteLength(line)
    if (bytes > 0 && bytes + length > maxBytes) {
      yield lines.join('')
      lines = []
      bytes = 0
    }
    lines.push(line)
    bytes += length
  }
  if (bytes > 0) yield lines.join('')
}

function createFileAppender(path: string): Append {
  let isWhole = false
  return async (text) => {
    const wasWhole = isWhole
    // A write that fails may leave a part of itself.
    isWhole = false
    await using file = await open(path, 'a+', 0o600)
    const before = wasWhole || !(await isTorn(file)) ? '' : '\n'
    await writeAll(file, Buffer.from(before + text))
    isWhole = true
  }
}

async function isTorn(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat()
  if (size === 0) return false
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] !== NEWLINE
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length; ) written += (await file.write(bytes, written)).bytesWritten
}

function createStreamAppender(stream: Writable): Append {
  // The callback tells what failed; without a listener the event would end the process.
  stream.on('error', () => {})
  return (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) => (error ? reject(error) : resolve()))
    })
}
