import type { Fact } from '../contracts/fact.ts'

/**
 * Whether something outside may follow from a commit of these facts. Nothing does from an answer of which only calls begin that change
 * nothing: should a power cut take it, the model is asked again, as when the answer had not arrived. A fact that this does not know reaches
 * out. A call that a key makes repeatable does: asked again, the model may put other arguments under the same key.
 */
export function reachesOut(facts: readonly Fact[]): boolean {
  for (const fact of facts) if (!isHarmless(fact)) return true
  return false
}

function isHarmless(fact: Fact): boolean {
  if (fact.type === 'call.started') return fact.effect === 'read'
  return fact.type === 'model.responded' || fact.type === 'call.gated'
}
