/** A value of JSON as it is kept outside of a commit. */
export function toBodyBytes(json: string): Uint8Array {
  return new TextEncoder().encode(json)
}

/** The value that such bytes are of. Throws what is no JSON in UTF-8. */
export function fromBodyBytes(bytes: Uint8Array) {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
}
