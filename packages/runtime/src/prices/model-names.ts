// What packages of the AI SDK append to the name of a provider, to say by which of its interfaces they ask.
const INTERFACES = ['chat', 'responses', 'completion', 'messages', 'generative-ai']

/** The provider without its interface: `openai.responses` is `openai`, `google.generative-ai` is `google`. */
export function toProviderName(provider: string): string {
  const dot = provider.lastIndexOf('.')
  return dot > 0 && INTERFACES.includes(provider.slice(dot + 1)) ? provider.slice(0, dot) : provider
}

/**
 * A model's name, and the names that stand for the same model, nearest first: without the prefix `models/`, without `@…` at its
 * end, without the date of a snapshot (`-2025-08-07`, `-20250807`).
 */
export function toModelNames(model: string): readonly string[] {
  const bare = model.replace(/^models\//, '')
  const unpinned = bare.replace(/@[^@/]+$/, '')
  const undated = unpinned.replace(/-(?:20\d\d-[01]\d-[0-3]\d|20\d\d[01]\d[0-3]\d)$/, '')
  return [...new Set([model, bare, unpinned, undated])]
}
