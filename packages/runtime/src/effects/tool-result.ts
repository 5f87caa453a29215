import type { Json } from '../contracts/json.ts'
import type { CallResult } from '../contracts/message.ts'
import { NO_OUTPUT } from '../state/history.ts'
import { cutText, toWellFormedJson } from '../util/well-formed.ts'

/** What of a result the model is shown where the tool does not say. */
export const DEFAULT_RESULT_LENGTH = 100_000
const MAX_ERROR_LENGTH = 4_000

/** A tool's return value as it is stored and shown: JSON, well-formed, bounded. A value that is not JSON is an error that says so. */
export function toCallResult(value: unknown, maxLength: number = DEFAULT_RESULT_LENGTH): CallResult {
  if (value === undefined) return { value: NO_OUTPUT }
  if (typeof value === 'string') return { value: cutResult(value.toWellFormed(), maxLength) }
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (error) {
    return { error: `The tool returned a value that is not JSON: ${error instanceof Error ? error.message : 'unknown'}` }
  }
  if (text === undefined) return { error: `The tool returned a value that is not JSON: ${typeof value}` }
  if (text.length > maxLength) return { value: cutResult(text.toWellFormed(), maxLength) }
  return { value: toWellFormedJson(JSON.parse(text) as Json) }
}

/** An error as the model reads it: its message alone, bounded. */
export function toCallError(error: unknown): CallResult {
  const message = error instanceof Error ? error.message : String(error)
  return { error: cutText(message.trim() === '' ? 'The tool failed without a message.' : message.toWellFormed(), MAX_ERROR_LENGTH) }
}

function cutResult(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  return `${cutText(text, maxLength)}\n[cut: the first ${maxLength} of ${text.length} characters]`
}
