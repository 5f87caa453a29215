import { Writable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import type { TextSink } from './command-io.ts'

/** The streams of the process in the hands of the command. */
export interface OwnStreams {
  readonly stdout: TextSink
  readonly stderr: TextSink
  /** Standard output for what steers a terminal. */
  readonly screen: NodeJS.WritableStream
  /** Who is told what other code writes; until then it goes to standard error as it is. */
  setStray(tell: (text: string) => void): void
  /** Waits until everything is out. Gives what went wrong with standard output. */
  flush(): Promise<Error | undefined>
}

type Streams = { readonly stdout: WriteStream; readonly stderr: WriteStream }
type Write = WriteStream['write']

/**
 * Keeps standard output for the command: what code of the user writes there, by `console.log` or by itself, would break the document that a
 * script reads. It is told elsewhere. What writes to the descriptor itself (a child process that inherits it) is not seen here.
 */
export function takeStreams({ stdout, stderr }: Streams): OwnStreams {
  const toStdout: Write = stdout.write.bind(stdout)
  const toStderr: Write = stderr.write.bind(stderr)
  let tell = (text: string): void => void toStderr(text)
  for (const stream of [stdout, stderr]) stream.write = toStray((text) => tell(text))
  return {
    stdout: { write: toStdout, isTTY: stdout.isTTY },
    stderr: { write: toStderr, isTTY: stderr.isTTY },
    screen: new Screen(stdout, toStdout),
    setStray: (listener) => {
      tell = listener
    },
    flush: async () => {
      const [lost] = await Promise.all([toStdout, toStderr].map(whenWritten))
      return lost
    }
  }
}

function toStray(tell: (text: string) => void): Write {
  const decoder = new TextDecoder()
  return (chunk: string | Uint8Array, ...rest: unknown[]) => {
    tell(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))
    const done = rest.find((each) => typeof each === 'function')
    if (done !== undefined) process.nextTick(done)
    return true
  }
}

function whenWritten(write: Write): Promise<Error | undefined> {
  return new Promise((resolve) => write('', (error) => resolve(error ?? undefined)))
}

/** A terminal to write to that is not the stream that everybody has. */
class Screen extends Writable {
  readonly #stream: WriteStream
  readonly #write: Write

  constructor(stream: WriteStream, write: Write) {
    super({ decodeStrings: false })
    this.#stream = stream
    this.#write = write
    stream.on('resize', () => this.emit('resize'))
  }

  get columns(): number {
    return this.#stream.columns
  }

  get rows(): number {
    return this.#stream.rows
  }

  /** Done at once, so that nothing that the command writes beside it comes first. */
  override _write(chunk: string | Uint8Array, _encoding: BufferEncoding, done: () => void): void {
    this.#write(chunk)
    done()
  }
}
