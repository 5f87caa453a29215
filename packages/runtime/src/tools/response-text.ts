/** What a body is: text, or something that is none. */
export type ResponseText =
  | {
      readonly kind: 'text'
      readonly text: string
      /** Whether every byte was one of a character. If not, U+FFFD stands where they were not. */
      readonly isExact: boolean
    }
  | { readonly kind: 'binary' }
  | { readonly kind: 'unknown_charset' }

const TEXT_TYPE =
  /^(?:text\/.+|application\/(?:json|xml|javascript|x-javascript|ecmascript|yaml|x-yaml|toml|(?:x-)?ndjson|jsonl?|json-seq|graphql|sql|x-sh|x-www-form-urlencoded)|.+\+(?:json|xml|yaml))$/

/**
 * Decodes a body: by its byte order mark, else by the charset of `content-type`, else as UTF-8. A body with U+0000 is no text, whatever it
 * says of itself: this also finds UTF-16 that is sent as something else.
 */
export function toResponseText(body: Uint8Array, contentType: string): ResponseText {
  const type = mediaTypeOf(contentType)
  if (type !== '' && !TEXT_TYPE.test(type)) return { kind: 'binary' }
  const charset = markOf(body) ?? /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1] ?? 'utf-8'
  const decoded = decode(body, charset)
  if (decoded === undefined) return { kind: 'unknown_charset' }
  const isText = !decoded.text.includes('\0') && (type !== '' || decoded.isExact)
  return isText ? { kind: 'text', ...decoded } : { kind: 'binary' }
}

/** The media type without its parameters, in lower case; empty when there is none that is well-formed. */
export function mediaTypeOf(contentType: string): string {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase()
  return /^[a-z0-9.+_-]{1,100}\/[a-z0-9.+_-]{1,100}$/.test(type) ? type : ''
}

function markOf(body: Uint8Array): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8'
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le'
  return body[0] === 0xfe && body[1] === 0xff ? 'utf-16be' : undefined
}

function decode(body: Uint8Array, charset: string): { readonly text: string; readonly isExact: boolean } | undefined {
  const decoder = decoderOf(charset)
  if (decoder === undefined) return undefined
  try {
    return { text: new TextDecoder(charset, { fatal: true }).decode(body), isExact: true }
  } catch {
    return { text: decoder.decode(body), isExact: false }
  }
}

function decoderOf(charset: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charset)
  } catch {
    return undefined
  }
}
