import { HoldfastError } from '../contracts/errors.ts'

/** The methods of a store and of its artifacts that write, and those that only read. */
export type StoreWrite =
  | 'publish'
  | 'create'
  | 'append'
  | 'deliver'
  | 'decide'
  | 'beat'
  | 'claim'
  | 'import'
  | 'remove'
  | 'artifacts.put'
  | 'artifacts.remove'
export type StoreRead =
  | 'publication'
  | 'pending'
  | 'items'
  | 'read'
  | 'follow'
  | 'thread'
  | 'threads'
  | 'runs'
  | 'waits'
  | 'wait'
  | 'artifactUses'
  | 'artifacts.get'
  | 'artifacts.info'
  | 'artifacts.list'

/** Where a call fails: before anything happened, or after its effect, so that the caller cannot know. */
export type FaultPoint = 'before' | 'after' | null

/** What fails. Both are asked once per call. */
export interface FaultPlan {
  /** `index` counts the writes from 1. */
  readonly fail?: (write: { readonly index: number; readonly method: StoreWrite }) => FaultPoint
  readonly failRead?: (read: { readonly index: number; readonly method: StoreRead }) => FaultPoint
}

type Call<Arguments extends readonly unknown[], Result> = (...given: Arguments) => Promise<Result>

/** Makes calls that fail as planned. */
export interface Faults {
  readonly writes: number
  readonly isDead: boolean
  die(code: 'store_closed' | 'store_unavailable'): void
  /** Resolves when no write is under way any more. */
  drained(): Promise<void>
  write<Arguments extends readonly unknown[], Result>(method: StoreWrite, call: Call<Arguments, Result>): Call<Arguments, Result>
  read<Arguments extends readonly unknown[], Result>(method: StoreRead, call: Call<Arguments, Result>): Call<Arguments, Result>
}

/** Counts calls and lets them fail before or after their effect with `store_unavailable`. */
export function createFaults(plan: FaultPlan): Faults {
  let writes = 0
  let reads = 0
  let dead: 'store_closed' | 'store_unavailable' | null = null
  const underWay = new Set<Promise<unknown>>()
  return {
    get writes() {
      return writes
    },
    get isDead() {
      return dead !== null
    },
    die(code) {
      dead = code
    },
    async drained() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
    write(method, call) {
      return (...given) => {
        if (dead !== null) return Promise.reject(deadStore(dead))
        writes += 1
        const answer = runFaulty(method, plan.fail?.({ index: writes, method }) ?? null, () => call(...given))
        track(underWay, answer)
        return answer
      }
    },
    read(method, call) {
      return (...given) => {
        if (dead !== null) return Promise.reject(deadStore(dead))
        reads += 1
        return runFaulty(method, plan.failRead?.({ index: reads, method }) ?? null, () => call(...given))
      }
    }
  }
}

/** Makes calls that are repeated while they throw `store_unavailable`, as callers must. */
export function createRepeats(repeats: number) {
  return <Arguments extends readonly unknown[], Result>(call: Call<Arguments, Result>): Call<Arguments, Result> =>
    async (...given) => {
      for (let left = repeats; ; left -= 1) {
        try {
          return await call(...given)
        } catch (error) {
          if (left === 0 || !(error instanceof HoldfastError) || error.code !== 'store_unavailable') throw error
        }
      }
    }
}

/** Fails each method in turn before and after its effect, then lets it pass. */
export function createRota(): (call: { readonly method: string }) => FaultPoint {
  const asked = new Map<string, number>()
  return ({ method }) => {
    const count = asked.get(method) ?? 0
    asked.set(method, count + 1)
    const points = ['before', 'after', null] as const
    return points[count % points.length] ?? null
  }
}

function track(underWay: Set<Promise<unknown>>, answer: Promise<unknown>): void {
  const ended = answer.then(forget, forget)
  function forget(): void {
    underWay.delete(ended)
  }
  underWay.add(ended)
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
