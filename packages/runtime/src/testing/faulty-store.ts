import { HoldfastError } from '../contracts/errors.ts'
import type { Store } from '../contracts/store.ts'

/** The methods of a store that write, and those that only read. */
export type StoreWrite = 'publish' | 'create' | 'append' | 'deliver' | 'decide' | 'beat' | 'claim' | 'import' | 'remove'
export type StoreRead = 'publication' | 'pending' | 'items' | 'read' | 'follow' | 'thread' | 'threads' | 'runs' | 'waits' | 'wait'

/** Where a call fails: before anything happened, or after its effect, so that the caller cannot know. */
export type FaultPoint = 'before' | 'after' | null

/** What fails. Both are asked once per call. */
export interface FaultPlan {
  /** `index` counts the writes from 1. */
  readonly fail?: (write: { readonly index: number; readonly method: StoreWrite }) => FaultPoint
  readonly failRead?: (read: { readonly index: number; readonly method: StoreRead }) => FaultPoint
}

/** A store whose calls fail as planned. */
export interface FaultyStore extends Store {
  /** Writes asked for so far: one more than the last that a crash matrix has to try. */
  readonly writes: number
  /**
   * From the next call on everything throws, as if this process were dead; the store behind lives on. `store_closed` (default) makes
   * callers give up, `store_unavailable` lets them repeat until their lease is over. May be called from within `fail`.
   */
  die(code?: 'store_closed' | 'store_unavailable'): void
}

/** Wraps a store so that chosen calls fail before or after their effect with `store_unavailable`. */
export function faultyStore(store: Store, plan: FaultPlan = {}): FaultyStore {
  let writes = 0
  let reads = 0
  let dead: 'store_closed' | 'store_unavailable' | null = null

  function write<Arguments extends readonly unknown[], Result>(method: StoreWrite, call: (...given: Arguments) => Promise<Result>) {
    return (...given: Arguments): Promise<Result> => {
      if (dead !== null) return Promise.reject(deadStore(dead))
      writes += 1
      return runFaulty(method, plan.fail?.({ index: writes, method }) ?? null, () => call(...given))
    }
  }

  function read<Arguments extends readonly unknown[], Result>(method: StoreRead, call: (...given: Arguments) => Promise<Result>) {
    return (...given: Arguments): Promise<Result> => {
      if (dead !== null) return Promise.reject(deadStore(dead))
      reads += 1
      return runFaulty(method, plan.failRead?.({ index: reads, method }) ?? null, () => call(...given))
    }
  }

  return {
    durability: store.durability,
    get writes() {
      return writes
    },
    die(code = 'store_closed') {
      dead = code
    },
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
    hint: (listener) =>
      store.hint((thread) => {
        if (dead === null) listener(thread)
      }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]()
  }
}

/** Wraps a store so that every call is repeated while it throws `store_unavailable`, as callers must (contract of `Store`). */
export function repeatingStore(store: Store, repeats = 10): Store {
  const again =
    <Arguments extends readonly unknown[], Result>(call: (...given: Arguments) => Promise<Result>) =>
    async (...given: Arguments): Promise<Result> => {
      for (let left = repeats; ; left -= 1) {
        try {
          return await call(...given)
        } catch (error) {
          if (left === 0 || !(error instanceof HoldfastError) || error.code !== 'store_unavailable') throw error
        }
      }
    }
  return {
    durability: store.durability,
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
    hint: (listener) => store.hint(listener),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]()
  }
}

async function runFaulty<Result>(method: string, point: FaultPoint, call: () => Promise<Result>): Promise<Result> {
  if (point === 'before') throw injectedFault(method, point)
  const result = await call()
  if (point === 'after') throw injectedFault(method, point)
  return result
}

function injectedFault(method: string, point: 'before' | 'after'): HoldfastError {
  return new HoldfastError('store_unavailable', `An injected fault: ${method} failed ${point} its effect.`, { details: { method, point } })
}

function deadStore(code: 'store_closed' | 'store_unavailable'): HoldfastError {
  return new HoldfastError(code, 'An injected fault: this process is dead.')
}
