import type { JsonObject } from '../contracts/json.ts'
import { isDeeplyNested, MAX_LEVELS } from '../util/nesting.ts'
import { toWellFormedJson } from '../util/well-formed.ts'

/** A call's arguments: one JSON object, or what is wrong with the text. */
export type ParsedArguments = { readonly ok: true; readonly value: JsonObject } | { readonly ok: false; readonly error: string }

/** Reads the text of a call's arguments. Absent, empty and blank text mean `{}`; anything else must be one JSON object. */
export function parseArguments(input: string): ParsedArguments {
  if (input.trim() === '') return { ok: true, value: {} }
  if (isDeeplyNested(input)) return { ok: false, error: `the arguments are nested deeper than ${MAX_LEVELS} levels` }
  let value: unknown
  try {
    value = JSON.parse(input)
  } catch (error) {
    return { ok: false, error: `the arguments are not JSON: ${error instanceof Error ? error.message : 'unreadable'}` }
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return { ok: false, error: 'the arguments must be one JSON object' }
  }
  // JSON has no infinity, but a number may be written that becomes one: such a value has no digest.
  if (LARGE_NUMBER.test(input) && !isFiniteJson(value)) return { ok: false, error: 'the arguments hold a number that is too large' }
  return { ok: true, value: toWellFormedJson(value as JsonObject) }
}

/** What a text must hold for a number in it to be more than a double: three digits of an exponent, or very many digits. */
const LARGE_NUMBER = /[eE]\+?\d{3}|\d{200}/

function isFiniteJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.values(value).every(isFiniteJson)
}
