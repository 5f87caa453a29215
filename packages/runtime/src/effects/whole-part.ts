import type {
  LanguageModelV4File,
  LanguageModelV4ReasoningFile,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata
} from '@ai-sdk/provider'
import type { Json, JsonObject } from '../contracts/json.ts'
import type { FileSource, Part, ProviderMetadata } from '../contracts/message.ts'
import { toWellFormedJson } from '../util/well-formed.ts'

/** The kind of a part in which Anthropic's package tells that a message begins. */
export const MESSAGE_START = 'anthropic.message_start'

/** The part that a stream gave whole, or null when this one carries no content of its own. */
export function toWholePart(part: LanguageModelV4StreamPart): Part | null {
  switch (part.type) {
    case 'file':
    case 'reasoning-file':
      return { type: part.type, mediaType: part.mediaType, source: toFileSource(part), ...metadataOf(part.providerMetadata) }
    case 'tool-result': {
      if (part.preliminary) return null
      const failed = part.isError && { isError: true }
      const result = toJson(part.result)
      return { type: 'tool-result', id: part.toolCallId, tool: part.toolName, result, ...failed, ...metadataOf(part.providerMetadata) }
    }
    case 'source': {
      const { type: _type, providerMetadata, ...source } = part
      return { type: 'source', source: toJson(source) as JsonObject, ...metadataOf(providerMetadata) }
    }
    case 'custom':
      // A note about the stream and no content: its provider does not take it back.
      if (part.kind === MESSAGE_START) return null
      return { type: 'custom', kind: part.kind, ...metadataOf(part.providerMetadata) }
    default:
      return null
  }
}

function toFileSource(part: LanguageModelV4File | LanguageModelV4ReasoningFile): FileSource {
  if (part.data.type === 'url') return { url: part.data.url.href }
  const { data } = part.data
  return { data: typeof data === 'string' ? data : Buffer.from(data).toString('base64') }
}

function metadataOf(metadata: SharedV4ProviderMetadata | undefined): { readonly metadata?: ProviderMetadata } {
  return metadata ? { metadata: toJson(metadata) as ProviderMetadata } : {}
}

/** A provider's value as JSON: fields that are undefined are left out, lone surrogates replaced. */
export function toJson(value: unknown): Json {
  return toWellFormedJson(JSON.parse(JSON.stringify(value)) as Json)
}
