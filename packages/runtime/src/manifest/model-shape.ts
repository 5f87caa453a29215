import { z } from 'zod'
import type { Json } from '../contracts/json.ts'
import type { FieldTable } from './shape-check.ts'

// The message of each check says what was expected. This file is loaded when it is first used: zod is heavy.

const OBJECT = 'an object'
const MODEL = '{ provider, model } or { ref }'

const name = z.string('a text').trim().min(1, 'a text that is not empty')
const count = z.int('a whole number above 0').positive('a whole number above 0')
const data = z.record(z.string(), z.custom<Json>(), OBJECT)

/** Settings that every provider knows. */
export const ModelSettingsShape = z.strictObject(
  {
    temperature: z.number('a number from 0 on').nonnegative('a number from 0 on').exactOptional(),
    topP: z.number('a number from 0 to 1').min(0, 'a number from 0 to 1').max(1, 'a number from 0 to 1').exactOptional(),
    topK: count.exactOptional(),
    seed: z.int('a whole number').exactOptional(),
    // A space is a place to stop at.
    stopSequences: z.array(z.string('a text').min(1, 'a text that is not empty'), 'a list of texts').exactOptional(),
    toolChoice: z
      .union([z.enum(['auto', 'none', 'required']), z.strictObject({ tool: name })], 'auto, none, required or { tool: name }')
      .exactOptional(),
    maxOutputTokens: count.exactOptional()
  },
  OBJECT
)

/** Options that are handed to providers, by their names. */
export const ModelOptionsShape = z.record(z.string(), data, 'an object of objects, keyed by provider')

const shared = { options: ModelOptionsShape.exactOptional(), settings: ModelSettingsShape.exactOptional() }
const provided = { provider: name, model: name, ...shared }
const referred = { ref: name, ...shared }

const candidate = z.union([z.strictObject(provided, MODEL), z.strictObject(referred, MODEL)], MODEL)

/** Models that stand in, in their order, where the first one cannot answer. */
export const ModelFallbacksShape = z.array(candidate, 'a list').max(16, 'at most 16 models')

/** Which model a definition asks for. */
export const ModelShape = z.union(
  [
    z.strictObject({ ...provided, fallbacks: ModelFallbacksShape.exactOptional() }, MODEL),
    z.strictObject({ ...referred, fallbacks: ModelFallbacksShape.exactOptional() }, MODEL)
  ],
  MODEL
)

/** The fields of settings that stand at a path. */
export function settingsFields(path: string): FieldTable {
  return {
    [path]: { known: Object.keys(ModelSettingsShape.shape), later: [] },
    [`${path}.toolChoice`]: { known: ['tool'], later: [] }
  }
}

/** The fields of the models in a list of fallbacks that stands at a path. */
export function fallbackFields(path: string): FieldTable {
  return {
    [`${path}.*`]: { known: ['provider', 'model', 'ref', ...Object.keys(shared)], later: [] },
    ...settingsFields(`${path}.*.settings`)
  }
}

/** The fields of a model that stands at a path. */
export function modelFields(path: string): FieldTable {
  return {
    [path]: { known: ['provider', 'model', 'ref', ...Object.keys(shared), 'fallbacks'], later: [] },
    ...settingsFields(`${path}.settings`),
    ...fallbackFields(`${path}.fallbacks`)
  }
}
