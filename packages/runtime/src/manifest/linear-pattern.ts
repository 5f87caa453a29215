import type { RegExpEngine } from 'ajv/dist/types/index.js'
import type { Json, JsonObject } from '../contracts/json.ts'
import { loadRe2 } from '../util/libraries.ts'
import { holdsKey } from './holds-key.ts'

/**
 * Regular expressions for a schema compiler that take linear time, whatever the pattern and the text. A pattern must be one of ECMAScript with the flag
 * `u`, without look-around and back-references: others are refused by throwing.
 */
export async function createLinearPatterns(): Promise<RegExpEngine> {
  const compile = await createPatternCompiler()
  const engine = (pattern: string) => {
    const test = compile(pattern)
    // The schema compiler tells patterns apart by their text: without it one pattern is used for another.
    return { test, toString: () => `/${pattern}/u` }
  }
  return Object.assign(engine, { code: 'linearPattern' })
}

/** For a schema that has no pattern: were there one, it is refused, and never matched by something that may not end. */
export const NO_PATTERNS: RegExpEngine = Object.assign(refusePattern, { code: 'noPatterns' })

function refusePattern(): never {
  throw new Error('a pattern was not expected here')
}

/** The schema without the patterns that cannot be matched in linear time: for where something else checks the values. Made once for an object. */
export function withoutHardPatterns(schema: JsonObject): Promise<JsonObject> {
  const known = softened.get(schema) ?? soften(schema)
  softened.set(schema, known)
  return known
}

const softened = new WeakMap<JsonObject, Promise<JsonObject>>()

async function soften(schema: JsonObject): Promise<JsonObject> {
  if (!holdsKey(schema, 'pattern')) return schema
  const compile = await createPatternCompiler()
  const isLinear = (pattern: string) => {
    try {
      compile(pattern)
      return true
    } catch {
      return false
    }
  }
  return withoutPatterns(schema, isLinear) as JsonObject
}

async function createPatternCompiler(): Promise<(pattern: string) => (text: string) => boolean> {
  const { RE2JS } = await loadRe2()
  return (pattern) => {
    try {
      // Only its syntax is checked: the pattern of the user never runs here.
      new RegExp(pattern, 'u')
      const linear = RE2JS.compile(RE2JS.translateRegExp(pattern))
      return (text) => linear.test(text)
    } catch (cause) {
      const shown = JSON.stringify(pattern.slice(0, 200))
      throw new Error(`the pattern ${shown} must be valid, without look-around, back-references and repeats above 1000`, { cause })
    }
  }
}

function withoutPatterns(value: Json, isLinear: (pattern: string) => boolean): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => withoutPatterns(item, isLinear))
  const kept = Object.entries(value).filter(([key, item]) => !(key === 'pattern' && typeof item === 'string' && !isLinear(item)))
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutPatterns(item, isLinear)]))
}
