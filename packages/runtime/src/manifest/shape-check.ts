import type { z } from 'zod'
import type { AgentFault } from './agent-fault.ts'
import { nearest } from '../util/near-miss.ts'
import { toKindText } from '../util/kind-text.ts'
import type { Path } from './problem.ts'

type Issue = z.core.$ZodIssue

/** The fields of each object, by its path with `*` for any name or index: what exists, and what a later version of the product runs. */
export interface FieldTable {
  readonly [path: string]: { readonly known: readonly string[]; readonly later: readonly string[] }
}

/** The result of a shape check: the data, or what is wrong. */
export type ShapeCheck<T> = { readonly ok: true; readonly data: T } | { readonly ok: false; readonly faults: readonly AgentFault[] }

/** What is checked: where it stands in its document, and what the document is written in. */
export interface ShapeCheckOptions {
  readonly around?: Path
  /** Default: `the language`. */
  readonly what?: string
}

/** A check that is compiled for a shape costs more than the few values that it would see. */
const ONCE = { jitless: true } as const

/** Checks a value against a shape: fields unknown or of a later version, fields missing, values that are something else. */
export function checkShape<T>(
  shape: z.ZodType<T>,
  fields: FieldTable,
  value: unknown,
  { around = [], what = 'the language' }: ShapeCheckOptions = {}
): ShapeCheck<T> {
  const result = shape.safeParse(value, ONCE)
  if (result.success) return { ok: true, data: result.data }
  // What is read from an empty text.
  if (value === null)
    return { ok: false, faults: [{ code: 'invalid', path: around, message: 'nothing stands here', expected: toWanted(shape) }] }
  const faults = result.error.issues.flatMap((issue) => toFaults({ value, fields, around, what }, issue, []))
  return { ok: false, faults: faults.map((fault) => ({ ...fault, path: [...around, ...fault.path] })) }
}

/** An object with the fields that it must have. */
function toWanted(shape: z.ZodType): string {
  const { error } = shape.safeParse({}, ONCE)
  const names = (error?.issues ?? []).flatMap(({ path: [name, ...rest] }) => (typeof name === 'string' && rest.length === 0 ? [name] : []))
  return names.length === 0 ? 'an object' : `an object with ${[...new Set(names)].join(', ')}`
}

/** Where a text is expected, and something else stands. */
export function findMissingTexts(shape: z.ZodType, value: unknown): readonly Path[] {
  const result = shape.safeParse(value, ONCE)
  return result.success ? [] : result.error.issues.flatMap((issue) => textPaths(issue, []))
}

function textPaths(issue: Issue, around: Path): readonly Path[] {
  const path = [...around, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))]
  if (issue.code === 'invalid_union') return issue.errors.flat().flatMap((inner) => textPaths(inner, path))
  const isText =
    (issue.code === 'invalid_type' && issue.expected === 'string') ||
    (issue.code === 'invalid_value' && issue.values.some((allowed) => typeof allowed === 'string'))
  return isText ? [path] : []
}

const WANTS_NUMBER = /^a (?:whole )?number\b/

interface Checked extends Required<ShapeCheckOptions> {
  readonly value: unknown
  readonly fields: FieldTable
}

function toFaults(checked: Checked, issue: Issue, around: Path): readonly AgentFault[] {
  const path = [...around, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))]
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => toFieldFault(checked, path, key))
  if (issue.code === 'invalid_union') {
    const branch = issue.errors.length > 0 ? nearestBranch(checked.value, path, issue.errors) : undefined
    if (branch !== undefined) return branch.flatMap((inner) => toFaults(checked, inner, path))
  }
  const found = valueAt(checked.value, path)
  if (found === undefined) return [{ code: 'missing', path, message: 'this field is missing', expected: issue.message }]
  const fault: AgentFault = { code: 'invalid', path, message: `${describeFound(found, issue)} cannot stand here`, expected: issue.message }
  const near = issue.code === 'invalid_value' && typeof found === 'string' ? findNear(found, issue.values) : undefined
  return [near === undefined ? fault : { ...fault, nearMiss: near }]
}

function findNear(found: string, allowed: readonly unknown[]): string | undefined {
  return nearest(
    found,
    allowed.filter((each) => typeof each === 'string')
  )[0]
}

/** What came, by what it is. Where a number is wanted also which: no secret is one. */
function describeFound(found: unknown, issue: Issue): string {
  const isNumber = WANTS_NUMBER.test(issue.message)
  if (typeof found === 'string' && isNumber && /^[-+]?\d{1,15}(?:\.\d{1,15})?$/.test(found)) return `the text "${found}"`
  if (typeof found === 'number' && isNumber) return `the number ${found}`
  return issue.code === 'invalid_type' || issue.code === 'invalid_union' || typeof found !== 'string' ? toKindText(found) : 'this text'
}

/** Of an object that fits no alternative: what is wrong with it as the one that it is nearest to. */
function nearestBranch(value: unknown, path: Path, branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const found = valueAt(value, path)
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return undefined
  const fitting = branches.filter((issues) => issues.every((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys'))
  const weight = (issues: readonly Issue[]) =>
    issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0)
  return fitting.toSorted((a, b) => weight(a) - weight(b))[0]
}

function toFieldFault({ fields, around: outer, what }: Checked, around: Path, key: string): AgentFault {
  const object = [...outer, ...around]
  const { known, later } = Object.entries(fields).find(([pattern]) => matches(pattern, object))?.[1] ?? { known: [], later: [] }
  const path = [...around, key]
  if (later.includes(key)) {
    return { code: 'unsupported', path, message: `this field belongs to ${what}, but this version does not run it yet` }
  }
  if (known.includes(key)) return { code: 'invalid', path, message: 'this field does not go with the others here' }
  const [nearMiss] = nearest(key, [...known, ...later])
  const expected = known.length === 0 ? {} : { expected: `one of ${known.join(', ')}` }
  return { code: 'unknown_field', path, message: 'there is no such field', ...expected, ...(nearMiss === undefined ? {} : { nearMiss }) }
}

function matches(pattern: string, path: Path): boolean {
  const parts = pattern === '' ? [] : pattern.split('.')
  return parts.length === path.length && parts.every((part, index) => part === '*' || part === path[index])
}

/** The own property at a path. */
function valueAt(value: unknown, path: Path): unknown {
  let found = value
  for (const part of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined
    found = Reflect.get(found, part)
  }
  return found
}
