import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import type { Approval } from './contracts/approval.ts'
import type { Effect } from './contracts/fact.ts'
import type { Ms } from './contracts/ids.ts'
import type { JsonObject } from './contracts/json.ts'
import type { OptionNames } from './contracts/known-options.ts'
import { assertKnownOptions } from './contracts/known-options.ts'
import type { ApprovalFunction, OnUnknown, Reconciled, ReconcileContext, Tool, ToolContext, ToolNeeds } from './contracts/tool.ts'
import type { ToolInput } from './contracts/tool-input.ts'
import { isStandardSchema, toJsonSchema } from './manifest/standard-schema.ts'
import { checkToolFields, refuseTool } from './manifest/tool-fields.ts'

/** What describes the arguments of a tool: a Standard Schema that can give JSON Schema (zod 4.2 and later, …), or JSON Schema itself. */
export type ToolSchema = (StandardSchemaV1 & StandardJSONSchemaV1) | JsonObject

/** What `execute` is given: the output of a Standard Schema; with JSON Schema an object of unknown values, also of fields that it does not name. */
export type ToolArguments<Schema extends ToolSchema> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : { readonly [key: string]: unknown }

/** A tool as its author writes it. */
export interface ToolOptions<Schema extends ToolSchema> {
  /** What the model sees: letters, digits, `_` and `-`, at most 64, not beginning with a digit or `-`. */
  readonly name: string
  readonly description: string
  readonly input: Schema
  /** What a repeat does to the world outside. Default `once`: never started a second time, not even after a crash. */
  readonly effect?: Effect
  /** Whether it may run beside other calls of the same turn. Default true. */
  readonly parallelSafe?: boolean
  /** Default: the definition's limit `toolTimeoutMs`. */
  readonly timeoutMs?: Ms
  /** What of a result the model is shown at most, in UTF-16 units. */
  readonly maxResultLength?: number
  /** What of the machine it works with, at most: the contract is that of `Tool.needs`. */
  readonly needs?: ToolNeeds
  /** Changes when the tool's behaviour does. Default: the digest of its descriptor. */
  readonly version?: string
  /** Whether a call is held until a person or the host decides; a function judges the final arguments. Default: never. */
  readonly approval?: Approval | ApprovalFunction<ToolArguments<Schema>>
  /** Where nobody knows what became of a call: the model is told so, or a person is asked. Default `tell`. */
  readonly onUnknown?: OnUnknown
  /** Does it. The contract is that of `Tool.execute`. */
  execute(input: ToolArguments<Schema>, context: ToolContext): unknown
  /** Finds out what became of a `once` call whose process has died. The contract is that of `Tool.reconcile`. */
  reconcile?(key: string, context: ReconcileContext<ToolArguments<Schema>>): Reconciled | Promise<Reconciled>
}

/** A tool whose `execute` knows its input. Fits wherever a `Tool` of any input is taken. */
export interface TypedTool<Input> extends Tool<never> {
  execute(input: Input, context: ToolContext): unknown
}

const NAMES: OptionNames<ToolOptions<ToolSchema>> = {
  name: true,
  description: true,
  input: true,
  effect: true,
  parallelSafe: true,
  timeoutMs: true,
  maxResultLength: true,
  needs: true,
  version: true,
  approval: true,
  onUnknown: true,
  execute: true,
  reconcile: true
}

/**
 * Declares a tool: one action that a model may ask for.
 *
 * Throws `invalid_tools` (details: `tool`, `field`) when the name, a bound or the schema cannot be used, and (details: `option`) for a field that it does not have.
 */
export function defineTool<Schema extends ToolSchema>(options: ToolOptions<Schema>): TypedTool<ToolArguments<Schema>> {
  assertKnownOptions('defineTool', options, NAMES, 'invalid_tools')
  checkToolFields(options)
  const { reconcile } = options
  return Object.freeze({
    name: options.name,
    description: options.description,
    input: toToolInput(options.name, options.input),
    effect: options.effect ?? 'once',
    parallelSafe: options.parallelSafe ?? true,
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    ...(options.maxResultLength === undefined ? {} : { maxResultLength: options.maxResultLength }),
    ...(options.version === undefined ? {} : { version: options.version }),
    ...(options.needs === undefined ? {} : { needs: options.needs }),
    ...(options.approval === undefined ? {} : { approval: options.approval }),
    ...(options.onUnknown === undefined ? {} : { onUnknown: options.onUnknown }),
    execute: (input: ToolArguments<Schema>, context: ToolContext) => options.execute(input, context),
    ...(reconcile === undefined
      ? {}
      : { reconcile: (key: string, context: ReconcileContext<ToolArguments<Schema>>) => reconcile.call(options, key, context) })
  })
}

function toToolInput(tool: string, schema: unknown): ToolInput<never> {
  const jsonSchema = toObjectSchema(tool, schema)
  if (!isStandardSchema(schema)) return { kind: 'json', jsonSchema }
  // What the schema gives is what `execute` takes: the types of the caller say so.
  return { kind: 'standard', schema: schema as StandardSchemaV1<unknown, never>, jsonSchema }
}

function toObjectSchema(tool: string, schema: unknown): JsonObject {
  const converted = toJsonSchema(schema)
  if (!converted.ok) throw refuseTool(tool, 'input', converted.expected, schema, converted.cause)
  const type = converted.schema['type']
  if (type !== undefined && type !== 'object') throw refuseTool(tool, 'input', 'a schema of an object, as arguments have names', type)
  return type === undefined ? { type: 'object', ...converted.schema } : converted.schema
}
