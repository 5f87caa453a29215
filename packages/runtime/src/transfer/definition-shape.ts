import { z } from 'zod'
import type { Definition, Limits, ModelSettings, ToolDescriptor, VariableDeclaration } from '../contracts/publication.ts'
import { count, data, effect, json, shapeOf, text } from './value-shapes.ts'

const positive = z.int().positive()
const settings = shapeOf<ModelSettings>()({
  temperature: z.number().exactOptional(),
  topP: z.number().exactOptional(),
  topK: z.number().exactOptional(),
  seed: z.int().exactOptional(),
  stopSequences: z.array(text).exactOptional(),
  toolChoice: z.union([z.enum(['auto', 'none', 'required']), z.strictObject({ tool: text })]).exactOptional(),
  maxOutputTokens: positive.exactOptional()
})
const asked = { options: data.exactOptional(), settings: settings.exactOptional() }

/** A frozen definition. */
export const definition = shapeOf<Definition>()({
  name: text,
  description: text.exactOptional(),
  model: z.union([z.strictObject({ provider: text, model: text, ...asked }), z.strictObject({ ref: text, ...asked })]),
  systemPrompt: text.exactOptional(),
  prompt: text.exactOptional(),
  variables: z.array(
    shapeOf<VariableDeclaration>()({
      key: text,
      type: z.enum(['string', 'number', 'boolean', 'object', 'array', 'json']),
      value: json.exactOptional(),
      requiresOverride: z.boolean().exactOptional(),
      description: text.exactOptional()
    })
  ),
  tools: z.array(
    shapeOf<ToolDescriptor>()({
      identity: text,
      name: text,
      description: text,
      inputSchema: data,
      effect,
      parallelSafe: z.boolean(),
      timeoutMs: positive,
      version: text
    })
  ),
  limits: shapeOf<Limits>()({
    maxTurns: positive.exactOptional(),
    maxToolCallsPerIteration: positive.exactOptional(),
    maxOutputBytes: positive.exactOptional(),
    maxInputBytes: positive.exactOptional(),
    providerTimeoutMs: positive.exactOptional(),
    toolTimeoutMs: positive.exactOptional(),
    runTimeoutMs: positive.exactOptional(),
    maxRepeatedCalls: positive.exactOptional(),
    maxRetries: count.exactOptional(),
    maxParallelCalls: positive.exactOptional()
  }),
  outputSchema: data.exactOptional()
})
