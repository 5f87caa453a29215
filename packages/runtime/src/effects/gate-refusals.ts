import { nearest } from '../util/near-miss.ts'
import { cutText } from '../util/well-formed.ts'
import type { Judgement } from './gate-judgement.ts'
import type { PreparedPublication } from './prepare.ts'

const MAX_REASON_LENGTH = 2_000

/** A call that does not run, and what the model reads. */
export function blocked(by: string, reason: string): Judgement {
  return { verdict: 'block', by, result: { error: cutText(reason, MAX_REASON_LENGTH) } }
}

/** What a model reads that calls a tool that is not there. */
export function unknownTool(name: string, prepared: PreparedPublication): string {
  const names = prepared.definition.tools.map((tool) => tool.name)
  const near = nearest(name, names, 3)
  const offer = near.length > 0 ? near : names.slice(0, 20)
  const hint = offer.length === 0 ? 'There are no tools.' : `Available: ${offer.join(', ')}.`
  return `There is no tool named "${cutText(name, 100)}". ${hint}`
}
