import type { CallId } from '../contracts/ids.ts'
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
  return new NewCall(id, part, wireId)
}

function newWireId(taken: ReadonlySet<string>, place: string): string {
  let number = taken.size
  // A model that has seen ids of ours may make some up in their likeness.
  while (taken.has(`call_${number}_${place}`)) number++
  return `call_${number}_${place}`
}

/** A class, though it only holds data: where many turns are open at once V8 puts object literals among what lives long, with all that they come to hold. */
class NewCall implements Call {
  readonly id: CallId
  readonly tool: string
  readonly wireId: string
  readonly input: string
  verdict: Call['verdict'] = null
  arguments: Call['arguments'] = null
  digest: Call['digest'] = null
  verdictResult: Call['verdictResult'] = null
  asks: readonly string[] = NONE
  answered: readonly string[] = NONE
  expiresAfterMs: Call['expiresAfterMs'] = null
  needed = 1
  started: Call['started'] = null
  suspended: Call['suspended'] = null
  resumed: Call['resumed'] = null
  reconciled: Call['reconciled'] = null
  outcome: Call['outcome'] = null
  waits = 0
  wait: Call['wait'] = null
  decision: Call['decision'] = null
  decidedIn = 0
  reason: Call['reason'] = null
  edited: Call['edited'] = null
  changed = false
  answer: Call['answer'] = null
  settled: Call['settled'] = null
  result: Call['result'] = null
  inReview = false
  seen: Call['seen'] = null

  constructor(id: CallId, { tool, input }: ToolCallPart, wireId: string) {
    this.id = id
    this.tool = tool
    this.wireId = wireId
    this.input = input
  }
}
