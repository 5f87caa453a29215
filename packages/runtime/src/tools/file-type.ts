import { readByteOrderMark } from './text-encoding.ts'

/** Files that are no text, by their first bytes in hexadecimal digits. */
const TYPES: readonly (readonly [string, string])[] = [
  ['89504e470d0a1a0a', 'PNG image'],
  ['ffd8ff', 'JPEG image'],
  ['47494638', 'GIF image'],
  ['424d', 'BMP image'],
  ['49492a00', 'TIFF image'],
  ['4d4d002a', 'TIFF image'],
  ['52494646', 'RIFF file (WebP, WAV or AVI)'],
  ['255044462d', 'PDF document'],
  ['504b0304', 'ZIP archive (or an office document, a JAR)'],
  ['1f8b', 'gzip archive'],
  ['425a68', 'bzip2 archive'],
  ['fd377a585a00', 'xz archive'],
  ['28b52ffd', 'Zstandard archive'],
  ['377abcaf271c', '7z archive'],
  ['7f454c46', 'ELF program'],
  ['4d5a90', 'Windows program'],
  ['feedface', 'macOS program'],
  ['feedfacf', 'macOS program'],
  ['cffaedfe', 'macOS program'],
  ['cafebabe', 'Java class or macOS program'],
  ['0061736d', 'WebAssembly module'],
  ['53514c69746520666f726d6174203300', 'SQLite database'],
  ['4f676753', 'Ogg media'],
  ['494433', 'MP3 audio'],
  ['1a45dfa3', 'Matroska or WebM video'],
  ['774f4632', 'WOFF2 font']
]

/** How many bytes `binaryTypeOf` looks at. */
export const TYPE_BYTES = 16

/** What a file is when its first bytes say that it is no text. `BM` alone would be text, too: such a type counts only where `isBinary` was found otherwise. */
export function binaryTypeOf(head: Uint8Array, isBinary: boolean): string | undefined {
  const digits = [...head.subarray(0, TYPE_BYTES)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const known = TYPES.find(([prefix]) => digits.startsWith(prefix) && (isBinary || prefix.length > 6))
  return known?.[1] ?? (isBinary ? 'unknown type' : undefined)
}

/** Whether bytes are no text that can be shown: they are of a known type, or have a character NUL. */
export function isBinary(bytes: Uint8Array): boolean {
  if (binaryTypeOf(bytes, false) !== undefined) return true
  const { encoding } = readByteOrderMark(bytes)
  if (encoding === 'utf-8') return bytes.includes(0)
  return new TextDecoder(encoding).decode(bytes).includes('\0')
}
