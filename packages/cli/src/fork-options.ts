import type { CallResult, ForkPlace, GivenResult, Json } from '@holdfast/runtime'
import { InvalidArgumentError } from 'commander'
import type { CommandIo } from './command-io.ts'
import { Failure } from './failure.ts'
import { readInputOption } from './text-input.ts'

/** A place in a log: the sequence of a commit, `turn:` with a number or with the id of a turn. */
export function forkPlace(text: string): ForkPlace {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  const turn = text.startsWith('turn:') ? text.slice('turn:'.length) : ''
  if (/^[1-9]\d{0,14}$/.test(turn)) return { turn: Number(turn) }
  if (turn.includes('/')) return { turn }
  throw new InvalidArgumentError('Expected the sequence of a commit, turn:3 for a turn of the last run, or turn:ID for one of another run.')
}

/** Reads `--call-result` and `--call-error`: `call=value` with what stands in a file for `@file`. A result is JSON where it can be read as that. */
export async function readResults(
  given: { readonly results: readonly string[]; readonly errors: readonly string[] },
  io: CommandIo
): Promise<readonly GivenResult[]> {
  const read = async (argument: string, toResult: (text: string) => CallResult): Promise<GivenResult> => {
    const separator = argument.indexOf('=')
    if (separator < 1) {
      throw new Failure('invalid_input', `${JSON.stringify(argument)} names no call and its result.`, {
        remedy: 'Write it as CALL=TEXT or CALL=@file; `holdfast records THREAD` shows the ids of calls.'
      })
    }
    return { call: argument.slice(0, separator), result: toResult(await readInputOption(argument.slice(separator + 1), io)) }
  }
  return [
    ...(await Promise.all(given.results.map((argument) => read(argument, (text) => ({ value: parseJson(text) ?? text }))))),
    ...(await Promise.all(given.errors.map((argument) => read(argument, (error) => ({ error })))))
  ]
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
