// Keeps I5, I7, I10 and I12 where a decision meets the end of its wait: by expiry, and by a cancel.
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Decision } from '../src/contracts/decision.ts'
import type { Fact, FactOf } from '../src/contracts/fact.ts'
import type { Runtime } from '../src/contracts/api.ts'
import type { ThreadHandle } from '../src/contracts/thread-handle.ts'
import type { Store } from '../src/contracts/store.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import type { FakeClock } from '../src/testing/fake-clock.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import type { Ledger } from './approval-kit.ts'
import { agent, caller, pay, runtimeOf } from './approval-kit.ts'
import type { Random } from './model/random.ts'
import { createRandom } from './model/random.ts'
import { factsOf, folder, latch, recordingModel, runThrough, toolOf, until, userTexts, within } from './runtime-kit.ts'

const SEED = Number(process.env['HOLDFAST_SEED'] ?? 1)
const RACES = Number(process.env['HOLDFAST_SCHEDULES'] ?? 300)
/** So many threads race at once. */
const LANES = 20
const EXPIRES_MS = 500
const LONG_MS = 86_400_000
const SLOW = 600_000

/** Two runtimes over two handles on one file: one that drives, and one that decides and drives what it has decided about. */
interface Place {
  readonly clock: FakeClock
  readonly ledger: Ledger
  /** When the tool ends that keeps a thread busy, and so its owner. */
  readonly work: { over: Promise<void> }
  readonly store: Store
  readonly driver: Runtime
  readonly decider: Runtime
}

async function place(expiresInMs: number, random: Random): Promise<Place> {
  const clock = fakeClock()
  const path = join(await folder(), 'holdfast.db')
  const open = () => sqliteStore(path, { clock, durability: 'process' })
  const [store, other] = [await open(), await open()]
  onTestFinished(async () => {
    await store[Symbol.asyncDispose]()
    await other[Symbol.asyncDispose]()
  })
  const ledger: Ledger = { ran: [] }
  const work = { over: Promise.resolve() }
  const model = recordingModel(({ answers, prompt }) => {
    const calls = [{ name: 'pay', arguments: { amount: 12 } }]
    if (answers > 0) return { text: 'done' }
    return { toolCalls: userTexts(prompt)[0] === 'busy' ? [...calls, { name: 'work', arguments: {} }] : calls }
  })
  const tools = [
    pay(ledger, { approval: { expiresInMs } }),
    toolOf('work', (_, { signal }) => {
      const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      return Promise.race([work.over, aborted])
    })
  ]
  const options = { clock, models: { main: model }, tools }
  const person = { kind: 'person', id: 'ann' } as const
  const driver = runtimeOf(slowStore(store, random), options)
  return { clock, ledger, work, store, driver, decider: runtimeOf(other, { ...options, principal: person }) }
}

/** A store whose answers, and whose appends, are a while under way: others come in between. */
function slowStore(store: Store, random: Random): Store {
  return {
    ...store,
    async pending(thread) {
      const items = await store.pending(thread)
      await pause(random.int(0, 4))
      return items
    },
    async append(request) {
      await pause(random.int(0, 4))
      return store.append(request)
    }
  }
}

