import type { Fact, FactOf } from '../../src/contracts/fact.ts'
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
export function createItemJudge(items: WitnessedThread['items'], { isLooked }: { readonly isLooked: boolean }): ItemJudge {
  /** What hooks have said of items, and whether they are against it. */
  const admitted = new Map<ItemId, boolean>()
  const consumed = new Set<ItemId>()
  let inThisCommit = new Set<ItemId>()
  /** Returned in this commit: a later cancel must be consumed by the same. */
  let returned: ItemId[] = []

  function note({ item, error }: FactOf<'message.admitted'>): void {
    if (consumed.has(item)) throw new Violation('I10', `hooks look at ${item}, which is consumed`)
    admitted.set(item, error !== undefined)
  }

  function judgeSeen(fact: Fact, cause: ItemId): void {
    if (fact.type === 'message.received' && isLooked && admitted.get(cause) !== false) {
      throw new Violation('I9', `${cause} is taken, and no hook has let it pass`)
    }
    if (fact.type === 'message.returned' && fact.why === 'blocked' && admitted.get(cause) !== true) {
      throw new Violation('I9', `${cause} is sent back by no hook`)
    }
  }

  function judge(fact: Fact, before: Before): void {
    const { cause } = fact
    if (fact.type === 'message.admitted') note(fact)
    if (cause === undefined) return
    const item = items.get(cause)
    if (!item) throw new Violation('I10', `${fact.type} names ${cause}, which was never accepted`)
    if (consumed.has(cause) && !inThisCommit.has(cause)) throw new Violation('I10', `${cause} is consumed by two commits`)
    consumed.add(cause)
    inThisCommit.add(cause)
    judgeSeen(fact, cause)
    if (fact.type === 'message.returned' && fact.why !== 'blocked') returned.push(cause)
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
