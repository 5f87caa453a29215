import type { Digest } from './ids.ts'
import type { Json, JsonObject } from './json.ts'

/** Data that a provider attached to a part (signatures, item ids, cache marks); handed back to it unchanged. */
export type ProviderMetadata = { readonly [provider: string]: JsonObject }

/** Where the bytes of a file part are: base64 data, a URL, a provider's own reference, or plain text. */
export type FileSource =
  | { readonly data: string }
  | { readonly url: string }
  | { readonly reference: { readonly [provider: string]: string } }
  | { readonly text: string }

/** One part of a message. What a model said is kept without loss, so that the same part can be sent back. */
export type Part =
  | { readonly type: 'text'; readonly text: string; readonly metadata?: ProviderMetadata }
  | { readonly type: 'reasoning'; readonly text: string; readonly metadata?: ProviderMetadata }
  | { readonly type: 'reasoning-file'; readonly mediaType: string; readonly source: FileSource; readonly metadata?: ProviderMetadata }
  | {
      readonly type: 'file'
      readonly mediaType: string
      readonly filename?: string
      readonly source: FileSource
      readonly metadata?: ProviderMetadata
    }
  | ToolCallPart
  | {
      readonly type: 'tool-result'
      readonly id: string
      readonly tool: string
      readonly result: Json
      readonly isError?: boolean
      readonly metadata?: ProviderMetadata
    }
  | { readonly type: 'source'; readonly source: JsonObject; readonly metadata?: ProviderMetadata }
  | { readonly type: 'custom'; readonly kind: string; readonly metadata?: ProviderMetadata }

/** A call as the model wrote it: `input` is the text of the arguments, byte for byte as it came. */
export type ToolCallPart = {
  readonly type: 'tool-call'
  /** The model's id: a correlation only, it may be empty or used twice. */
  readonly id: string
  readonly tool: string
  readonly input: string
  readonly providerExecuted?: boolean
  readonly metadata?: ProviderMetadata
}

/** A body of a fact: inline, or spilled to the artifact store. Spilling is invisible to `evolve` and `plan`. */
export type Body<T = Json> = { readonly inline: T } | { readonly artifact: Digest; readonly bytes: number; readonly preview: string }

/** What a call gave: a JSON value, or the text of an error that the model can read. */
export type CallResult = { readonly value: Json } | { readonly error: string }
