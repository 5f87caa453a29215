import type { Json } from '../contracts/json.ts'
import type { CallResult } from '../contracts/message.ts'
import type { SecretRegistry } from '../contracts/secrets.ts'
import { NO_OUTPUT } from '../state/history.ts'
import { isDeeplyNested, MAX_LEVELS } from '../util/nesting.ts'
import { cutText, toWellFormedJson } from '../util/well-formed.ts'
import { toResultJson } from './result-json.ts'

/** What of a result the model is shown where the tool does not say. */
export const DEFAULT_RESULT_LENGTH = 100_000
/** What a result may weigh as JSON, whatever a tool allows itself: the model is shown all of it at each turn. */
const MAX_RESULT_BYTES = 16 * 1024 * 1024
/** Fits in any case: JSON writes at most six bytes for one UTF-16 unit. */
const SAFE_RESULT_LENGTH = 2_700_000
const MAX_ERROR_LENGTH = 4_000

/**
 * A tool's return value as it is stored and shown: JSON, well-formed, without secrets, bounded (in this order: half of a secret is not found).
 * What is not JSON in it stands there as what says so: the tool has done its work.
 */
export function toCallResult(value: unknown, secrets: SecretRegistry, maxLength: number = DEFAULT_RESULT_LENGTH): CallResult {
  if (typeof value === 'string') return { value: cutResult(secrets.redact(value.toWellFormed()), maxLength) }
  let text: string | undefined
  try {
    text = toResultJson(value)
  } catch (error) {
    return toCallError(`The tool has ended, and returned a value that is not JSON: ${messageOf(error) || 'unknown'}`, secrets)
  }
  if (text === undefined) return { value: NO_OUTPUT }
  if (isDeeplyNested(text)) return { error: `The tool has ended, and returned a value that is nested deeper than ${MAX_LEVELS} levels.` }
  if (secrets.has(text)) text = JSON.stringify(secrets.redactJson(JSON.parse(text)))
  if (text.length > maxLength || weighsTooMuch(text)) return { value: cutResult(text.toWellFormed(), maxLength) }
  return { value: toWellFormedJson(JSON.parse(text) as Json) }
}

/** An error as the model reads it: its message alone, bounded. */
export function toCallError(error: unknown, secrets: SecretRegistry): CallResult {
  const message = secrets.redact(messageOf(error))
  return { error: cutText(message.trim() === '' ? 'The tool failed without a message.' : message, MAX_ERROR_LENGTH) }
}

/** What a tool throws may be anything, also what cannot be made a text. */
function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error).toWellFormed()
  } catch {
    return ''
  }
}

function cutResult(text: string, maxLength: number): string {
  const isSafe = Math.min(text.length, maxLength) <= SAFE_RESULT_LENGTH
  const length = isSafe || !weighsTooMuch(JSON.stringify(cutText(text, maxLength))) ? maxLength : Math.min(maxLength, SAFE_RESULT_LENGTH)
  if (text.length <= length) return text
  return `${cutText(text, length)}\n[cut: the first ${length} of ${text.length} characters]`
}

function weighsTooMuch(json: string): boolean {
  return json.length * 3 > MAX_RESULT_BYTES && Buffer.byteLength(json) > MAX_RESULT_BYTES
}
