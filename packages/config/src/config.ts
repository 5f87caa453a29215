import type { JsonObject, ModelPrice, ModelSettings } from '@holdfast/runtime'

/** A secret, by the name of the environment variable that holds it: never the secret itself. */
export interface SecretReference {
  readonly env: string
}

/** How a provider is reached. */
export type ProviderConfig =
  | { readonly driver: 'openai'; readonly api?: 'responses' | 'chat'; readonly apiKey?: SecretReference; readonly baseURL?: string }
  | {
      readonly driver: 'anthropic' | 'google' | 'xai' | 'groq' | 'cohere'
      readonly apiKey?: SecretReference
      readonly baseURL?: string
    }
  | { readonly driver: 'openai-compatible'; readonly apiKey?: SecretReference; readonly baseURL: string }
  | { readonly driver: 'scripted' }

/** A model under a name of its own. */
export interface ModelProfile {
  readonly provider: string
  readonly model: string
  /** Keyed by provider; what a definition says wins. */
  readonly options?: JsonObject
  readonly settings?: ModelSettings
  /** What the model costs, above what the runtime knows. */
  readonly prices?: Omit<ModelPrice, 'window' | 'maxOutput'>
}

/** What `holdfast.config.yaml` says. */
export interface Config {
  /** The file it came from; absent when there is none. */
  readonly file?: string
  readonly providers: { readonly [name: string]: ProviderConfig }
  readonly models: { readonly [ref: string]: ModelProfile }
  /** Paths of modules with tools, relative to the file. */
  readonly tools: readonly string[]
  /** Path or URL of the store, relative to the file. */
  readonly store?: string | SecretReference
}

/** The configuration of a folder that has no file for it: the built-in providers alone. */
export const NO_CONFIG: Config = { providers: {}, models: {}, tools: [] }
