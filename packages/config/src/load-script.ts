import type { Script } from '@holdfast/runtime'
import { parseYaml } from '@holdfast/runtime'
import type { FieldTable } from '@holdfast/runtime/shapes'
import { checkShape } from '@holdfast/runtime/shapes'
import { toConfigError } from './config-faults.ts'
import { ScriptShape } from './script-shape.ts'
import { readText } from './text-file.ts'

/** Reads the file of a scripted model, YAML or JSON. Throws `file_not_found`, `file_unreadable` or `invalid_config`. */
export async function loadScript(path: string): Promise<Script> {
  return parseScript(await readText(path), path)
}

/** Reads the text of a scripted model. Throws `invalid_config` with everything that is wrong. */
export async function parseScript(text: string, file: string): Promise<Script> {
  const document = await parseYaml(text, file)
  if (document.value === undefined) throw toConfigError(document, [])
  const shape = checkShape(ScriptShape, SCRIPT_FIELDS, document.value)
  if (!shape.ok || document.errors.length > 0) throw toConfigError(document, shape.ok ? [] : shape.faults)
  return shape.data
}

const { element: turn } = ScriptShape.shape.turns

const SCRIPT_FIELDS: FieldTable = {
  '': { known: Object.keys(ScriptShape.shape), later: [] },
  'turns.*': { known: Object.keys(turn.shape), later: [] },
  'turns.*.toolCalls.*': { known: ['name', 'arguments'], later: [] },
  'turns.*.usage': { known: Object.keys(turn.shape.usage.unwrap().shape), later: [] },
  'turns.*.error': { known: Object.keys(turn.shape.error.unwrap().shape), later: [] }
}
