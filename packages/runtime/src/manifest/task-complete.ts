import type { Json, JsonObject } from '../contracts/json.ts'
import type { ToolDescriptor } from '../contracts/publication.ts'
import { digestJson } from '../util/canonical.ts'
import { TASK_COMPLETE_NAME } from './tool-registry.ts'

/** Keywords whose values are data and no schemas. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])

/** The built-in tool with which a run ends itself. Its result is what the output schema says, or anything. */
export function toTaskComplete(outputSchema: JsonObject | undefined, timeoutMs: number): ToolDescriptor {
  const descriptor = {
    identity: `agent:${TASK_COMPLETE_NAME}`,
    name: TASK_COMPLETE_NAME,
    description: 'Ends the run with its result. Call it once, when the task is done.',
    inputSchema: toInputSchema(outputSchema),
    effect: 'read',
    parallelSafe: true
  } as const
  return { ...descriptor, timeoutMs, version: digestJson(descriptor) }
}

function toInputSchema(outputSchema: JsonObject | undefined): JsonObject {
  const { $schema, ...result } = outputSchema ?? { description: 'The result of the task.' }
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    properties: { result: Object.hasOwn(result, '$id') ? result : rebase(result) },
    required: ['result'],
    additionalProperties: false
  }
}

/** The schema with its references to its own parts, which now stand deeper. */
function rebase(schema: Json): Json {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map(rebase)
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === '$ref' && typeof value === 'string' && /^#(?:\/|$)/.test(value)) return [key, `#/properties/result${value.slice(1)}`]
      return [key, DATA_KEYWORDS.has(key) ? value : rebase(value)]
    })
  )
}
