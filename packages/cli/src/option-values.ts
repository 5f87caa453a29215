import { InvalidArgumentError } from 'commander'

/** A parser for a whole number within bounds. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`)
  }
}

const UNITS_MS: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
/** What a timer of Node can wait. */
const LONGEST_MS = 2_147_483_647

/** Milliseconds, from a time as people write it: `500`, `30s`, `5m`, `1h`. */
export function duration(text: string): number {
  const [, count = '', unit = 'ms'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? []
  const value = count === '' ? 0 : Math.round(Number(count) * (UNITS_MS[unit] ?? 1))
  if (value >= 1 && value <= LONGEST_MS) return value
  throw new InvalidArgumentError('Expected a time above 0, such as 500 (milliseconds), 30s, 5m or 1h.')
}

/** A parser for a name or a path. What looks like an option is one that lost its value. */
export function name(text: string): string {
  if (text !== '' && !text.startsWith('--')) return text
  throw new InvalidArgumentError(text === '' ? 'Expected a value that is not empty.' : `Expected a value, and ${text} is an option.`)
}

/** Collects an option that may be given several times. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}
