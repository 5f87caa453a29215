// Keeps I2: which model a try asks follows from the publication, from the facts and from the store's time. `turn.started` says which one (I19).
import type { ErrorCode } from '../contracts/errors.ts'
import type { ModelFailure } from '../contracts/fact.ts'
import type { Ms } from '../contracts/ids.ts'
import type { Definition, ModelCandidate } from '../contracts/publication.ts'
import type { State, Turn } from './state.ts'
import type { Aside, TurnFailure } from './turn-failure.ts'

/** A pause longer than this is not spent on the model that asks for it while another one may answer. */
export const HOLD_PAUSE_MS = 5_000
/** A provider that asks for a longer pause than this is not waited for: no limit of a provider lasts longer than a week. */
export const MAX_RETRY_AFTER_MS = 7 * 24 * 3_600_000
/** How long a model that failed is asked only when no other one is left. */
export const COOL_DOWN_MS = 60_000

const FIRST_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 30_000

/** Failures that are the model's own, or of how it is reached: another one may answer the same question. Nobody shops for a laxer filter. */
const OF_THE_MODEL: ReadonlySet<string> = new Set<ErrorCode>([
  'provider_rejected',
  'secret_missing',
  'model_unknown',
  'invalid_config',
  'file_not_found',
  'file_unreadable'
])

/** The next try of a turn that failed. */
export interface NextTry {
  /** Its place among the candidates. */
  readonly candidate: number
  /** Not before this, on the store's clock. */
  readonly due: Ms
}

const candidatesOfModel = new WeakMap<Definition['model'], readonly ModelCandidate[]>()

/** The models that may answer, in their order. */
export function candidatesOf({ model }: Pick<Definition, 'model'>): readonly [ModelCandidate, ...ModelCandidate[]] {
  let known = candidatesOfModel.get(model)
  if (!known) {
    const { fallbacks = [], ...first } = model
    known = [first, ...fallbacks]
    candidatesOfModel.set(model, known)
  }
  return known as readonly [ModelCandidate, ...ModelCandidate[]]
}

/** What facts call a model. */
export function toModelName(candidate: ModelCandidate): string {
  return 'ref' in candidate ? candidate.ref : `${candidate.provider}/${candidate.model}`
}

/** The model at a place; the first one where a log knows of more than the publication. */
export function candidateAt(definition: Pick<Definition, 'model'>, place: number): ModelCandidate {
  const candidates = candidatesOf(definition)
  return candidates[place] ?? candidates[0]
}

/** Which model a new turn asks: the first that has not failed lately, else the one that may be asked soonest. */
export function firstCandidate(state: State, now: Ms): number {
  if (state.aside.size === 0) return 0
  return choose(state, [...candidatesOf(state.definition).keys()], now).candidate
}

/**
 * Which model the next try of a failed turn asks, and when; null when none is left. A model is tried again as long as its pauses are short, then
 * the next one is asked at once. Each is asked 1 + `maxRetries` times at most.
 */
export function nextTry(state: State, turn: Turn, now: Ms): NextTry | null {
  const { failure } = turn
  // The thread may have got another publication since.
  const isKnown = nameAt(state, turn.candidate) === turn.model
  if (!failure || !isCounted(failure.why)) return { candidate: isKnown ? turn.candidate : firstCandidate(state, now), due: 0 }
  const left = candidatesLeft(state, turn)
  if (left.length === 0) return null
  const here = isKnown && left.includes(turn.candidate) ? asideOf(state, turn.candidate) : undefined
  if (here && here.pauseMs <= HOLD_PAUSE_MS) return { candidate: turn.candidate, due: here.stamp.at + here.pauseMs }
  const next = choose(state, left, now)
  return failure.waited ? { ...next, due: 0 } : next
}

/** Whether a failed turn has a model left to ask. Does not depend on the time: what is to be waited for is left. */
export function hasNextTry(state: State, turn: Turn): boolean {
  return !turn.failure || !isCounted(turn.failure.why) || candidatesLeft(state, turn).length > 0
}

/** Why a model is left aside after a failure, and for how long; null for a failure that says nothing about it. */
export function toAside({ failures }: Turn, failure: TurnFailure): Aside | null {
  const { stamp, error, why, retryAfterMs } = failure
  if (!isOfTheModel(failure)) return null
  const tries = failures.filter((each) => each.model === failure.model && each.why === 'transient').length
  const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** Math.max(0, tries - 1), MAX_BACKOFF_MS)
  // What nobody believes does not keep it aside for good.
  const pauseMs = why === 'transient' ? Math.min(retryAfterMs ?? backoffMs, MAX_RETRY_AFTER_MS) : 0
  return { stamp, why: error?.code ?? why, pauseMs }
}

function isCounted(why: ModelFailure): boolean {
  return why === 'transient' || why === 'permanent'
}

function isOfTheModel({ why, error }: TurnFailure): boolean {
  return why === 'transient' || (why === 'permanent' && OF_THE_MODEL.has(error?.code ?? ''))
}

function candidatesLeft(state: State, { failure, failures }: Turn): readonly number[] {
  if (failure && !isOfTheModel(failure)) return []
  return [...candidatesOf(state.definition).keys()].filter((place) => {
    const own = failures.filter((each) => each.candidate === place && each.model === nameAt(state, place))
    return own.length <= state.limits.maxRetries && own.every((each) => each.why === 'transient' && isWorthWaiting(state, each))
  })
}

/** A pause that ends after the run must is not begun. */
function isWorthWaiting({ run, limits }: State, { stamp, retryAfterMs }: TurnFailure): boolean {
  const pauseMs = retryAfterMs ?? 0
  if (pauseMs > MAX_RETRY_AFTER_MS) return false
  return !run || limits.runTimeoutMs === undefined || pauseMs === 0 || stamp.at + pauseMs < run.stamp.at + limits.runTimeoutMs
}

function choose(state: State, places: readonly number[], now: Ms): NextTry {
  let soonest: NextTry | null = null
  for (const candidate of places) {
    const aside = asideOf(state, candidate)
    if (!aside || now >= aside.stamp.at + Math.max(aside.pauseMs, COOL_DOWN_MS)) return { candidate, due: 0 }
    const due = Math.max(now, aside.stamp.at + aside.pauseMs)
    if (!soonest || due < soonest.due) soonest = { candidate, due }
  }
  return soonest ?? { candidate: 0, due: 0 }
}

function asideOf(state: State, place: number): Aside | undefined {
  return state.aside.get(nameAt(state, place))
}

function nameAt({ definition }: State, place: number): string {
  return toModelName(candidateAt(definition, place))
}
