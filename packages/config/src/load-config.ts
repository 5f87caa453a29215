import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HoldfastError, nearest, parseYaml } from '@holdfast/runtime'
import { BUILT_IN_PROVIDERS } from './built-in-providers.ts'
import type { Config, ProviderConfig } from './config.ts'
import type { ConfigFault, FieldTable } from './config-faults.ts'
import { toConfigError, toConfigFaults } from './config-faults.ts'
import { CONFIG_FIELDS, ConfigShape, PROVIDER_SHAPES } from './config-shape.ts'
import type { Fields } from './fields.ts'
import { isFields } from './fields.ts'

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
  const parsed = ConfigShape.safeParse(document.value)
  const providers = readProviders(document.value)
  const faults = [
    ...(parsed.success ? [] : toConfigFaults(document.value, parsed.error.issues, CONFIG_FIELDS)),
    ...providers.faults,
    ...(parsed.success ? findUnknownProviders(parsed.data.models ?? {}, providers.found) : [])
  ]
  if (!parsed.success || faults.length > 0 || document.errors.length > 0) throw toConfigError(document, faults)
  const { models = {}, tools = [], store } = parsed.data
  return { file, providers: providers.found, models, tools, ...(store !== undefined && { store }) }
}

/** Reads a text file. Throws `file_not_found` or `file_unreadable`. */
export async function readText(path: string): Promise<string> {
  try {
    const bytes = await readFile(path)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')
    const message = missing ? `There is no file ${path}.` : `The file ${path} cannot be read as UTF-8 text.`
    throw new HoldfastError(missing ? 'file_not_found' : 'file_unreadable', message, { details: { file: path }, cause })
  }
}

const DRIVERS = Object.keys(PROVIDER_SHAPES)
const NO_FAULTS: readonly ConfigFault[] = []

type Providers = { readonly found: { readonly [name: string]: ProviderConfig }; readonly faults: readonly ConfigFault[] }

function readProviders(value: unknown): Providers {
  const given = isFields(value) && isFields(value['providers']) ? Object.entries(value['providers']) : []
  const found: { [name: string]: ProviderConfig } = {}
  const faults: ConfigFault[] = []
  for (const [name, provider] of given) {
    // What is no object is told by the shape of the file.
    if (!isFields(provider)) continue
    const read = readProvider(name, provider)
    if ('faults' in read) faults.push(...read.faults)
    else found[name] = read
  }
  return { found, faults }
}

function readProvider(name: string, provider: Fields): ProviderConfig | { readonly faults: readonly ConfigFault[] } {
  const path = ['providers', name]
  // A provider that is called like a driver is of that driver.
  const driver = provider['driver'] ?? (DRIVERS.includes(name) ? name : undefined)
  const shape =
    typeof driver === 'string' && Object.hasOwn(PROVIDER_SHAPES, driver)
      ? PROVIDER_SHAPES[driver as keyof typeof PROVIDER_SHAPES]
      : undefined
  if (!shape) return { faults: [toDriverFault(path, driver)] }
  const whole = { ...provider, driver }
  const parsed = shape.safeParse(whole)
  if (parsed.success) return parsed.data
  const fields: FieldTable = {
    'providers.*': { known: Object.keys(shape.shape), later: [] },
    'providers.*.apiKey': { known: ['env'], later: [] }
  }
  return { faults: toConfigFaults(whole, parsed.error.issues, fields, path) }
}

function toDriverFault(around: readonly string[], driver: unknown): ConfigFault {
  const expected = `one of ${DRIVERS.join(', ')}`
  const path = driver === undefined ? around : [...around, 'driver']
  if (typeof driver !== 'string') return { code: 'missing', path, message: 'this provider has no driver', expected }
  const [nearMiss] = nearest(driver, DRIVERS)
  return { code: 'invalid', path, message: 'there is no such driver', expected, ...(nearMiss !== undefined && { nearMiss }) }
}

function findUnknownProviders(models: Config['models'], providers: Providers['found']): readonly ConfigFault[] {
  const names = [...Object.keys(providers), ...BUILT_IN_PROVIDERS]
  return Object.entries(models).flatMap(([ref, { provider }]) => {
    if (names.includes(provider)) return NO_FAULTS
    const [nearMiss] = nearest(provider, names)
    const fault: ConfigFault = {
      code: 'invalid',
      path: ['models', ref, 'provider'],
      message: 'there is no such provider',
      expected: `one of ${names.join(', ')}`
    }
    return [{ ...fault, ...(nearMiss !== undefined && { nearMiss }) }]
  })
}
