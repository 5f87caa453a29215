/** What is known of a provider without any configuration. */
export interface BuiltInProvider {
  /** The environment variable that its key is taken from. */
  readonly key: string
  readonly address: string
  /** The environment variable that may hold another address. */
  readonly variable?: string
}

/** Drivers that have an address of their own, with the key and the address that hold where a configuration names none. */
export const BUILT_IN = {
  openai: { key: 'OPENAI_API_KEY', address: 'https://api.openai.com/v1', variable: 'OPENAI_BASE_URL' },
  anthropic: { key: 'ANTHROPIC_API_KEY', address: 'https://api.anthropic.com/v1', variable: 'ANTHROPIC_BASE_URL' },
  google: { key: 'GOOGLE_GENERATIVE_AI_API_KEY', address: 'https://generativelanguage.googleapis.com/v1beta' },
  xai: { key: 'XAI_API_KEY', address: 'https://api.x.ai/v1' },
  groq: { key: 'GROQ_API_KEY', address: 'https://api.groq.com/openai/v1' },
  cohere: { key: 'COHERE_API_KEY', address: 'https://api.cohere.com/v2' }
} as const satisfies { readonly [driver: string]: BuiltInProvider }

/** Providers that need no entry in a configuration: their names are those of their drivers. */
export const BUILT_IN_PROVIDERS = ['openai', 'anthropic', 'google', 'xai', 'groq', 'cohere', 'scripted'] as const
