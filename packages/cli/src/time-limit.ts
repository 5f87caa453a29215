import { InvalidArgumentError, Option } from 'commander'

const UNITS_MS: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
/** What a timer of Node can wait. */
const LONGEST_MS = 2_147_483_647

/** Milliseconds, from a time as people write it: `500`, `30s`, `5m`, `1h`. */
export function timeLimit(text: string): number {
  const [, count = '', unit = 'ms'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? []
  const value = count === '' ? 0 : Math.round(Number(count) * (UNITS_MS[unit] ?? 1))
  if (value >= 1 && value <= LONGEST_MS) return value
  throw new InvalidArgumentError('Expected a time above 0, such as 500 (milliseconds), 30s, 5m or 1h.')
}

/** The same, and none at all. */
export function grace(text: string): number {
  return /^0+(?:\.0+)?(?:ms|s|m|h)?$/.test(text) ? 0 : timeLimit(text)
}

/** The option of every command that drives a thread. */
export function timeoutOption(): Option {
  return new Option('--timeout <time>', 'let go after 500, 30s, 5m or 1h; nothing is cancelled').argParser(timeLimit)
}
