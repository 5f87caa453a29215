import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'

/** Canonical JSON (RFC 8785): the same value gives the same text on every machine. The value must be JSON. */
export function toCanonicalJson(value: unknown): string {
  return canonicalize(value) ?? 'null'
}

/** `sha256:` and the hash of a text in hexadecimal digits. */
export function digestText(text: string): string {
  return `sha256:${hash('sha256', text, 'hex')}`
}

/** The digest of a value's canonical JSON. */
export function digestJson(value: unknown): string {
  return digestText(toCanonicalJson(value))
}

/** `sha256:` and the hash of bytes in hexadecimal digits. */
export function digestBytes(bytes: Uint8Array): string {
  return `sha256:${hash('sha256', bytes, 'hex')}`
}
