import { HoldfastError } from './contracts/errors.ts'

const MAX_KEY_LENGTH = 512

/** Holds an id that a caller chose to what every store keeps apart. Throws `invalid_input`. */
export function assertKey(name: string, key: string | undefined): void {
  if (key === undefined) return
  if (typeof key === 'string' && key !== '' && key.length <= MAX_KEY_LENGTH && key.isWellFormed()) return
  throw new HoldfastError('invalid_input', `expected as ${name} a well-formed text of 1 to ${MAX_KEY_LENGTH} characters`)
}
