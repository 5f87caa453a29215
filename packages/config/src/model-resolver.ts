import type { LanguageModel, ModelCandidate, ModelReference, ModelResolver } from '@holdfast/runtime'
import { HoldfastError, nearest } from '@holdfast/runtime'
import { BUILT_IN_PROVIDERS } from './built-in-providers.ts'
import type { Config, ModelProfile, ProviderConfig } from './config.ts'
import type { DriverContext } from './drivers.ts'
import { createModel } from './drivers.ts'
import { withCapabilities } from './model-capabilities.ts'
import { withDefaults } from './model-defaults.ts'
import { registerSecrets } from './secrets.ts'

/** What a resolver works with. */
export type ModelResolverOptions = DriverContext

/**
 * Finds models by `{ provider, model }` or by the profile that `{ ref }` names; the options and settings of a profile are defaults of
 * its model. A provider's package is loaded, and its key looked up, when one of its models is asked for. The same reference gives the same model.
 * With `secrets` the keys that are set are registered at once, before anything that may hold one is taken.
 *
 * The resolver throws `model_unknown`, `secret_missing` (naming the variable), and for scripted models `file_not_found` and `invalid_config`.
 */
export function createModelResolver(config: Config, options: ModelResolverOptions): ModelResolver {
  const { env, secrets } = options
  if (secrets) registerSecrets(config, { env, secrets })
  const made = new Map<string, Promise<LanguageModel>>()
  const make = (provider: string, model: string): Promise<LanguageModel> => {
    const key = JSON.stringify([provider, model])
    const known = made.get(key)
    if (known !== undefined) return known
    const fresh = createModel(provider, findProvider(config, provider), model, options)
    made.set(key, fresh)
    // What is missing now may be there at the next try.
    fresh.catch(() => made.delete(key))
    return fresh
  }
  const resolve = async (reference: ModelReference): Promise<LanguageModel> => {
    if (!('ref' in reference)) return make(reference.provider, reference.model)
    const profile = findProfile(config, reference)
    const model = withCapabilities(await make(profile.provider, profile.model), reference.ref, profile.capabilities)
    return withDefaults(model, profile)
  }
  return Object.assign(resolve, { fallbacksOf: (reference: ModelReference) => findFallbacks(config, reference) })
}

/** The reference's own, else those of its profile; the profiles of these are not asked for theirs. Throws when nothing is known of one. */
function findFallbacks(config: Config, reference: ModelReference): readonly ModelCandidate[] {
  const named = 'ref' in reference && Object.hasOwn(config.models, reference.ref) ? config.models[reference.ref] : undefined
  const fallbacks = reference.fallbacks ?? named?.fallbacks ?? []
  for (const fallback of fallbacks) {
    if ('ref' in fallback) findProfile(config, fallback)
    else findProvider(config, fallback.provider)
  }
  return fallbacks
}

function findProfile(config: Config, { ref }: { readonly ref: string }): ModelProfile {
  const profile = Object.hasOwn(config.models, ref) ? config.models[ref] : undefined
  if (profile) return profile
  throw unknown('model profile', ref, Object.keys(config.models), config)
}

function findProvider(config: Config, name: string): ProviderConfig {
  const configured = Object.hasOwn(config.providers, name) ? config.providers[name] : undefined
  if (configured) return configured
  const driver = BUILT_IN_PROVIDERS.find((builtIn) => builtIn === name)
  if (driver) return { driver }
  throw unknown('provider', name, [...new Set([...Object.keys(config.providers), ...BUILT_IN_PROVIDERS])], config)
}

function unknown(what: string, name: string, known: readonly string[], { file }: Config): HoldfastError {
  const [nearMiss] = nearest(name, known)
  const meant = nearMiss === undefined ? '' : ` Did you mean "${nearMiss}"?`
  const where = file === undefined ? 'there is no configuration file' : `${file} has`
  const has = `${where}${file === undefined ? '; built in are' : ''}: ${known.join(', ') || 'none'}`
  return new HoldfastError('model_unknown', `There is no ${what} "${name}".${meant} (${has})`, {
    details: { name, known: [...known], ...(nearMiss !== undefined && { nearMiss }) }
  })
}
