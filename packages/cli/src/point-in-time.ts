import { InvalidArgumentError } from 'commander'

const UNITS_MS: { readonly [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** A point in time: a date or a time, in UTC where it names no zone, or how long ago: `2h`, `7d`. */
export function pointInTime(text: string, now = Date.now()): number {
  const [, count = '', unit = ''] = /^(\d{1,6}(?:\.\d+)?)([mhdw])$/.exec(text) ?? []
  if (count !== '') return now - Math.round(Number(count) * (UNITS_MS[unit] ?? 0))
  const [, day, time, zone = 'Z'] = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:\d{2})?)?$/.exec(text) ?? []
  const value = day === undefined ? Number.NaN : Date.parse(time === undefined ? day : `${day}T${time}${zone}`)
  if (!Number.isNaN(value)) return value
  throw new InvalidArgumentError('Expected a time such as 2026-11-30 or 2026-11-30T08:00, or how long ago: 2h, 7d.')
}
