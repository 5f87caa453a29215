import type { LanguageModel, ModelCandidate, ModelReference, ModelResolver } from '@holdfast/runtime'
import { HoldfastError, nearest, toPlacedError } from '@holdfast/runtime'
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
 * The resolver throws `model_unknown`, `secret_missing` (naming the variable), and for scripted models `file_not_found` and `invalid_config`; what a
 * profile is the cause of with its place in the configuration (`details.place`).
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
    const made = await make(profile.provider, profile.model).catch((error: unknown) => {
      throw atProfile(error, reference.ref, config)
    })
    return withDefaults(withCapabilities(made, reference.ref, profile.capabilities), profile)
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

/** What is missing for a profile, where the configuration names it. */
function atProfile(error: unknown, ref: string, config: Config): unknown {
  const profile = config.models[ref]
  if (!(error instanceof HoldfastError) || profile === undefined) return error
  const provider = Object.hasOwn(config.providers, profile.provider) ? config.providers[profile.provider] : undefined
  if (!('variable' in error.details)) return toPlacedError(error, config, ['models', ref, 'model'])
  const hasKey = provider !== undefined && 'apiKey' in provider && provider.apiKey !== undefined
  return toPlacedError(error, config, hasKey ? ['providers', profile.provider, 'apiKey'] : ['models', ref, 'provider'])
}

function findProfile(config: Config, { ref }: { readonly ref: string }): ModelProfile {
  const profile = Object.hasOwn(config.models, ref) ? config.models[ref] : undefined
  if (profile) return profile
  const known = Object.keys(config.models)
  throw unknown('model profile', ref, known, config.file === undefined ? WITHOUT_FILE : `${config.file} has ${known.join(', ') || 'none'}`)
}

function findProvider(config: Config, name: string): ProviderConfig {
  const configured = Object.hasOwn(config.providers, name) ? config.providers[name] : undefined
  if (configured) return configured
  const driver = BUILT_IN_PROVIDERS.find((builtIn) => builtIn === name)
  if (driver) return { driver }
  const own = Object.keys(config.providers).filter((each) => !BUILT_IN_PROVIDERS.some((builtIn) => builtIn === each))
  const more =
    config.file === undefined ? 'there is no configuration file for others' : `${config.file} has ${own.join(', ') || 'no others'}`
  throw unknown('provider', name, [...own, ...BUILT_IN_PROVIDERS], `built in are ${BUILT_IN_PROVIDERS.join(', ')}; ${more}`)
}

const WITHOUT_FILE = `there is no configuration file. Without one a model is { provider, model }, its provider one of ${BUILT_IN_PROVIDERS.join(', ')}`

function unknown(what: string, name: string, known: readonly string[], has: string): HoldfastError {
  const [nearMiss] = nearest(name, known)
  const meant = nearMiss === undefined ? '' : ` Did you mean "${nearMiss}"?`
  return new HoldfastError('model_unknown', `There is no ${what} "${name}": ${has}.${meant}`, {
    details: { name, known: [...known], ...(nearMiss !== undefined && { nearMiss }) }
  })
}
