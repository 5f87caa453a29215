import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Json } from '../contracts/json.ts'
import type { Tool } from '../contracts/tool.ts'
import { copyJson } from '../util/copy-json.ts'
import { cutText } from '../util/well-formed.ts'
import { compileSchema } from './json-schema.ts'
import type { SchemaPlace } from './schema-errors.ts'
import { renderPlaces } from './schema-errors.ts'

/** The input that a tool is given, or where its arguments are wrong: a bounded text that a model can read. */
export type CheckedArguments =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly errors: string; readonly places: readonly SchemaPlace[] }

/** Checks the arguments of one tool. Never throws or rejects; a promise only where the tool's own schema gives one. */
export type ArgumentsValidator = (raw: Json) => CheckedArguments | Promise<CheckedArguments>

/**
 * The check of a tool's arguments. The input is what a Standard Schema gives (defaults, transforms), or with JSON Schema a copy of the arguments:
 * whatever the tool does to it, what is recorded and digested stays the raw arguments.
 */
export async function createArgumentsValidator({ input }: Pick<Tool, 'input'>): Promise<ArgumentsValidator> {
  if (input.kind === 'standard') {
    const { schema } = input
    return (raw) => validateStandard(schema, copyJson(raw))
  }
  const validate = await compileSchema(input.jsonSchema)
  return (raw) => {
    const checked = validate(raw)
    return checked.ok ? { ok: true, input: copyJson(raw) } : checked
  }
}

function validateStandard(schema: StandardSchemaV1, value: unknown): CheckedArguments | Promise<CheckedArguments> {
  try {
    const result = schema['~standard'].validate(value)
    return result instanceof Promise ? result.then(toChecked, toFailed) : toChecked(result)
  } catch (error) {
    return toFailed(error)
  }
}

function toChecked(result: StandardSchemaV1.Result<unknown>): CheckedArguments {
  if (result.issues === undefined) return { ok: true, input: result.value }
  const places = result.issues.map(({ message, path }) => ({ pointer: toPointer(path ?? []), expected: message }))
  return { ok: false, errors: renderPlaces(places), places }
}

function toFailed(error: unknown): CheckedArguments {
  const reason = error instanceof Error ? error.message : 'unknown reason'
  const errors = cutText(`The arguments cannot be checked: ${reason}`, 2_000)
  return { ok: false, errors, places: [{ pointer: '', expected: errors }] }
}

function toPointer(path: readonly (PropertyKey | StandardSchemaV1.PathSegment)[]): string {
  return path
    .map(
      (part) =>
        `/${String(typeof part === 'object' ? part.key : part)
          .replaceAll('~', '~0')
          .replaceAll('/', '~1')}`
    )
    .join('')
}
