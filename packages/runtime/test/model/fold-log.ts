import type { Commit } from '../../src/contracts/fact.ts'
import type { ThreadId } from '../../src/contracts/ids.ts'
import type { Publication } from '../../src/contracts/publication.ts'
import { evolve } from '../../src/state/evolve.ts'
import type { State } from '../../src/state/state.ts'
import { emptyState } from '../../src/state/state.ts'

/** The state of a thread, folded from its commits. */
export function foldLog(
  thread: ThreadId,
  publication: Publication,
  commits: readonly Pick<Commit, 'at' | 'attempt' | 'sequence' | 'facts'>[]
): State {
  let state = emptyState(thread, publication)
  for (const { at, attempt, sequence, facts } of commits) {
    const stamp = { at, attempt, sequence }
    for (const fact of facts) state = evolve(state, stamp, fact)
  }
  return state
}
