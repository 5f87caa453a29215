import { InvalidArgumentError } from 'commander'

/** A parser for a whole number within bounds. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`)
  }
}

/** A parser for a name or a path. What looks like an option is one that lost its value. */
export function name(text: string): string {
  if (text !== '' && !text.startsWith('--')) return text
  throw new InvalidArgumentError(text === '' ? 'Expected a value that is not empty.' : `Expected a value, and ${text} is an option.`)
}

/** The file that is to be written, or undefined for standard output: nothing was said, or `-`. */
export function toOutputFile(given: string | undefined): string | undefined {
  return given === '-' ? undefined : given
}

/** Collects an option that may be given several times. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}
