import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import type { Fact } from '../src/contracts/fact.ts'
import type { Action, Heart, PlanContext, Planned } from '../src/contracts/heart.ts'
import type { Claim } from '../src/contracts/claim.ts'
import type { AppendRequest, InboxItem, ItemKind, Store } from '../src/contracts/store.ts'
import { NO_USAGE } from '../src/contracts/usage.ts'
import type { DrivePorts, WakeReason } from '../src/loop/drive.ts'
import { drive } from '../src/loop/drive.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const THREAD = 'thr_1'
const ROW = { status: 'running', agent: 'a', needs: [], turns: 0, usage: NO_USAGE, cost: 0, runUsage: NO_USAGE, runCost: 0 } as const
const IDLE: Planned = { facts: [], send: [], spawn: [], open: [], close: [], actions: [], timer: null, rest: true }

const note = (item: string): Fact => ({ v: 1, type: 'item.discarded', item, why: 'stale' })
const started: Fact = { v: 1, type: 'turn.started', turn: 't', try: 1, model: 'm' }
const effect = (id: string): Action => ({ id, scope: '', do: 'infer', turn: id })
const acts = (...ids: string[]): Planned => ({ ...IDLE, actions: ids.map(effect), rest: false })
const follows = (...facts: Fact[]): Planned => ({ ...IDLE, facts, rest: false })

type Log = readonly Fact[]
const has = (log: Log, item: string): boolean => log.some((fact) => fact.type === 'item.discarded' && fact.item === item)
const isStarted = (log: Log): boolean => log.some((fact) => fact.type === 'turn.started')

/** A heart without an agent: the state is the list of facts; `take` consumes cancels, `plan` is the test's. */
const heartOf = (plan: (log: Log, context: PlanContext) => Planned): Heart<Log> => ({
  evolve: (log, _stamp, fact) => [...log, fact],
  take: (_log, items) => {
    const item = items.find((each) => each.kind === 'cancel')
    return item ? { item, facts: [{ ...note(item.id), cause: item.id }] } : null
  },
  plan,
  project: () => ROW,
  progress: () => false,
  reachesOut: () => true
})

const itemOf = (id: string, kind: ItemKind): Omit<InboxItem, 'at' | 'state'> => ({
  id,
  thread: THREAD,
  kind,
  from: { kind: 'host', id: 'h' },
  digest: `sha256:${id}`,
  body: null
})

interface Bench {
  readonly store: Store
  readonly claim: Claim
  readonly requests: AppendRequest[]
  readonly performed: string[]
  readonly slept: (number | null)[]
  /** Ends a running effect. */
  finish(id: string, ...facts: Fact[]): void
  /** Runs just before the store gets an append. */
  beforeAppend: (count: number) => unknown
  wake: (sleeps: number) => WakeReason | Promise<WakeReason>
  stopping: boolean
  leaseHolds: boolean
  run(plan: (log: Log, context: PlanContext) => Planned): Promise<string>
  facts(): Promise<readonly Fact[]>
}

async function benchOf(): Promise<Bench> {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const created: Fact = { v: 1, type: 'thread.created', publication: 'sha256:p', grants: {}, rules: [], root: THREAD, depth: 0 }
  await store.create({ tenant: 't', id: THREAD, root: THREAD, path: '', created, first: itemOf('first', 'cancel'), row: ROW })
  const [claim] = await store.claim({ worker: 'w', leaseMs: 1_000, max: 1, not: [], can: { format: 1, needs: [] } })
  if (!claim) throw new Error('the thread cannot be claimed')
  const running = new Map<string, (facts: readonly Fact[]) => void>()
  const bench: Bench = {
    store,
    claim,
    requests: [],
    performed: [],
    slept: [],
    finish: (id, ...facts) => running.get(id)?.(facts),
    beforeAppend: () => {},
    wake: () => 'timer',
    stopping: false,
    leaseHolds: true,
    facts: async () => (await store.read(THREAD, 1, 1e9)).flatMap((commit) => commit.facts),
    run(plan) {
      const ports: DrivePorts<Log> = {
        ...heartOf(plan),
        store: {
          pending: (thread) => store.pending(thread),
          append: async (request) => {
            await bench.beforeAppend(withinBound(bench.requests.push(request)))
            return store.append(request)
          }
        },
        clock,
        worker: 'w',
        load: async () => ({ state: [], head: 1 }),
        perform: (action, _state, done) => {
          bench.performed.push(action.id)
          running.set(action.id, done)
          return { abort: (reason) => bench.performed.push(`${action.id} ${reason}`) }
        },
        wake: async (_claim, until) => bench.wake(withinBound(bench.slept.push(until))),
        announce: () => {},
        stopping: () => bench.stopping,
        crashBudget: 5,
        leaseHolds: () => bench.leaseHolds,
        mayBegin: () => bench.leaseHolds
      }
      return drive(claim, ports)
    }
  }
  return bench
}

/** A driver that goes round in circles fails its test instead of hanging it. */
function withinBound(count: number): number {
  if (count > 20) throw new Error('the driver goes round in circles')
  return count
}

