import type { Fact } from '../contracts/fact.ts'
import type { ToolCallPart } from '../contracts/message.ts'
import { isPromise } from '../util/promise.ts'
import type { GateBounds, GateRequest } from './gate.ts'
import { gateCall, openCall } from './gate.ts'
import type { PreparedPublication } from './prepare.ts'

/** Whose calls are judged. */
export type AnswerPlace = Pick<GateRequest, 'thread' | 'run' | 'scope'> & { readonly turn: string }

/** How they are judged. */
export interface AnswerGate {
  readonly bounds: GateBounds
  /** Whether hooks look first, at what is committed: then only what nobody need look at is refused. */
  readonly isLooked: boolean
  /** Those that are judged already. */
  isJudged?(position: number): boolean
}

/** What the gate says of an answer's calls, as far as it can say it at once: what must be awaited is awaited after the answer is committed. */
export function gateAnswer(
  { thread, run, scope, turn }: AnswerPlace,
  calls: readonly Pick<ToolCallPart, 'tool' | 'input'>[],
  prepared: PreparedPublication,
  { bounds, isLooked, isJudged }: AnswerGate
): readonly Fact[] {
  const facts: Fact[] = []
  let position = -1
  for (const { tool, input } of calls) {
    position += 1
    if (isJudged?.(position)) continue
    const request = { thread, run, scope, call: `${turn}.${position}`, tool, input, position }
    const gated = isLooked ? openCall(request, prepared, bounds) : gateCall(request, prepared, bounds)
    if (isPromise(gated)) gated.catch(() => {})
    else if ('type' in gated) facts.push(gated)
  }
  return facts
}
