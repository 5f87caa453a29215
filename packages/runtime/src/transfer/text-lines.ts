import { HoldfastError } from '../contracts/errors.ts'

/** A line of an export, and its number from 1. */
export interface Line {
  readonly number: number
  readonly text: string
}

/** What one line may hold, in characters: several times the largest artifact and the largest item. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024

/** The lines of a text that comes in pieces. Only a newline ends one: JSON may hold every other separator. Throws `value_too_large`. */
export async function* toLines(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Line> {
  let number = 0
  let rest: string[] = []
  let length = 0
  for await (const piece of pieces) {
    const parts = piece.split('\n')
    for (const [index, part] of parts.entries()) {
      rest.push(part)
      length += part.length
      if (length > MAX_LINE_LENGTH) throw tooLong(number + 1)
      if (index === parts.length - 1) break
      number += 1
      yield { number, text: rest.join('') }
      rest = []
      length = 0
    }
  }
  if (length > 0) yield { number: number + 1, text: rest.join('') }
}

function tooLong(line: number): HoldfastError {
  return new HoldfastError('value_too_large', `Expected lines of at most ${MAX_LINE_LENGTH} characters, line ${line} is longer.`, {
    details: { line, limit: MAX_LINE_LENGTH }
  })
}
