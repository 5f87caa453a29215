import type { LanguageModelV4Prompt } from '@ai-sdk/provider'

/** A copy of messages that shares nothing with them. */
export function copyPrompt(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return copy(prompt) as LanguageModelV4Prompt
}

function copy(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(copy)
  if (value instanceof URL) return new URL(value)
  if (value instanceof Uint8Array) return value.slice()
  // Own fields are defined, not assigned: `__proto__` is a field like any other.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item)]))
}
