import type { Store } from '../contracts/store.ts'
import { faultyArtifacts, repeatingArtifacts } from './faulty-artifacts.ts'
import type { FaultPlan } from './fault-plan.ts'
import { createFaults, createRepeats } from './fault-plan.ts'

/** A store whose calls fail as planned. */
export interface FaultyStore extends Store {
  /** Writes asked for so far: one more than the last that a crash matrix has to try. */
  readonly writes: number
  /**
   * From the next call on everything throws, as if this process were dead; the store behind lives on. `store_closed` (default) makes
   * callers give up, `store_unavailable` lets them repeat until their lease is over. May be called from within `fail`.
   */
  die(code?: 'store_closed' | 'store_unavailable'): void
  /** Resolves when no write that reached the store behind is under way any more. */
  drained(): Promise<void>
}

/** Wraps a store so that chosen calls fail before or after their effect with `store_unavailable`. */
export function faultyStore(store: Store, plan: FaultPlan = {}): FaultyStore {
  const faults = createFaults(plan)
  const { write, read } = faults
  return {
    durability: store.durability,
    get writes() {
      return faults.writes
    },
    die(code = 'store_closed') {
      faults.die(code)
    },
    drained: faults.drained,
    artifacts: faultyArtifacts(store.artifacts, faults),
    publish: write('publish', store.publish),
    create: write('create', store.create),
    append: write('append', store.append),
    deliver: write('deliver', store.deliver),
    decide: write('decide', store.decide),
    beat: write('beat', store.beat),
    claim: write('claim', store.claim),
    import: write('import', store.import),
    remove: write('remove', store.remove),
    publication: read('publication', store.publication),
    pending: read('pending', store.pending),
    items: read('items', store.items),
    read: read('read', store.read),
    follow: read('follow', store.follow),
    thread: read('thread', store.thread),
    threads: read('threads', store.threads),
    runs: read('runs', store.runs),
    waits: read('waits', store.waits),
    wait: read('wait', store.wait),
    artifactUses: read('artifactUses', store.artifactUses),
    hint: (listener) =>
      store.hint((thread) => {
        if (!faults.isDead) listener(thread)
      }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]()
  }
}

/** Wraps a store so that every call is repeated while it throws `store_unavailable`, as callers must (contract of `Store`). */
export function repeatingStore(store: Store, repeats = 10): Store {
  const again = createRepeats(repeats)
  return {
    durability: store.durability,
    artifacts: repeatingArtifacts(store.artifacts, repeats),
    publish: again(store.publish),
    create: again(store.create),
    append: again(store.append),
    deliver: again(store.deliver),
    decide: again(store.decide),
    beat: again(store.beat),
    claim: again(store.claim),
    import: again(store.import),
    remove: again(store.remove),
    publication: again(store.publication),
    pending: again(store.pending),
    items: again(store.items),
    read: again(store.read),
    follow: again(store.follow),
    thread: again(store.thread),
    threads: again(store.threads),
    runs: again(store.runs),
    waits: again(store.waits),
    wait: again(store.wait),
    artifactUses: again(store.artifactUses),
    hint: (listener) => store.hint(listener),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]()
  }
}
