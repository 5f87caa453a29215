import { InvalidArgumentError } from 'commander'

const UNITS_MS: { readonly [unit: string]: number } = { h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const DAY_MS = 86_400_000

/** How long ago at least, from a day on: `1d`, `36h`, `2w`. */
export function ageOfDays(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6}(?:\.\d+)?)([hdw])$/.exec(text) ?? []
  const value = Math.round(Number(count) * (UNITS_MS[unit] ?? 0))
  if (value >= DAY_MS) return value
  throw new InvalidArgumentError('Expected an age of a day or more, such as 1d, 36h or 2w: what is younger may be about to be used.')
}
