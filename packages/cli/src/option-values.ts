import { InvalidArgumentError } from 'commander'

/** A parser for a whole number within bounds. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`)
  }
}

/** Collects an option that may be given several times. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}
