import type { ErrorCode } from './errors.ts'
import { HoldfastError } from './errors.ts'

/** The names of all options of a type; the compiler says when one is missing here. */
export type OptionNames<Options> = { readonly [Name in keyof Required<Options>]: true }

/**
 * Refuses options that a function does not have: one that is misspelt would be left out in silence, and with it a key, a bound or an effect. Absent is fine.
 * Throws `invalid_input`, or the code that is given (details: `option`).
 */
export function assertKnownOptions(
  of: string,
  given: unknown,
  names: { readonly [name: string]: true },
  code: ErrorCode = 'invalid_input'
): void {
  if (given === undefined) return
  if (typeof given !== 'object' || given === null) {
    throw new HoldfastError(code, `${of} takes its options as an object, but got ${given === null ? 'null' : typeof given}`)
  }
  for (const [option, value] of Object.entries(given)) {
    if (value === undefined || Object.hasOwn(names, option)) continue
    const message = `${of} has no option ${JSON.stringify(option.slice(0, 100))}; its options are ${Object.keys(names).join(', ')}`
    throw new HoldfastError(code, message, { details: { option: option.slice(0, 100) } })
  }
}
