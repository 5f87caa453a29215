import type { Fact } from '../contracts/fact.ts'
import type { Action, Running } from '../contracts/heart.ts'
import type { State } from '../state/state.ts'
import { performAdmit } from './admit-message.ts'
import { performInfer } from './infer.ts'
import { performGate } from './perform-gate.ts'
import type { EffectPorts } from './ports.ts'
import { performPrepare } from './prepare-turn.ts'
import { performReconcile } from './reconcile-call.ts'
import { performReviewCall } from './review-call.ts'
import { performReviewTurn } from './review-turn.ts'
import { performRun } from './run-call.ts'

/**
 * What turns an action of the plan into an effect. Never throws; each effect ends in exactly one `done`. `mayBegin` tells whether an effect may still
 * touch the world when it comes to that.
 */
export type Perform = (action: Action, state: State, done: (facts: readonly Fact[]) => void, mayBegin: () => boolean) => Running

/** The effects of a conversation, one performer for each kind of action. */
export function createPerform(ports: EffectPorts): Perform {
  return (action, state, done, mayBegin) => {
    switch (action.do) {
      case 'infer':
        return performInfer(action, state, done, ports)
      case 'run':
        return performRun(action, state, { done, mayBegin }, ports)
      case 'reconcile':
        return performReconcile(action, state, done, ports)
      case 'gate':
        return performGate(action, state, done, ports)
      case 'admit':
        return performAdmit(action, state, done, ports)
      case 'prepare':
        return performPrepare(action, state, done, ports)
      case 'reviewTurn':
        return performReviewTurn(action, state, done, ports)
      case 'reviewCall':
        return performReviewCall(action, state, done, ports)
    }
  }
}
