import type { Fact } from '../../src/contracts/fact.ts'
import type { ItemId } from '../../src/contracts/ids.ts'
import type { WitnessedThread } from './witness.ts'
import { Violation } from './witness.ts'

/** What the log says of the thread just before a fact. */
interface Before {
  readonly isActive: boolean
  readonly isCancelled: boolean
  readonly waits: ReadonlyMap<string, unknown>
}

/** Judges whether items are consumed by exactly one commit, and returned or discarded only where protocol §3 says so (I10). */
export interface ItemJudge {
  judge(fact: Fact, before: Before): void
  endCommit(): void
}

/** Makes a judge for the accepted items of one thread. */
export function createItemJudge(items: WitnessedThread['items']): ItemJudge {
  const consumed = new Set<ItemId>()
  let inThisCommit = new Set<ItemId>()
  /** Returned in this commit: a later cancel must be consumed by the same. */
  let returned: ItemId[] = []

  function judge(fact: Fact, before: Before): void {
    const { cause } = fact
    if (cause === undefined) return
    const item = items.get(cause)
    if (!item) throw new Violation('I10', `${fact.type} names ${cause}, which was never accepted`)
    if (consumed.has(cause) && !inThisCommit.has(cause)) throw new Violation('I10', `${cause} is consumed by two commits`)
    consumed.add(cause)
    inThisCommit.add(cause)
    if (fact.type === 'message.returned') returned.push(cause)
    if (fact.type === 'item.discarded' && !mayDiscard(fact, item.kind, before)) {
      throw new Violation('I10', `${cause} is discarded as ${fact.why}, which it was not`)
    }
  }

  function endCommit(): void {
    for (const id of returned) {
      const order = items.get(id)?.order ?? 0
      const isCancelled = [...inThisCommit].some((other) => items.get(other)?.kind === 'cancel' && (items.get(other)?.order ?? 0) > order)
      if (!isCancelled) throw new Violation('I10', `${id} is returned although no cancel came after it`)
    }
    inThisCommit = new Set()
    returned = []
  }

  return { judge, endCommit }
}

function mayDiscard(fact: Extract<Fact, { type: 'item.discarded' }>, kind: string, before: Before): boolean {
  if (kind === 'cancel') return fact.why === (before.isActive ? 'stale' : 'no_run') && (!before.isActive || before.isCancelled)
  if (kind !== 'decision' || fact.why !== 'closed') return false
  return before.isCancelled || !before.waits.has((fact.cause ?? '').slice('decide:'.length))
}
