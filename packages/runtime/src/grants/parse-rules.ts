import type { Json } from '../contracts/json.ts'
import type { PermissionRule, RuleCondition } from '../contracts/permission-rule.ts'
import type { Checked, ShapeFault } from '../contracts/shape-fault.ts'
import { copyJson } from '../util/copy-json.ts'
import { isGlob } from '../util/glob.ts'
import type { Place, Reader } from './field-reader.ts'
import { listOf, noteInvalid, orElse, placeIn, readFields, textOf, wordOf } from './field-reader.ts'

/** What a rule may say about a call, from the strictest on. */
export const RULE_EFFECTS = ['deny', 'ask', 'allow'] as const satisfies readonly PermissionRule['effect'][]

/** Reads a list of permission rules as somebody wrote them, or gives everything that is wrong with it. */
export function parsePermissionRules(value: unknown): Checked<readonly PermissionRule[]> {
  const faults: ShapeFault[] = []
  const rules = readRules(value, { path: [], faults })
  return faults.length > 0 ? { ok: false, faults } : { ok: true, value: rules }
}

const GLOB = 'a glob such as "read_*", with its braces closed'
const COMPARISONS = ['eq', 'glob', 'lt', 'gt'] as const
const MAX_LEVELS = 32

const glob = textOf((text) => (text !== '' && isGlob(text) ? text : undefined), GLOB)
const path = textOf((text) => (isPath(text) ? text : undefined), 'names of fields and indexes with dots between them')
const effect = wordOf(RULE_EFFECTS)

const readRules: Reader<readonly PermissionRule[]> = listOf((value, place) => {
  const field = readFields(value, place, ['effect', 'tool', 'when'])
  // What is no object has been noted; its fields are not missing as well.
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { effect: 'deny', tool: '*' }
  const rule = { effect: effect(field('effect'), placeIn(place, 'effect')), tool: glob(field('tool'), placeIn(place, 'tool')) }
  const when = orElse<RuleCondition | undefined>(readCondition, undefined)(field('when'), placeIn(place, 'when'))
  return when === undefined ? rule : { ...rule, when }
})

function readCondition(value: unknown, place: Place): RuleCondition | undefined {
  const field = readFields(value, place, ['path', ...COMPARISONS])
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const readers = { eq: readJson, glob, lt: readNumber, gt: readNumber }
  const given = COMPARISONS.filter((name) => field(name) !== undefined)
  if (given.length === 0) noteInvalid(undefined, placeIn(place, 'eq'), 'eq, glob, lt or gt')
  const wanted = given.map((name) => [name, readers[name](field(name), placeIn(place, name))])
  return { path: path(field('path'), placeIn(place, 'path')), ...Object.fromEntries(wanted) }
}

function readNumber(value: unknown, place: Place): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  noteInvalid(value, place, 'a number')
  return 0
}

function readJson(value: unknown, place: Place): Json {
  if (isJson(value, 0)) return copyJson(value)
  noteInvalid(value, place, 'a value of JSON')
  return null
}

function isJson(value: unknown, level: number): value is Json {
  if (value === null || typeof value === 'boolean') return true
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || level >= MAX_LEVELS) return false
  const isPlain = Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value))
  return isPlain && Object.values(value).every((item) => isJson(item, level + 1))
}

function isPath(text: string): boolean {
  const parts = text.split('.')
  return text.isWellFormed() && parts.length <= MAX_LEVELS && !parts.includes('')
}
