import type { Json, JsonObject } from '../contracts/json.ts'
import type { Tool, ToolContext } from '../contracts/tool.ts'
import type { ToolInput } from '../contracts/tool-input.ts'

/** A tool that knows its input, and is taken wherever a `Tool` of any input is. */
export interface InputTool<Input> extends Tool<never> {
  execute(input: Input, context: ToolContext): unknown
}

/** The input of a tool by its properties; those in `required` must be given, others than these must not. */
export function toObjectInput<Input>(
  required: readonly (keyof Input & string)[],
  properties: { readonly [name in keyof Input]-?: JsonObject }
): ToolInput<never> {
  const jsonSchema: { readonly [key: string]: Json } = { type: 'object', properties, required, additionalProperties: false }
  return { kind: 'json', jsonSchema }
}
