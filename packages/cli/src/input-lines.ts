import type { CommandIo } from './command-io.ts'
import { Failure } from './failure.ts'

/** A line is a message at most: what is longer is refused before all of it is read. */
const MAX_LINE_LENGTH = 1024 * 1024

/** The lines of standard input, while they come, without their ends. Throws `invalid_input` and `value_too_large`. */
export async function* readInputLines(io: Pick<CommandIo, 'stdin'>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let pieces: string[] = []
  let length = 0
  for await (const chunk of io.stdin) {
    const [first = '', ...rest] = decode(decoder, chunk).split('\n')
    pieces.push(first)
    length += first.length
    for (const next of rest) {
      yield toLine(pieces)
      pieces = [next]
      length = next.length
    }
    if (length > MAX_LINE_LENGTH)
      throw new Failure('value_too_large', `A line of standard input has more than ${MAX_LINE_LENGTH} characters.`)
  }
  pieces.push(decode(decoder))
  const last = toLine(pieces)
  if (last !== '') yield last
}

/** Makes messages of lines: a backslash at the end of a line goes on with the next one, and what is pasted stays together. */
export class MessageLines {
  #lines: string[] = []

  /** Takes a line; gives the message that it completes. */
  push(line: string, options: { readonly pasted?: boolean } = {}): string | undefined {
    const goesOn = line.endsWith('\\')
    this.#lines.push(goesOn ? line.slice(0, -1) : line)
    return goesOn || options.pasted === true ? undefined : this.end()
  }

  /** The message that has been begun, if one has. */
  end(): string | undefined {
    const message = this.#lines.join('\n')
    this.#lines = []
    return message.trim() === '' ? undefined : message
  }

  /** Whether the next line goes on with a message. */
  get isOpen(): boolean {
    return this.#lines.length > 0
  }
}

function toLine(pieces: readonly string[]): string {
  return pieces.join('').replace(/\r$/, '')
}

function decode(decoder: TextDecoder, chunk?: Uint8Array | string): string {
  if (typeof chunk === 'string') return chunk
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
  } catch (cause) {
    throw new Failure('invalid_input', 'Standard input is not UTF-8 text.', { cause })
  }
}
