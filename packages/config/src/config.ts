import type { Grants, JsonObject, ModelCandidate, ModelPrice, ModelSettings, PermissionRule } from '@holdfast/runtime'

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

/** What a model can do and how much fits into it, by whoever wrote the configuration. What is left out is not held against it. */
export interface ModelCapabilities {
  /** False: an agent with tools is refused before the model is asked. */
  readonly tools?: boolean
  /** False: so is a conversation with an image in it. */
  readonly images?: boolean
  /** False: so is one with another file. */
  readonly files?: boolean
  /** How many tokens a conversation may have, above what the runtime knows. */
  readonly contextWindow?: number
  /** How many tokens an answer may have, above what the runtime knows; more than that cannot be asked for. */
  readonly maxOutputTokens?: number
}

/** A model under a name of its own. */
export interface ModelProfile {
  readonly provider: string
  readonly model: string
  /** Keyed by provider; what a definition says wins. */
  readonly options?: JsonObject
  readonly settings?: ModelSettings
  /** Models that stand in, in their order, where this one cannot answer. What a definition lists wins. */
  readonly fallbacks?: readonly ModelCandidate[]
  /** What the model costs, above what the runtime knows. */
  readonly prices?: Omit<ModelPrice, 'window' | 'maxOutput'>
  readonly capabilities?: ModelCapabilities
}

/** Who is told that a run waits for a person: a program of this machine, or whoever is behind a URL. */
export type WaitNotice =
  | { readonly command: readonly string[] }
  | {
      /** A reference where the URL itself is a secret. */
      readonly webhook: string | SecretReference
      /** What requests are signed with. */
      readonly secret?: SecretReference
    }

/** How a runtime works: options of `createRuntime`. */
export interface EngineConfig {
  /** How many threads are driven at once. */
  readonly concurrency?: number
  /** How long a dead owner blocks its threads, in milliseconds. */
  readonly leaseMs?: number
  /** How often in a row a thread may lose its owner without getting on, before it waits for a person. */
  readonly crashBudget?: number
}

/** What `holdfast.config.yaml` says. */
export interface Config {
  /** The file it came from; absent when there is none. */
  readonly file?: string
  readonly providers: { readonly [name: string]: ProviderConfig }
  readonly models: { readonly [ref: string]: ModelProfile }
  /** Paths of modules with tools, plugins and hooks, relative to the file. */
  readonly tools: readonly string[]
  /** Path or URL of the store, relative to the file. */
  readonly store?: string | SecretReference
  /** Path of a folder for large bodies, relative to the file; absent: they are kept in the store. */
  readonly artifacts?: string | SecretReference
  /** Paths of agent files, by the names under which agents may start them; relative to the file. */
  readonly agents?: { readonly [name: string]: string }
  /** What there is to be granted at all, in normal form. Absent: nothing. */
  readonly grants?: Grants
  /** The layer of rules of the host. */
  readonly permissions?: readonly PermissionRule[]
  readonly onWait?: WaitNotice
  readonly engine?: EngineConfig
}

/** The configuration of a folder that has no file for it: the built-in providers alone. */
export const NO_CONFIG: Config = { providers: {}, models: {}, tools: [] }
