// Keeps I8: what cannot be read as grants is none.
import { HoldfastError } from '../contracts/errors.ts'
import type { Grants } from '../contracts/grants.ts'
import { parseMadeGrants } from './parse-grants.ts'

/** Grants as a thread keeps them. The marker tells a record whose entry was lost from one that never had any. */
export interface StoredGrants {
  readonly capabilities: Grants
  readonly capabilitiesRecorded: true
}

/** What a record says: grants; that none were ever recorded; or nothing that can be trusted, and then nobody has any. */
export type RecordedGrants =
  | { readonly state: 'recorded'; readonly grants: Grants }
  | { readonly state: 'unrecorded' }
  | { readonly state: 'unreadable'; readonly error: HoldfastError }

/** The record of grants. */
export function toStoredGrants(grants: Grants): StoredGrants {
  return { capabilities: grants, capabilitiesRecorded: true }
}

/**
 * Reads a record. Only null and an empty one are `unrecorded`: whoever drives that thread names its grants. Every other record must hold the marker
 * and a whole entry and nothing else: a field that is missing or not known may bound what this program would then allow. The error (`grants_unreadable`,
 * details: `problems` with `path`) names the first of what is wrong.
 */
export function readStoredGrants(record: unknown): RecordedGrants {
  if (record === null || (isFields(record) && Object.keys(record).length === 0)) return { state: 'unrecorded' }
  if (!isFields(record)) return unreadable([''])
  const other = Object.keys(record).find((key) => !MARKS.includes(key))
  if (other !== undefined) return unreadable([other])
  if (ownOf(record, 'capabilitiesRecorded') !== true) return unreadable(['capabilitiesRecorded'])
  const entry = ownOf(record, 'capabilities')
  const parsed = parseMadeGrants(entry)
  if (!parsed.ok) return unreadable(parsed.faults.map(({ path }) => ['capabilities', ...path].join('.')))
  const missing = findMissing(entry, parsed.value, 'capabilities')
  return missing.length > 0 ? unreadable(missing) : { state: 'recorded', grants: parsed.value }
}

const MARKS: readonly string[] = ['capabilities', 'capabilitiesRecorded']

type Fields = { readonly [key: string]: unknown }

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function ownOf(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

/** Where an entry says nothing about what grants hold. */
function findMissing(entry: unknown, whole: unknown, path: string): readonly string[] {
  if (!isFields(whole)) return entry === undefined ? [path] : []
  if (!isFields(entry)) return [path]
  return Object.keys(whole).flatMap((name) => findMissing(ownOf(entry, name), whole[name], `${path}.${name}`))
}

function unreadable(problems: readonly string[]): RecordedGrants {
  const [first = ''] = problems
  const where = first === '' ? 'the record' : `\`${first.slice(0, 200)}\` of the record`
  const message = `The grants of the thread cannot be read: ${where} is not what this program writes. It has no grants and does not run.`
  const told = problems.slice(0, MAX_PROBLEMS).map((path) => ({ path: path.slice(0, 200) }))
  return { state: 'unreadable', error: new HoldfastError('grants_unreadable', message, { details: { problems: told } }) }
}

const MAX_PROBLEMS = 20
