import type { FactOf } from '../../src/contracts/fact.ts'
import type { Publication } from '../../src/contracts/publication.ts'
import { Violation } from './witness.ts'

/** Makes a judge for the log of one thread: which model a try asks is one of the publication's, and that it is another one than before is said. */
export function createModelJudge({ definition }: Publication): (fact: FactOf<'turn.started'>) => void {
  const { fallbacks = [], ...first } = definition.model
  const names = [first, ...fallbacks].map((each) => ('ref' in each ? each.ref : `${each.provider}/${each.model}`))
  let asked: string | null = null
  return ({ turn, model, candidate = 0, moved }) => {
    if (model !== names[candidate]) throw new Violation('I19', `${turn} asks ${model}, and candidate ${candidate} is ${names[candidate]}`)
    const before = asked ?? model
    if ((moved?.from ?? model) !== before) throw new Violation('I19', `${turn} asks ${model} after ${before} and does not say so`)
    asked = model
  }
}
