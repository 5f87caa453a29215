// What is heavy is loaded when a provider is first used: reading a configuration stays quick. AGENTS.md lists this file.

/** OpenAI's own API: Responses and Chat Completions. */
export const loadOpenAI = () => import('@ai-sdk/openai')

/** Anthropic's Messages API. */
export const loadAnthropic = () => import('@ai-sdk/anthropic')

/** Google's Gemini API. */
export const loadGoogle = () => import('@ai-sdk/google')

/** xAI's Responses API. */
export const loadXai = () => import('@ai-sdk/xai')

/** Groq's Chat Completions. */
export const loadGroq = () => import('@ai-sdk/groq')

/** Cohere's Chat API, version 2. */
export const loadCohere = () => import('@ai-sdk/cohere')

/** Servers that speak Chat Completions: Ollama, vLLM, LM Studio and many gateways. */
export const loadOpenAICompatible = () => import('@ai-sdk/openai-compatible')
