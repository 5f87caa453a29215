import { resolve } from 'node:path'
import type { LanguageModel, SecretRegistry } from '@holdfast/runtime'
import { HoldfastError, scriptedModel } from '@holdfast/runtime'
import type { BuiltInProvider } from './built-in-providers.ts'
import { BUILT_IN } from './built-in-providers.ts'
import type { ProviderConfig, SecretReference } from './config.ts'
import { isPlainUrl, URL_WANTED } from './provider-shape.ts'
import { loadAnthropic, loadCohere, loadGoogle, loadGroq, loadOpenAI, loadOpenAICompatible, loadXai } from './libraries.ts'
import { loadScript } from './load-script.ts'
import { withDefaults } from './model-defaults.ts'
import type { ProviderFetchOptions } from './provider-fetch.ts'
import { createProviderFetch } from './provider-fetch.ts'

/** What a driver works with. */
export interface DriverContext {
  readonly env: { readonly [name: string]: string | undefined }
  /** The folder that paths of scripts are relative to. */
  readonly baseDir: string
  readonly fetch?: typeof globalThis.fetch
  /** Takes every key that is looked up. Give the same registry to the runtime, which keeps the values out of what it stores and shows. */
  readonly secrets?: SecretRegistry
}

/** Makes a model of a provider. Throws `secret_missing`, and for scripts what reading a file throws. */
export async function createModel(provider: string, config: ProviderConfig, model: string, context: DriverContext): Promise<LanguageModel> {
  switch (config.driver) {
    case 'openai': {
      const reached = toAddress(provider, config, context, BUILT_IN.openai)
      const { createOpenAI } = await loadOpenAI()
      if (config.api === 'chat') return createOpenAI(withFetch(reached, 'chat', context)).chat(model)
      return withDefaults(createOpenAI(withFetch(reached, 'other', context)).responses(model), OWN_HISTORY.openai)
    }
    case 'anthropic': {
      const reached = toAddress(provider, config, context, BUILT_IN.anthropic)
      const { createAnthropic } = await loadAnthropic()
      return createAnthropic(withFetch(reached, 'messages', context)).languageModel(model)
    }
    case 'google': {
      const reached = toAddress(provider, config, context, BUILT_IN.google)
      const { createGoogle } = await loadGoogle()
      return createGoogle(withFetch(reached, 'other', context)).languageModel(model)
    }
    case 'xai': {
      const reached = toAddress(provider, config, context, BUILT_IN.xai)
      const { createXai } = await loadXai()
      return withDefaults(createXai(withFetch(reached, 'xai', context)).responses(model), OWN_HISTORY.xai)
    }
    case 'groq': {
      const reached = toAddress(provider, config, context, BUILT_IN.groq)
      const { createGroq } = await loadGroq()
      return createGroq(withFetch(reached, 'chat', context)).languageModel(model)
    }
    case 'cohere': {
      const reached = toAddress(provider, config, context, BUILT_IN.cohere)
      const { createCohere } = await loadCohere()
      return createCohere(withFetch(reached, 'cohere', context)).languageModel(model)
    }
    case 'openai-compatible': {
      const apiKey = config.apiKey && readSecret(provider, config.apiKey.env, context)
      const { createOpenAICompatible } = await loadOpenAICompatible()
      const reached = { baseURL: config.baseURL, ...(apiKey !== undefined && { apiKey }) }
      return createOpenAICompatible({ name: provider, includeUsage: true, ...withFetch(reached, 'chat', context) }).chatModel(model)
    }
    case 'scripted':
      return scriptedModel(await loadScript(resolve(context.baseDir, model)), { modelId: model })
  }
}

// The log is the authority: what a provider keeps by itself is gone after a month, and a thread may be older. Options may say otherwise.
const OWN_HISTORY = { openai: { options: { openai: { store: false } } }, xai: { options: { xai: { store: false } } } }

interface Reached {
  readonly baseURL: string
  readonly apiKey: string
}

function toAddress(
  provider: string,
  config: { readonly apiKey?: SecretReference; readonly baseURL?: string },
  context: DriverContext,
  builtIn: BuiltInProvider
): Reached {
  // The address is always given: else the package would read one from the environment of the process by itself.
  const baseURL = config.baseURL ?? readAddress(builtIn.variable, context) ?? builtIn.address
  return { baseURL, apiKey: readSecret(provider, config.apiKey?.env ?? builtIn.key, context) }
}

function readAddress(variable: string | undefined, { env }: DriverContext): string | undefined {
  const value = variable === undefined ? '' : (env[variable]?.trim() ?? '')
  if (value === '') return undefined
  if (!isPlainUrl(value)) {
    throw new HoldfastError('invalid_config', `The environment variable ${variable} must hold ${URL_WANTED}.`, {
      details: { variable: variable ?? '' }
    })
  }
  const url = new URL(value)
  // Anthropic's own clients add the version themselves.
  return variable === 'ANTHROPIC_BASE_URL' && url.pathname === '/' ? `${url.origin}/v1` : value
}

function withFetch<T extends { readonly apiKey?: string }>(reached: T, format: ProviderFetchOptions['format'], context: DriverContext) {
  const { apiKey } = reached
  const isLookedFor = apiKey !== undefined && context.secrets?.has(apiKey) === true
  return { ...reached, fetch: createProviderFetch({ format, secret: apiKey, isLookedFor, fetch: context.fetch }) }
}

function readSecret(provider: string, variable: string, { env, secrets }: DriverContext): string {
  const value = env[variable]?.trim() ?? ''
  const details = { provider, variable }
  if (value === '') {
    throw new HoldfastError(
      'secret_missing',
      `The provider ${provider} needs its key in the environment variable ${variable}, which is not set.`,
      { details }
    )
  }
  // The error of a header that cannot be sent would quote the key.
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new HoldfastError(
      'invalid_config',
      `The environment variable ${variable} holds characters that no key has: spaces, line ends or others.`,
      { details }
    )
  }
  secrets?.add(variable, value)
  return value
}
