import type { OutputCheck } from '../contracts/output-check.ts'
import type { Json } from '../contracts/json.ts'
import type { Part } from '../contracts/message.ts'
import type { Validator } from '../manifest/json-schema.ts'
import { isDeeplyNested, MAX_LEVELS } from '../util/nesting.ts'
import { toWellFormedJson } from '../util/well-formed.ts'

const FENCE = /^```(?:json)?\s*\n([\s\S]*?)\n?```$/i

/** The final text read as JSON and held to the definition's output schema. */
export function checkOutput(parts: readonly Part[], validate: Validator): OutputCheck {
  const text = parts
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('')
    .trim()
  const json = FENCE.exec(text)?.[1] ?? text
  if (isDeeplyNested(json)) return { ok: false, errors: `The answer is nested deeper than ${MAX_LEVELS} levels.` }
  let value: Json
  try {
    value = toWellFormedJson(JSON.parse(json) as Json)
  } catch (error) {
    return { ok: false, errors: `The answer is not JSON: ${error instanceof Error ? error.message : 'unreadable'}` }
  }
  const checked = validate(value)
  return checked.ok ? { ok: true, value } : { ok: false, errors: checked.errors }
}
