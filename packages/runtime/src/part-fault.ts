/** What is wrong with one part of a message that a caller gives, or null: callers need not be typed, and a part that is accepted must fold. */
export function faultOfPart(part: unknown): string | null {
  if (!isFields(part)) return 'is no object'
  const { type, metadata } = part
  if (metadata !== undefined && !(isFields(metadata) && Object.values(metadata).every(isFields))) {
    return 'has metadata that is no object by provider'
  }
  if (type === 'text') return typeof part['text'] === 'string' ? null : 'has no text'
  if (type === 'file') return faultOfFile(part)
  return `has the type ${JSON.stringify(type)}: text and file can be sent`
}

function faultOfFile({ mediaType, filename, source }: Fields): string | null {
  if (typeof mediaType !== 'string' || mediaType === '') return 'has no mediaType'
  if (filename !== undefined && typeof filename !== 'string') return 'has a filename that is no text'
  return isFields(source) ? faultOfSource(source) : 'has no source'
}

function faultOfSource(source: Fields): string | null {
  if ('data' in source) return typeof source['data'] === 'string' ? null : 'has data that is no base64 text'
  if ('url' in source) return typeof source['url'] === 'string' && URL.canParse(source['url']) ? null : 'has a url that is none'
  if ('reference' in source) return isReference(source['reference']) ? null : 'has a reference that is no text by provider'
  return typeof source['text'] === 'string' ? null : 'has a source without data, url, reference or text'
}

type Fields = { readonly [name: string]: unknown }

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isReference(value: unknown): boolean {
  return isFields(value) && Object.values(value).every((id) => typeof id === 'string')
}
