import type { Json } from '../contracts/json.ts'
import { cutText } from '../util/well-formed.ts'

/** What a filter works on: a value, or undefined where there is none. */
export type FilterValue = Json | undefined

interface Filter {
  /** How many arguments it takes at least and at most. */
  readonly takes: readonly [number, number]
  apply(value: FilterValue, args: readonly FilterValue[]): FilterValue
}

/** The filters of templates: all there are. Objects and lists are JSON where a text is meant. */
export const TEMPLATE_FILTERS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ['default', { takes: [1, 1], apply: (value, [other]) => (value === undefined || value === null || value === '' ? other : value) }],
  ['json', { takes: [0, 0], apply: (value) => JSON.stringify(value ?? null) }],
  ['upcase', { takes: [0, 0], apply: (value) => toText(value).toUpperCase() }],
  ['downcase', { takes: [0, 0], apply: (value) => toText(value).toLowerCase() }],
  ['strip', { takes: [0, 0], apply: (value) => toText(value).trim() }],
  ['truncate', { takes: [0, 2], apply: (value, [length, end]) => truncate(toText(value), toCount(length), end) }],
  ['size', { takes: [0, 0], apply: sizeOf }],
  ['first', { takes: [0, 0], apply: (value) => (isList(value) ? value[0] : undefined) }],
  ['last', { takes: [0, 0], apply: (value) => (isList(value) ? value.at(-1) : undefined) }],
  ['join', { takes: [0, 1], apply: (value, [between = ' ']) => (isList(value) ? value.map(toText).join(toText(between)) : value) }]
])

/** A value as it stands in a text: nothing for null and what is missing, JSON for objects and lists. */
export function toText(value: FilterValue): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function truncate(text: string, length: number, end: FilterValue = '...'): string {
  if (text.length <= length) return text
  const tail = toText(end)
  return cutText(text, Math.max(0, length - tail.length)) + tail
}

function toCount(value: FilterValue): number {
  return typeof value === 'number' && value >= 0 ? Math.floor(value) : 50
}

function sizeOf(value: FilterValue): number {
  if (value === undefined || value === null) return 0
  return typeof value === 'object' ? Object.keys(value).length : toText(value).length
}

function isList(value: FilterValue): value is readonly Json[] {
  return Array.isArray(value)
}
