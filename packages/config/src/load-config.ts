import { join } from 'node:path'
import { HoldfastError, parseYaml } from '@holdfast/runtime'
import { checkShape, noteSource } from '@holdfast/runtime/shapes'
import type { Config } from './config.ts'
import { readAuthority } from './config-authority.ts'
import { findConfigFaults } from './config-checks.ts'
import { toConfigError } from './config-faults.ts'
import { CONFIG_FIELDS, ConfigShape } from './config-shape.ts'
import { isFields } from './fields.ts'
import { readProviderEntries } from './provider-entries.ts'
import { readText } from './text-file.ts'

/** The names under which a configuration is looked for, in this order. */
export const CONFIG_FILES = ['holdfast.config.yaml', 'holdfast.config.yml', 'holdfast.config.json'] as const

/** Reads a configuration file. Throws `file_not_found`, `file_unreadable`, or `invalid_config` with everything that is wrong. */
export async function loadConfig(path: string): Promise<Config> {
  return parseConfig(await readText(path), path)
}

/** Reads the configuration file of a folder, or gives null when it has none. Throws as `loadConfig`. */
export async function findConfig(folder: string): Promise<Config | null> {
  for (const name of CONFIG_FILES) {
    try {
      return await loadConfig(join(folder, name))
    } catch (error) {
      if (!(error instanceof HoldfastError && error.code === 'file_not_found')) throw error
    }
  }
  return null
}

/**
 * Reads the text of a configuration file, YAML or (by its name) JSON. Throws `invalid_config`: `details.problems` has file, line, column, path, what
 * was expected and near misses of all that is wrong.
 */
export async function parseConfig(text: string, file: string): Promise<Config> {
  const document = await parseYaml(text, file)
  if (document.value === undefined) throw toConfigError(document, [])
  const shape = checkShape(ConfigShape, CONFIG_FIELDS, document.value, { what: 'the configuration' })
  const providers = readProviderEntries(document.value)
  const authority = readAuthority(isFields(document.value) ? document.value : {})
  const told = [...providers.faults, ...authority.faults]
  if (!shape.ok) throw toConfigError(document, [...shape.faults, ...told])
  const { version: _, models = {}, tools = [], grants: _grants, permissions: _permissions, ...rest } = shape.data
  const config: Config = { file, ...rest, ...authority.found, providers: providers.found, models, tools }
  const faults = [...told, ...findConfigFaults(config, Object.keys(shape.data.providers ?? {}))]
  if (faults.length > 0 || document.errors.length > 0) throw toConfigError(document, faults)
  noteSource(config, document)
  return config
}