async function pause(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

const DECISIONS: readonly [Decision, ...Decision[]] = [
  { decision: 'approve' },
  { decision: 'approve', arguments: { amount: 4 } },
  { decision: 'deny', reason: 'no' }
]

/** One thread whose wait was raced for. */
interface Lane {
  readonly handle: ThreadHandle
  readonly decision: Decision
  readonly state: string
  readonly facts: readonly Fact[]
}

/** Threads that wait for one approval each; then all are decided about while something else ends their waits. */
async function race(
  here: Place,
  random: Random,
  rival: (handles: readonly ThreadHandle[]) => readonly Promise<unknown>[]
): Promise<readonly Lane[]> {
  const { clock, driver, decider } = here
  const { open, opened } = latch()
  here.work.over = opened
  const handles = await Promise.all(
    Array.from({ length: LANES }, () => driver.start(agent('pay', 'work'), { input: random.pick(['idle', 'busy']) }))
  )
  // Nothing expires meanwhile: the clock stands.
  await until(async () => (await driver.waits({ limit: 1_000 })).items.length === LANES)
  const waits = new Map((await driver.waits({ limit: 1_000 })).items.map(({ thread, id }) => [thread, id]))
  const plans = handles.map(({ id }) => ({ wait: waits.get(id) ?? '', decision: random.pick(DECISIONS), turns: random.int(0, 12) }))
  const decided = plans.map(async ({ wait, decision, turns }) => {
    await pause(turns)
    return decider.decide(wait, decision)
  })
  const rivals = rival(handles)
  const receipts = await runSlowly(clock, Promise.all(decided))
  await runSlowly(clock, Promise.all(rivals))
  open()
  // Whatever an accepted decision let go on, and whatever expired, comes to rest by itself.
  await runThrough(clock, Promise.all(handles.map(untilEnded)))
  return Promise.all(
    handles.map(async (handle, lane) => ({
      handle,
      decision: plans[lane]?.decision ?? { decision: 'approve' },
      state: receipts[lane]?.state ?? '',
      facts: await factsOf(handle)
    }))
  )
}

/** A thread rests, too, while its timer is due and nobody has taken it yet. */
async function untilEnded(handle: ThreadHandle): Promise<void> {
  while ((await handle.settled()).status === 'waiting') await pause(1)
}

/** Lets something end that may wait for another handle: the time for that passes, and hardly any more. */
async function runSlowly<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  let isOver = false
  const end = work.finally(() => {
    isOver = true
  })
  end.catch(() => {})
  while (!isOver) {
    await pause(40)
    await clock.advance(1)
  }
  return end
}

/** What must hold however a race ended; gives how it ended. */
function check({ ledger }: Place, { handle, decision, state, facts }: Lane): string {
  const of = <T extends Fact['type']>(type: T): readonly FactOf<T>[] => facts.filter((fact): fact is FactOf<T> => fact.type === type)
  const ran = ledger.ran.filter(({ key }) => key.startsWith(handle.id))
  const [settled, ...more] = of('call.settled').filter(({ call }) => call.endsWith('.0'))
  const [resolved, ...others] = of('wait.resolved')
  expect({ more, others }).toEqual({ more: [], others: [] })
  expect(of('run.ended')).toHaveLength(1)
  expect(resolved?.as === 'decided' ? state : 'accepted').toBe('accepted')
  switch (resolved?.as) {
    case 'expired':
      // Nobody is told that a decision counts that does not.
      expect(['expired', 'closed']).toContain(state)
      expect(settled?.outcome).toBe('expired')
      break
    case 'cancelled':
      expect(['accepted', 'closed']).toContain(state)
      expect(settled?.outcome).toBe('cancelled')
      // An accepted decision does not vanish: the log names it.
      expect(facts.filter((fact) => fact.cause?.startsWith('decide:'))).toHaveLength(state === 'accepted' ? 1 : 0)
      break
    default:
      expect(resolved?.as).toBe('decided')
      expect(facts.filter((fact) => fact.type === 'item.discarded' && fact.cause?.startsWith('decide:'))).toEqual([])
  }
  const isApproved = resolved?.as === 'decided' && decision.decision === 'approve'
  const isCancelled = settled?.outcome === 'cancelled'
  const input = decision.decision === 'approve' ? (decision.arguments ?? { amount: 12 }) : null
  expect(ran.map((each) => each.input)).toEqual(isApproved && !isCancelled ? [input] : [])
  if (ran.length > 0) {
    // Nothing begins behind a cancel.
    const types = facts.map((fact) => fact.type)
    const cancelled = types.indexOf('run.cancelRequested')
    expect(cancelled === -1 || types.findIndex((_, index) => isStartOf(facts[index], '.0')) < cancelled).toBe(true)
  }
  return `${state}, ${resolved?.as}, ${settled?.outcome}`
}

