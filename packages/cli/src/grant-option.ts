import { resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import type { Config } from '@holdfast/config'
import type { GrantsInput } from '@holdfast/runtime'
import { Failure } from './failure.ts'
import { loadRuntime } from './libraries.ts'

/** One `--grant`: a field and one value of it. */
export interface GrantOption {
  readonly field: string
  readonly value: string
}

/** Reads `FIELD=VALUE`, and adds it to those before it. */
export function grant(text: string, before: readonly GrantOption[] = []): readonly GrantOption[] {
  const separator = text.indexOf('=')
  const field = text.slice(0, Math.max(0, separator))
  const value = text.slice(separator + 1).trim()
  if (!Object.hasOwn(FIELDS, field)) throw new InvalidArgumentError(`Expected FIELD=VALUE with one of ${Object.keys(FIELDS).join(', ')}.`)
  if (value === '') throw new InvalidArgumentError(`Expected a value behind ${field}=.`)
  return [...before, { field, value }]
}

/** Options that were kept. What cannot be read as one grants nothing. */
export function parseGrantOptions(value: unknown): readonly GrantOption[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((each: unknown) => {
    if (typeof each !== 'object' || each === null || !('field' in each) || !('value' in each)) return []
    const { field, value: said } = each
    return typeof field === 'string' && typeof said === 'string' && Object.hasOwn(FIELDS, field) ? [{ field, value: said }] : []
  })
}

/** Grants as somebody wrote them, with what an option adds. */
type Add = (grants: GrantsInput, value: string) => GrantsInput

const FIELDS: { readonly [field: string]: Add } = {
  'files.read': (grants, value) => ({ ...grants, files: { ...grants.files, read: withName(grants.files?.read, value) } }),
  'files.write': (grants, value) => ({ ...grants, files: { ...grants.files, write: withName(grants.files?.write, value) } }),
  network: (grants, value) => ({ ...grants, network: { ...grants.network, hosts: [...(grants.network?.hosts ?? []), value] } }),
  'network.private': (grants, value) => ({
    ...grants,
    network: {
      hosts: value === 'all' ? (grants.network?.hosts ?? []) : [...(grants.network?.hosts ?? []), value],
      private: withName(toNames(grants.network?.private), value)
    }
  }),
  env: (grants, value) => ({ ...grants, env: withName(grants.env, value) }),
  shell: (grants, value) => ({ ...grants, shell: value as NonNullable<GrantsInput['shell']> }),
  tools: (grants, value) => ({ ...grants, tools: withOnly(grants.tools, value) }),
  models: (grants, value) => ({ ...grants, models: withOnly(grants.models, value) }),
  connections: (grants, value) => ({ ...grants, connections: withOnly(grants.connections, value) }),
  definitions: (grants, value) => ({ ...grants, definitions: withOnly(grants.definitions, value) })
}

type Names = GrantsInput['env']

function withName(names: Names, value: string): NonNullable<Names> {
  return names === 'all' || value === 'all' ? 'all' : [...(names ?? []), value]
}

/** Names of what is there anyway: the first that is told narrows them. */
function withOnly(names: Names, value: string): NonNullable<Names> {
  return names === undefined || names === 'all' ? (value === 'all' ? 'all' : [value]) : withName(names, value)
}

function toNames(value: NonNullable<GrantsInput['network']>['private']): Names {
  return typeof value === 'boolean' ? [] : value
}

/** Options with folders made absolute. */
export function toAbsolute(options: readonly GrantOption[], cwd: string): readonly GrantOption[] {
  return options.map(({ field, value }) => {
    const isPath = field.startsWith('files.') && value !== 'all' && !/^[a-z][a-z0-9-]*:\//.test(value)
    return { field, value: isPath ? resolve(cwd, value) : value }
  })
}

/** A configuration with what was granted beside it. Throws `invalid_input`. */
export async function withGranted(config: Config, options: readonly GrantOption[]): Promise<Config> {
  if (options.length === 0) return config
  const { parseWrittenGrants } = await loadRuntime()
  const written = options.reduce<GrantsInput>((found, { field, value }) => FIELDS[field]?.(found, value) ?? found, config.grants ?? {})
  const parsed = parseWrittenGrants(written)
  if (parsed.ok) return { ...config, grants: parsed.value }
  const [fault] = parsed.faults
  const path = fault?.path.join('.') ?? ''
  throw new Failure('invalid_input', `What --grant says cannot be granted: ${path} must be ${fault?.expected ?? 'grants'}.`, {
    details: { path }
  })
}
