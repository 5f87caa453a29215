import { HoldfastError } from './contracts/errors.ts'
import type { GivenResult } from './contracts/fact.ts'
import type { ForkChange, ForkOptions } from './contracts/fork.ts'
import type { Json } from './contracts/json.ts'
import type { Part } from './contracts/message.ts'
import type { Publication } from './contracts/publication.ts'
import { assertSecretFree } from './definition-secrets.ts'
import { intersectGrants } from './grants/intersect-grants.ts'
import { readStoredGrants, toStoredGrants } from './grants/stored-grants.ts'
import { freezeModel } from './manifest/publish.ts'
import type { RuntimeCore } from './runtime-core.ts'
import type { State } from './state/state.ts'
import { toMessage } from './thread-handle.ts'
import { toWellFormedJson } from './util/well-formed.ts'
import { assertWholeNumber } from './whole-number.ts'

/** What the results that a fork is given may weigh together, as JSON: they stand in one fact. */
const MAX_RESULTS_BYTES = 512 * 1024

/** A change as it is kept: checked, well-formed and without secrets. */
export interface GivenChange {
  readonly message: readonly Part[] | null
  readonly results: readonly GivenResult[]
  readonly model: ForkChange['model']
  readonly publication: ForkChange['publication']
  /** All of it, to tell one request from another. */
  readonly asked: Json
  readonly redacted: readonly string[]
}

/** Reads what a fork is to have other. Throws `invalid_input`, `value_too_large`. */
export function readChange({ secrets }: RuntimeCore, { at, change = {} }: ForkOptions): GivenChange {
  assertPlace(at)
  const { message, model, publication, callResult = [] } = change
  const given = message === undefined ? null : toMessage(message, secrets)
  const results = toResults(callResult)
  const names = secrets.size === 0 ? [] : secrets.namesIn(JSON.stringify(results))
  const kept = names.length === 0 ? results : secrets.redactJson(results)
  const parts = given?.parts ?? null
  return {
    message: parts,
    results: kept,
    model,
    publication,
    asked: { message: parts, results: kept, model: model ?? null, publication: publication ?? null } as unknown as Json,
    redacted: [...new Set([...(given?.redacted ?? []), ...names])]
  }
}

/** The publication that a fork goes on under, kept in the store. */
export async function toForkPublication(core: RuntimeCore, state: State, { model, publication }: GivenChange): Promise<Publication> {
  const base = await core.publication(publication ?? state.publication)
  if (model === undefined) return base
  const changed = await freezeModel(base, model, { models: core.models })
  assertSecretFree(changed.definition, core.secrets)
  await core.store.publish(changed)
  core.remember(changed)
  return changed
}

/** What a thread may do under a publication that asks for less than it may (I8); absent where it asks for nothing in particular. */
export function toNarrowed(record: Json, { definition: { grants } }: Publication): Json | undefined {
  const read = readStoredGrants(record)
  if (grants === undefined || read.state === 'unreadable') return undefined
  return toStoredGrants(read.state === 'recorded' ? intersectGrants(read.grants, grants) : grants) as unknown as Json
}

function assertPlace(at: ForkOptions['at']): void {
  if (typeof at === 'object') {
    if (typeof at.turn !== 'string') assertWholeNumber('at.turn', at.turn, 0)
  } else assertWholeNumber('at', at, 1)
}

function toResults(given: GivenResult | readonly GivenResult[]): readonly GivenResult[] {
  const results = (Array.isArray(given) ? given : [given]) as readonly GivenResult[]
  for (const each of results) assertResult(each)
  if (new Set(results.map((each) => each.call)).size < results.length) {
    throw new HoldfastError('invalid_input', 'expected one result for a call, found several')
  }
  const kept = toWellFormedJson(
    results.map(({ call, result }) => ({ call, result: 'error' in result ? { error: result.error } : { value: result.value } }))
  )
  const bytes = Buffer.byteLength(JSON.stringify(kept))
  if (bytes <= MAX_RESULTS_BYTES) return kept
  throw new HoldfastError('value_too_large', `the given results have ${bytes} bytes, at most ${MAX_RESULTS_BYTES} fit`, {
    details: { bytes, limit: MAX_RESULTS_BYTES }
  })
}

function assertResult(given: unknown): void {
  const { call, result } = (given ?? {}) as { readonly call?: unknown; readonly result?: unknown }
  const { value, error } = (result ?? {}) as { readonly value?: unknown; readonly error?: unknown }
  const isResult = (value === undefined) !== (error === undefined) && (error === undefined || typeof error === 'string')
  if (typeof call === 'string' && isResult) return
  throw new HoldfastError(
    'invalid_input',
    'expected as callResult { call, result } with the id of a call, and as result { value } or { error: text }'
  )
}
