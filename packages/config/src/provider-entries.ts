import { nearest } from '@holdfast/runtime'
import { checkShape } from '@holdfast/runtime/shapes'
import type { ProviderConfig } from './config.ts'
import type { ConfigFault } from './config-faults.ts'
import type { Fields } from './fields.ts'
import { isFields } from './fields.ts'
import { PROVIDER_SHAPES } from './provider-shape.ts'

/** The providers of a document, and what is wrong with the others. */
export interface ProviderEntries {
  readonly found: { readonly [name: string]: ProviderConfig }
  readonly faults: readonly ConfigFault[]
}

const DRIVERS = Object.keys(PROVIDER_SHAPES)

/** Reads the providers of a document, each by the shape of its driver. */
export function readProviderEntries(value: unknown): ProviderEntries {
  const given = isFields(value) && isFields(value['providers']) ? Object.entries(value['providers']) : []
  const found: { [name: string]: ProviderConfig } = {}
  const faults: ConfigFault[] = []
  for (const [name, provider] of given) {
    // What is no object is told by the shape of the file.
    if (!isFields(provider)) continue
    const read = readEntry(name, provider)
    if (read.ok) found[name] = read.data
    else faults.push(...read.faults)
  }
  return { found, faults }
}

function readEntry(name: string, provider: Fields) {
  const around = ['providers', name]
  // A provider that is called like a driver is of that driver.
  const driver = provider['driver'] ?? (DRIVERS.includes(name) ? name : undefined)
  const shape =
    typeof driver === 'string' && Object.hasOwn(PROVIDER_SHAPES, driver)
      ? PROVIDER_SHAPES[driver as keyof typeof PROVIDER_SHAPES]
      : undefined
  if (!shape) return { ok: false, faults: [toDriverFault(around, driver)] } as const
  const fields = {
    'providers.*': { known: Object.keys(shape.shape), later: [] },
    'providers.*.apiKey': { known: ['env'], later: [] }
  }
  return checkShape<ProviderConfig>(shape, fields, { ...provider, driver }, { around, what: 'the configuration' })
}

function toDriverFault(around: readonly string[], driver: unknown): ConfigFault {
  const expected = `one of ${DRIVERS.join(', ')}`
  if (driver === undefined) return { code: 'missing', path: around, message: 'this provider has no driver', expected }
  const [nearMiss] = typeof driver === 'string' ? nearest(driver, DRIVERS) : []
  const path = [...around, 'driver']
  return { code: 'invalid', path, message: 'there is no such driver', expected, ...(nearMiss !== undefined && { nearMiss }) }
}