describe('a release', () => {
  test('that was refused twice for fresh items goes on from the head that the store names', async () => {
    const bench = await benchOf()
    bench.beforeAppend = (count) => (count <= 2 ? bench.store.deliver([itemOf(`event-${count}`, 'event')]) : undefined)
    expect(await bench.run(() => IDLE)).toBe('rested')
    expect(bench.requests.map((request) => [request.expectedSequence, request.deferred])).toEqual([
      [1, []],
      [2, ['event-1']],
      [3, ['event-2']]
    ])
  })
})

describe('an outcome', () => {
  // I3: a gate that ended while the cancel of its run was being committed must not write into the ended run.
  test('of an effect that the state does not speak of any more is dropped', async () => {
    const bench = await benchOf()
    bench.wake = async (): Promise<WakeReason> => {
      await bench.store.deliver([itemOf('cancel', 'cancel')])
      return 'items'
    }
    bench.beforeAppend = (count) => (count === 2 ? bench.finish('gate', note('late')) : undefined)
    expect(await bench.run((log) => (has(log, 'cancel') ? IDLE : acts('gate')))).toBe('rested')
    expect(has(await bench.facts(), 'late')).toBe(false)
  })

  test('that comes while an append is under way is committed by the next one and its effect is not started again', async () => {
    const bench = await benchOf()
    bench.wake = () => {
      bench.finish('a', note('a'))
      return 'outcome'
    }
    bench.beforeAppend = (count) => (count === 2 ? bench.finish('b', note('b')) : undefined)
    const plan = (log: Log): Planned => (has(log, 'b') ? IDLE : has(log, 'a') ? acts('b') : acts('a', 'b'))
    expect(await bench.run(plan)).toBe('rested')
    expect(bench.performed).toEqual(['a', 'b'])
    expect(bench.requests.map((request) => request.facts.length)).toEqual([2, 1, 1])
  })
})

describe('a drive that sleeps', () => {
  test('holds nothing of what it committed before', async () => {
    const bench = await benchOf()
    const takeRequests = (): readonly WeakRef<AppendRequest>[] => bench.requests.splice(0).map((request) => new WeakRef(request))
    const held: boolean[] = []
    bench.wake = async (): Promise<WakeReason> => {
      const requests = takeRequests()
      for (let turn = 0; turn < 3; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve))
        collectGarbage()
      }
      held.push(...requests.map((request) => request.deref() !== undefined))
      bench.finish('a', note('a'))
      return 'outcome'
    }
    expect(await bench.run((log) => (has(log, 'a') ? IDLE : acts('a')))).toBe('rested')
    expect(held).toEqual([false])
  })
})

describe('a lease that does not hold', () => {
  test('keeps what is announced from starting until it holds again', async () => {
    const bench = await benchOf()
    bench.leaseHolds = false
    bench.wake = (sleeps) => {
      if (sleeps === 1) bench.leaseHolds = true
      else bench.finish('a', note('a'))
      return 'timer'
    }
    expect(await bench.run((log) => (has(log, 'a') ? IDLE : acts('a')))).toBe('rested')
    expect(bench.slept).toEqual([expect.any(Number), null])
    expect(bench.performed).toEqual(['a'])
  })
})

describe('a stopping worker', () => {
  const afterA = (log: Log, { stopping }: PlanContext): Planned => {
    if (isStarted(log)) return acts('t')
    if (!has(log, 'a')) return acts('a', 'b')
    return stopping ? acts('b') : follows(started)
  }

  // I5: what it would announce and not begin, the next owner could only call unknown.
  test('tells the plan so, records what ends, and lets go with the thread ready', async () => {
    const bench = await benchOf()
    bench.wake = (sleeps) => {
      bench.stopping = true
      if (sleeps === 1) bench.finish('a', note('a'))
      else bench.finish('b', note('b'))
      return 'outcome'
    }
    expect(await bench.run(afterA)).toBe('drained')
    const facts = await bench.facts()
    expect([has(facts, 'a'), has(facts, 'b'), isStarted(facts)]).toEqual([true, true, false])
    expect(bench.performed).toEqual(['a', 'b'])
    expect(bench.requests.at(-1)).toMatchObject({ then: 'release', timer: { inMs: 0 } })
  })

  test('begins what it announced before it was asked to stop', async () => {
    const bench = await benchOf()
    bench.beforeAppend = async (count) => {
      if (count !== 1) return
      bench.stopping = true
      await bench.store.deliver([itemOf('event', 'event')])
    }
    bench.wake = () => {
      bench.finish('t', note('t'))
      return 'outcome'
    }
    const plan = (log: Log): Planned => (has(log, 't') ? IDLE : isStarted(log) ? acts('t') : follows(started))
    expect(await bench.run(plan)).toBe('drained')
    expect(bench.performed).toEqual(['t'])
  })

  test('lets go of what runs when its grace is over', async () => {
    const bench = await benchOf()
    bench.wake = (sleeps) => {
      bench.stopping = true
      if (sleeps === 1) return 'stop'
      bench.finish('a')
      return 'outcome'
    }
    expect(await bench.run(() => acts('a'))).toBe('drained')
    expect(bench.performed).toEqual(['a', 'a drain'])
    expect(bench.requests.at(-1)).toMatchObject({ then: 'release', facts: [], timer: { inMs: 0 } })
  })
})
