import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { JsonObject } from './json.ts'

/** How a value that comes from outside is described, such as a tool's arguments: a Standard Schema that can give JSON Schema, or JSON Schema itself. */
export type ToolInput<Input> =
  | { readonly kind: 'standard'; readonly schema: StandardSchemaV1<unknown, Input>; readonly jsonSchema: JsonObject }
  | { readonly kind: 'json'; readonly jsonSchema: JsonObject }
