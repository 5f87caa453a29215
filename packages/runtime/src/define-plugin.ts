import type { StandardSchemaV1 } from '@standard-schema/spec'
import { HoldfastError } from './contracts/errors.ts'
import type { JsonObject } from './contracts/json.ts'
import type { OptionNames } from './contracts/known-options.ts'
import { assertKnownOptions } from './contracts/known-options.ts'
import type { Plugin, PluginBounds, PluginParts } from './contracts/plugin.ts'
import type { StateKey } from './contracts/plugin-state.ts'
import type { ToolInput } from './contracts/tool-input.ts'
import type { ToolArguments, ToolSchema } from './define-tool.ts'
import { checkPlugin, STATE_KEY } from './manifest/plugin-declaration.ts'
import { isStandardSchema, toJsonSchema } from './manifest/standard-schema.ts'

/** A plugin as its author writes it. */
export interface PluginOptions<Schema extends ToolSchema> {
  /** What definitions name it by: letters, digits, `.`, `_` and `-`, at most 64. */
  readonly name: string
  /** Changes when the plugin's behaviour does. Default: the digest of what it declares here. */
  readonly version?: string
  /** What its options must be, an object. Default: it takes none. Secrets do not belong into them: they are published. */
  readonly options?: Schema
  /** What it gives at most: what `create` returns beyond that is refused. */
  readonly bounds: PluginBounds
  /** Gives the parts for the options of one definition. The contract is that of `Plugin.create`. */
  create(options: ToolArguments<Schema>): PluginParts
}

const NAMES: OptionNames<PluginOptions<ToolSchema>> = { name: true, version: true, options: true, bounds: true, create: true }

/**
 * Declares a plugin: tools, hooks, context, rules and state under one name, within declared bounds.
 *
 * Throws `invalid_input` (details: `plugin`, `field`) for a name, a schema or bounds that cannot be used.
 */
export function definePlugin<Schema extends ToolSchema = JsonObject>(given: PluginOptions<Schema>): Plugin {
  assertKnownOptions('definePlugin', given, NAMES)
  const { name, version, options, bounds, create } = given
  const plugin: Plugin = Object.freeze({
    name,
    ...(version === undefined ? {} : { version }),
    ...(options === undefined ? {} : { options: toInput(`Plugin "${name}": \`options\``, options) }),
    bounds,
    create: (read: unknown) => create.call(given, read as ToolArguments<Schema>)
  })
  checkPlugin({ ...plugin, create })
  return plugin
}

/** A Standard Schema that can give JSON Schema. */
type StateSchema = Extract<ToolSchema, StandardSchemaV1>

/**
 * Declares a value that a plugin keeps in each thread, read and written through `context.state` by its tools and hooks. The schema judges at once (not
 * asynchronously), and goes on to read what is kept already when it is changed.
 *
 * Throws `invalid_input` (details: `state`, `field`) for a key or a schema that cannot be used.
 */
export function defineState<Schema extends StateSchema>(
  key: string,
  options: { readonly schema: Schema; readonly initial: StandardSchemaV1.InferInput<Schema> }
): StateKey<StandardSchemaV1.InferInput<Schema>, StandardSchemaV1.InferOutput<Schema>>
/** The same with JSON Schema, which says nothing of the type: that is the one of the initial value. */
export function defineState<Value>(key: string, options: { readonly schema: JsonObject; readonly initial: Value }): StateKey<Value>
export function defineState(
  key: string,
  { schema, initial }: { readonly schema: ToolSchema; readonly initial: unknown }
): StateKey<unknown, unknown> {
  if (typeof key !== 'string' || !STATE_KEY.test(key)) {
    throw new HoldfastError('invalid_input', `State "${String(key).slice(0, 100)}": its key must be at most 64 letters, digits and "_".`, {
      details: { state: String(key).slice(0, 100), field: 'key' }
    })
  }
  return Object.freeze({ key, schema: toInput<unknown>(`State "${key}": \`schema\``, schema), initial })
}

function toInput<Output = never>(what: string, schema: unknown): ToolInput<Output> {
  const converted = toJsonSchema(schema)
  if (!converted.ok) {
    throw new HoldfastError('invalid_input', `${what} must be ${converted.expected}.`, {
      details: { field: 'schema' },
      ...(converted.cause === undefined ? {} : { cause: converted.cause })
    })
  }
  if (!isStandardSchema(schema)) return { kind: 'json', jsonSchema: converted.schema }
  return { kind: 'standard', schema: schema as StandardSchemaV1<unknown, Output>, jsonSchema: converted.schema }
}
