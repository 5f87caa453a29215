import type { SecretRegistry } from '../src/contracts/secrets.ts'
import { createSecretRegistry } from '../src/secrets.ts'

/** A key as most are. */
export const PLAIN = 'sk-live-0123456789abcdefXYZ'
/** Every encoding changes it. */
export const ODD = 'p"a/s+s%w ö=r\\d&1'
export const VALUES = [PLAIN, ODD]

/** A registry that knows both. */
export function registry(): SecretRegistry {
  const secrets = createSecretRegistry()
  secrets.add('PLAIN', PLAIN)
  secrets.add('ODD', ODD)
  return secrets
}

/** A value with each character behind its number: JSON that reads as the value. */
export function numbered(value: string): string {
  return value.replace(/./g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** What an error says in all its fields. */
export function describeError(error: unknown): unknown {
  return error instanceof Error ? [error.message, error.stack, { ...error }, String(error.cause)] : error
}

/** The ways in which a value could be written down, made without the code that is tested. */
export function spellingsOf(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value)
  const quoted = JSON.stringify(value)
  const encoded = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
  return [
    value,
    quoted.slice(1, -1),
    JSON.stringify(quoted).slice(3, -3),
    encodeURIComponent(value),
    new URLSearchParams({ q: value }).toString().slice(2),
    value.replace(/[^\w.~-]/gu, (character) => encodeURIComponent(character).toLowerCase()),
    ...(/^[^\w.~-]*$/.test(value) ? [encoded.join('')] : []),
    ...[0, 1, 2, 3, 4, 5].flatMap((before) => base64Of(bytes, before))
  ]
}

/** What stays the same in base64 whatever stands around the value. */
function base64Of(bytes: Uint8Array, before: number): readonly string[] {
  const [one, two] = [0x00, 0xff].map((filler) => {
    const around = [...new Array<number>(before).fill(filler), ...bytes, ...new Array<number>(3).fill(filler)]
    return Buffer.from(around).toString('base64')
  })
  let same = ''
  for (let index = 0; index < (one ?? '').length; index++) same += one?.[index] === two?.[index] ? one?.[index] : ' '
  return same
    .split(' ')
    .filter((text) => text.length >= 8)
    .flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')])
}

/** The spellings of values that stand in a text. */
export function spelledIn(text: string, values: readonly string[]): readonly string[] {
  return values.flatMap(spellingsOf).filter((spelling) => text.includes(spelling))
}
