import { resolve } from 'node:path'
import type { Json, VariableDeclaration } from '@holdfast/runtime'
import { Failure } from './failure.ts'
import { readNamedText } from './text-input.ts'

/**
 * Reads `--var key=value`. A value is text for a variable of type string; for the others it is JSON, where it can be read as that.
 * `@file` is what stands in the file, and `@@` begins a text with an at sign. The runtime checks the values against the declarations.
 *
 * Throws `invalid_input`, `file_not_found` and `value_too_large`.
 */
export async function parseVariables(
  given: readonly string[],
  declared: readonly VariableDeclaration[],
  cwd: string
): Promise<{ readonly [key: string]: Json }> {
  const values = new Map<string, Json>()
  for (const argument of given) {
    const separator = argument.indexOf('=')
    const key = argument.slice(0, Math.max(0, separator))
    if (separator < 1) throw invalid(argument, 'has no value', 'Write it as --var key=value or --var key=@file.')
    if (values.has(key)) throw invalid(key, 'is given twice', 'Give each variable once.')
    const text = await readValue(key, argument.slice(separator + 1), cwd)
    const type = declared.find((each) => each.key === key)?.type ?? 'string'
    values.set(key, type === 'string' ? text : (parseJson(text) ?? text))
  }
  return Object.fromEntries(values)
}

async function readValue(key: string, text: string, cwd: string): Promise<string> {
  if (text.startsWith('@@')) return text.slice(1)
  if (!text.startsWith('@')) return text
  return readNamedText(resolve(cwd, text.slice(1)), { variable: key })
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function invalid(variable: string, what: string, remedy: string): Failure {
  return new Failure('invalid_input', `--var ${variable}: ${what}.`, { details: { variable }, remedy })
}
