import type { Json, JsonObject } from '../contracts/json.ts'
import type { ItemId, Ms, Principal, WaitId } from '../contracts/ids.ts'
import type { NewItem } from '../contracts/store.ts'
import type { Decided, WaitRow } from '../contracts/wait.ts'
import { digestJson, toCanonicalJson } from '../util/canonical.ts'
import { toWellFormedJson } from '../util/well-formed.ts'

/** What deciding does to a wait: the answer, and the row and the item to write when something changed. */
export interface Judgement {
  readonly answer: Decided
  readonly wait?: WaitRow
  readonly item?: NewItem
}

const DECISION = 'decide:'

/** The id of the item that carries the decision of a wait. */
export function decisionItemId(wait: WaitId): ItemId {
  return `${DECISION}${wait}`
}

/** Whether an id is one that only the store gives: nobody may take the place of a decision beforehand (I12). */
export function isReservedItemId(id: ItemId): boolean {
  return id.startsWith(DECISION)
}

/**
 * Judges one decision. A principal has one vote, and may change it until enough agree: else people who disagree could never come to agree. An approval that `needed` distinct principals gave is the wait's, and so is the first of any other
 * decision: whoever refuses, refuses for all. Notes do not make two approvals different. The body of
 * the item is `{ wait, decision }`, its sender the principal who completed the quorum.
 */
export function judgeDecision(wait: WaitRow, given: Json, by: Principal, now: Ms): Judgement {
  const decision = toWellFormedJson(given)
  if (wait.decision !== undefined)
    return { answer: { state: isSame(wait.decision, decision) ? 'repeated' : 'conflict', recorded: wait.decision } }
  if (wait.state === 'closed') return { answer: { state: 'closed' } }
  if (wait.expiresAt !== undefined && now >= wait.expiresAt) return { answer: { state: 'expired' } }
  const votes = wait.votes as readonly Vote[]
  const own = votes.find((vote) => vote.by.kind === by.kind && vote.by.id === by.id)
  if (own !== undefined && isSame(own.decision, decision)) return { answer: { state: 'repeated', recorded: decision } }
  const cast: readonly Vote[] = [...votes.filter((vote) => vote !== own), { by, decision, at: now }]
  if (isApproval(decision) && cast.filter((vote) => isSameVote(vote.decision, decision)).length < wait.needed) {
    return { answer: { state: 'counted' }, wait: { ...wait, votes: cast } }
  }
  const body = { wait: wait.id, decision }
  return {
    answer: { state: 'accepted', recorded: decision },
    wait: { ...wait, votes: cast, state: 'decided', decision },
    item: {
      id: decisionItemId(wait.id),
      thread: wait.thread,
      kind: 'decision',
      from: by,
      digest: digestJson({ kind: 'decision', body }),
      body
    }
  }
}

type Vote = { readonly by: Principal; readonly decision: Json; readonly at: Ms }

function isApproval(decision: Json): boolean {
  return decision === 'approve' || (isObject(decision) && decision['decision'] === 'approve')
}

/** Whether two say the same, whatever they note beside it. */
function isSameVote(a: Json, b: Json): boolean {
  return isSame(withoutNote(a), withoutNote(b))
}

function withoutNote(decision: Json): Json {
  if (!isObject(decision)) return decision
  const { note: _, ...said } = decision
  return said
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSame(a: Json, b: Json): boolean {
  return a === b || toCanonicalJson(a) === toCanonicalJson(b)
}
