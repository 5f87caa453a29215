/** How the bytes of a text file are read. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/** What the first bytes of a file say. */
export interface ByteOrderMark {
  readonly encoding: TextEncoding
  /** The bytes of the mark itself; 0 without one, which means UTF-8. */
  readonly length: number
}

/** Reads the byte order mark of a file. */
export function readByteOrderMark(head: Uint8Array): ByteOrderMark {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: 'utf-8', length: 3 }
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: 'utf-16le', length: 2 }
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be', length: 2 }
  return { encoding: 'utf-8', length: 0 }
}

/** Decodes a text in pieces. Bytes that the encoding does not allow become U+FFFD, and `isExact` says that there were some. */
export interface TextReader {
  read(bytes: Uint8Array): string
  end(): string
  readonly isExact: boolean
}

/** Starts to decode behind the byte order mark. */
export function createTextReader(encoding: TextEncoding): TextReader {
  const lenient = new TextDecoder(encoding, { ignoreBOM: true })
  let strict: TextDecoder | undefined = new TextDecoder(encoding, { ignoreBOM: true, fatal: true })
  const decode = (bytes: Uint8Array, stream: boolean) => {
    try {
      strict?.decode(bytes, { stream })
    } catch {
      strict = undefined
    }
    return lenient.decode(bytes, { stream })
  }
  return {
    read: (bytes) => decode(bytes, true),
    end: () => decode(new Uint8Array(), false),
    get isExact() {
      return strict !== undefined
    }
  }
}

/** The bytes of a text in an encoding, without a byte order mark. */
export function encodeText(text: string, encoding: TextEncoding): Uint8Array {
  if (encoding === 'utf-8') return new TextEncoder().encode(text)
  const bytes = new Uint8Array(text.length * 2)
  const view = new DataView(bytes.buffer)
  for (let index = 0; index < text.length; index += 1) view.setUint16(index * 2, text.charCodeAt(index), encoding === 'utf-16le')
  return bytes
}
