import type { JSONObject, JSONValue, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Part } from '../contracts/message.ts'
import type { Usage } from '../contracts/usage.ts'

const CHARACTERS_PER_TOKEN = 4

/** What a provider reported, in our words. Missing, negative and impossible numbers read as zero. */
export function toUsage(reported: LanguageModelV4Usage | undefined): Usage {
  const input = reported?.inputTokens
  const output = reported?.outputTokens
  const cached = tokens(input?.cacheRead)
  const written = tokens(input?.cacheWrite)
  const forHour = written === 0 ? 0 : Math.min(written, tokens(readHourWrites(reported?.raw)))
  const reasoning = tokens(output?.reasoning)
  return {
    inputTokens: tokens(input?.total ?? tokens(input?.noCache) + cached + written),
    outputTokens: tokens(output?.total ?? tokens(output?.text) + reasoning),
    ...(cached > 0 && { cachedInputTokens: cached }),
    ...(written > 0 && { cacheWriteTokens: written }),
    ...(forHour > 0 && { cacheWriteHourTokens: forHour }),
    ...(reasoning > 0 && { reasoningTokens: reasoning })
  }
}

/**
 * The usage of a response. A side that the provider left out or reported as zero although there was text is estimated at four
 * characters a token, and the usage is marked `estimated`. `promptCharacters` gives the length of the
 * request's text and is asked only where it is needed.
 */
export function usageOf(
  reported: LanguageModelV4Usage | undefined,
  parts: readonly Part[],
  promptCharacters: () => number = () => 0
): Usage {
  const usage = toUsage(reported)
  const outputTokens = usage.outputTokens || estimateTokens(countCharacters(parts))
  // A provider that counts a whole request as nothing has not counted: an output without input is not believed either.
  const inputTokens = usage.inputTokens || estimateTokens(promptCharacters())
  const estimated = outputTokens !== usage.outputTokens || inputTokens !== usage.inputTokens
  return estimated ? { ...usage, inputTokens, outputTokens, estimated } : usage
}

/** Whether a provider's value is an object, and no array. */
export function isJsonObject(value: JSONValue | undefined): value is JSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Tokens that a number of characters may be: a rough guess, rounded up. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN)
}

function countCharacters(parts: readonly Part[]): number {
  let count = 0
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'reasoning') count += part.text.length
    else if (part.type === 'tool-call') count += part.tool.length + part.input.length
  }
  return count
}

/** Anthropic counts apart what it keeps for an hour, which costs more. The provider interface has no place for it. */
function readHourWrites(raw: LanguageModelV4Usage['raw']): number | undefined {
  const created = raw?.['cache_creation']
  const count = isJsonObject(created) ? created['ephemeral_1h_input_tokens'] : undefined
  return typeof count === 'number' ? count : undefined
}

function tokens(count: number | null | undefined): number {
  return typeof count === 'number' && Number.isFinite(count) && count > 0 ? Math.round(count) : 0
}