function isStartOf(fact: Fact | undefined, call: string): boolean {
  return fact?.type === 'call.started' && fact.call.endsWith(call)
}

async function runRaces(
  expiresInMs: number,
  act: (here: Place, random: Random) => Promise<readonly Lane[]>
): Promise<ReadonlyMap<string, number>> {
  const ends = new Map<string, number>()
  const here = await place(expiresInMs, createRandom(SEED))
  for (let done = 0; done < RACES; done += LANES) {
    const seed = SEED + done / LANES
    const lanes = await act(here, createRandom(seed))
    for (const lane of lanes) {
      try {
        const end = check(here, lane)
        ends.set(end, (ends.get(end) ?? 0) + 1)
      } catch (error) {
        if (error instanceof Error) error.message = `seed ${seed}, thread ${lane.handle.id}: ${error.message}`
        throw error
      }
    }
    expect((await here.driver.waits()).items).toEqual([])
  }
  process.stdout.write(`${[...ends].map(([end, count]) => `${count} × ${end}`).join('; ')}\n`)
  expect([...ends.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(RACES)
  return ends
}

describe('a decision', () => {
  // B040
  test('that meets the expiry of its wait is the one or the other, and the thread goes on', { timeout: SLOW }, async () => {
    const ends = await runRaces(EXPIRES_MS, (here, random) =>
      race(here, random, () => {
        const turns = random.int(0, 12)
        return [pause(turns).then(() => here.clock.advance(EXPIRES_MS))]
      })
    )
    const names = [...ends.keys()]
    expect(names.some((end) => end.includes('decided'))).toBe(true)
    expect(names.some((end) => end.includes('expired'))).toBe(true)
  })

  // B034
  test('that meets a cancel runs before it or never, and the thread comes to rest', { timeout: SLOW }, async () => {
    const ends = await runRaces(LONG_MS, (here, random) =>
      race(here, random, (handles) =>
        handles.map(async (handle) => {
          await pause(random.int(0, 12))
          await handle.cancel({ reason: 'enough' })
        })
      )
    )
    const names = [...ends.keys()]
    expect(names.some((end) => end.includes('decided'))).toBe(true)
    expect(names.some((end) => end.includes('cancelled'))).toBe(true)
  })

  // I3, I5, I7
  test('that meets a cancel late in a long attempt is read with all that the attempt has done', async () => {
    const inner = memoryStore()
    let racing = ''
    const store: Store = {
      ...inner,
      // A log of many pages.
      read: (thread, from) => inner.read(thread, from, 1),
      async append(request) {
        const wait = request.close.find((id) => id === racing)
        if (wait !== undefined) {
          racing = ''
          await inner.decide(wait, { decision: 'approve' }, { kind: 'person', id: 'ann' })
        }
        return inner.append(request)
      }
    }
    const ledger: Ledger = { ran: [] }
    const begun: string[] = []
    const work = toolOf(
      'work',
      (_, { call, signal }) => {
        begun.push(call)
        return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      },
      { effect: 'once' }
    )
    const model = caller({ name: 'pay', arguments: { amount: 3 } }, { name: 'work', arguments: {} })
    const runtime = runtimeOf(store, { tools: [pay(ledger), work], models: { main: model } })
    const run = await runtime.start(agent('pay', 'work'), { input: 'go' })
    await until(() => begun.length === 1)
    racing = (await runtime.waits()).items[0]?.id ?? ''
    await run.cancel()
    expect((await within(run.settled())).status).toBe('cancelled')
    expect(racing).toBe('')
    expect(begun).toHaveLength(1)
    expect(ledger.ran).toEqual([])
    expect((await run.verify()).problems).toEqual([])
  })
})
