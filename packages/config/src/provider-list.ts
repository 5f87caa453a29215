import type { BuiltInProvider } from './built-in-providers.ts'
import { BUILT_IN, BUILT_IN_PROVIDERS } from './built-in-providers.ts'
import type { Config, ProviderConfig } from './config.ts'

/** A provider as a person wants to see it: where it is, and which key it needs. Nothing secret. */
export interface ProviderInfo {
  readonly name: string
  readonly driver: ProviderConfig['driver']
  /** Whether the configuration has an entry for it; the others are there by themselves. */
  readonly configured: boolean
  /** Where requests go; absent for scripts. */
  readonly baseURL?: string
  /** The environment variable that its key is taken from, and whether that holds something. Absent when no key is needed. */
  readonly key?: { readonly env: string; readonly isSet: boolean }
}

/** The providers that a configuration has and those that need no entry, in this order. Loads no provider and reads no key. */
export function listProviders(
  config: Config,
  { env }: { readonly env: { readonly [name: string]: string | undefined } }
): readonly ProviderInfo[] {
  const others = BUILT_IN_PROVIDERS.filter((name) => !Object.hasOwn(config.providers, name))
  return [
    ...Object.entries(config.providers).map(([name, provider]) => describe(name, provider, true, env)),
    ...others.map((name) => describe(name, { driver: name }, false, env))
  ]
}

type Env = { readonly [name: string]: string | undefined }

function describe(name: string, provider: ProviderConfig, configured: boolean, env: Env): ProviderInfo {
  const { driver } = provider
  if (driver === 'scripted') return { name, driver, configured }
  if (driver === 'openai-compatible') {
    return { name, driver, configured, baseURL: provider.baseURL, ...(provider.apiKey && { key: toKey(provider.apiKey.env, env) }) }
  }
  const builtIn: BuiltInProvider = BUILT_IN[driver]
  const named = builtIn.variable === undefined ? '' : (env[builtIn.variable]?.trim() ?? '')
  return {
    name,
    driver,
    configured,
    // An address that holds a password is refused when it is used; it is not shown.
    baseURL: provider.baseURL ?? (named === '' ? builtIn.address : `{ env: ${builtIn.variable} }`),
    key: toKey(provider.apiKey?.env ?? builtIn.key, env)
  }
}

function toKey(name: string, env: Env): NonNullable<ProviderInfo['key']> {
  return { env: name, isSet: (env[name]?.trim() ?? '') !== '' }
}
