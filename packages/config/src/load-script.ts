import type { Script } from '@holdfast/runtime'
import { parseYaml } from '@holdfast/runtime'
import type { FieldTable } from './config-faults.ts'
import { toConfigError, toConfigFaults } from './config-faults.ts'
import { ScriptShape } from './config-shape.ts'
import { readText } from './load-config.ts'

/** Reads the file of a scripted model, YAML or JSON. Throws `file_not_found`, `file_unreadable` or `invalid_config`. */
export async function loadScript(path: string): Promise<Script> {
  return parseScript(await readText(path), path)
}

/** Reads the text of a scripted model. Throws `invalid_config` with everything that is wrong. */
export async function parseScript(text: string, file: string): Promise<Script> {
  const document = await parseYaml(text, file)
  if (document.value === undefined) throw toConfigError(document, [])
  const parsed = ScriptShape.safeParse(document.value)
  const faults = parsed.success ? [] : toConfigFaults(document.value, parsed.error.issues, SCRIPT_FIELDS)
  if (!parsed.success || document.errors.length > 0) throw toConfigError(document, faults)
  return parsed.data
}

const { element: turn } = ScriptShape.shape.turns

const SCRIPT_FIELDS: FieldTable = {
  '': { known: Object.keys(ScriptShape.shape), later: [] },
  'turns.*': { known: Object.keys(turn.shape), later: [] },
  'turns.*.toolCalls.*': { known: ['name', 'arguments'], later: [] },
  'turns.*.usage': { known: Object.keys(turn.shape.usage.unwrap().shape), later: [] },
  'turns.*.error': { known: Object.keys(turn.shape.error.unwrap().shape), later: [] }
}
