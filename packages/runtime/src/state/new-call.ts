import type { ToolCallPart } from '../contracts/message.ts'
import { toPlainCallId } from './shown-history.ts'
import type { Call, Conversation, Turn } from './state.ts'

const NONE: readonly string[] = []

/** A call of a turn that nobody has looked at yet. */
export function newCall(conversation: Conversation, turn: Pick<Turn, 'id' | 'number'>, part: ToolCallPart, position: number): Call {
  const id = `${turn.id}.${position}`
  const { wireIds } = conversation
  // Ids on the wire are unique within a request; a model that gives none, or one twice, gets a stable one of ours.
  const isNew = part.id !== '' && !wireIds.has(part.id) && !wireIds.has(toPlainCallId(part.id))
  const wireId = isNew ? part.id : newWireId(wireIds, `${turn.number}_${position}`)
  // Neither it nor what other providers are shown in its place is taken by a later call.
  wireIds.add(wireId).add(toPlainCallId(wireId))
  return {
    id,
    tool: part.tool,
    wireId,
    input: part.input,
    verdict: null,
    arguments: null,
    digest: null,
    verdictResult: null,
    asks: NONE,
    answered: NONE,
    expiresAfterMs: null,
    needed: 1,
    started: null,
    suspended: null,
    resumed: null,
    reconciled: null,
    outcome: null,
    waits: 0,
    wait: null,
    decision: null,
    decidedIn: 0,
    reason: null,
    edited: null,
    changed: false,
    answer: null,
    settled: null,
    result: null,
    inReview: false,
    seen: null
  }
}

function newWireId(taken: ReadonlySet<string>, place: string): string {
  let number = taken.size
  // A model that has seen ids of ours may make some up in their likeness.
  while (taken.has(`call_${number}_${place}`)) number++
  return `call_${number}_${place}`
}
