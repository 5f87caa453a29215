// Keeps I5, I7, I11 and I17 at every write of a process that goes on with calls of another one that is gone.
import { describe, expect, test } from 'vitest'
import type { Runtime } from '../src/contracts/api.ts'
import type { Fact } from '../src/contracts/fact.ts'
import type { Store } from '../src/contracts/store.ts'
import { suspend } from '../src/contracts/suspension.ts'
import type { Tool, ToolContext } from '../src/contracts/tool.ts'
import type { WaitRow } from '../src/contracts/wait.ts'
import { createRuntime } from '../src/runtime.ts'
import { LATE_START_MS } from '../src/state/plan-started.ts'
import type { CrashTrial } from '../src/testing/crash-matrix.ts'
import { runCrashMatrix } from '../src/testing/crash-matrix.ts'
import type { FakeClock } from '../src/testing/fake-clock.ts'
import { agent, caller } from './approval-kit.ts'
import type { Place } from './crash/trial.ts'
import { memoryPlace, sqlitePlace } from './crash/trial.ts'
import { factsOf, runThrough, toolOf, until, within } from './runtime-kit.ts'

/** Writes of the undisturbed scenario. Another number is a change of what is committed when: look at it, then write it here. */
const WRITES = 13
const TIMEOUT_MS = 1_000

/** What came about outside, by key; the tools of the first process come to nothing. */
interface World {
  readonly landed: string[]
}

const CALLS = ['scan', 'ship', 'charge'].map((name) => ({ name, arguments: {} }))

function toTools(world: World, isFirst: boolean): readonly Tool<never>[] {
  const act = (context: ToolContext): unknown => {
    if (isFirst) return new Promise(() => {})
    world.landed.push(context.idempotencyKey)
    return 'done'
  }
  const scan = (_: unknown, context: ToolContext): unknown =>
    context.leg === 1 ? suspend({ wait: { kind: 'external', subject: {} }, state: { job: 1 } }) : act(context)
  const once = { effect: 'once', timeoutMs: TIMEOUT_MS } as const
  return [
    toolOf('scan', scan as Tool['execute'], once),
    toolOf('ship', (_, context) => act(context), { ...once, onUnknown: 'ask' }),
    toolOf('charge', (_, context) => act(context), {
      ...once,
      reconcile: (key: string) => (world.landed.includes(key) ? { state: 'done', result: 'done' } : { state: 'not_done' })
    })
  ]
}

function startProcess(store: Store, clock: FakeClock, world: World, isFirst = false): Runtime {
  return createRuntime({ store, clock, tools: toTools(world, isFirst), models: { main: caller(...CALLS) } })
}

/** A thread with a call that has suspended itself and two that its process has left behind; nothing more can come of them. */
async function leave({ store, clock }: Place, world: World): Promise<string> {
  const runtime = startProcess(store, clock, world, true)
  const run = await runtime.start(agent('scan', 'ship', 'charge'), { input: 'go' })
  await until(async () => {
    const types = (await factsOf(run)).map((fact) => fact.type)
    return types.includes('call.suspended') && types.filter((type) => type === 'call.started').length === 3
  })
  await runtime.close({ graceMs: 0 })
  await clock.advance(TIMEOUT_MS + LATE_START_MS)
  return run.thread
}

/** Whoever is asked what became of a call looks. */
function decide(runtime: Runtime, { id, kind, subject }: WaitRow, world: World): Promise<unknown> {
  if (kind === 'external') return runtime.answer(id, { pages: 7 })
  const { key } = subject as { readonly key: string }
  return runtime.decide(id, { decision: 'outcome', outcome: world.landed.includes(key) ? 'happened' : 'not_happened' })
}

async function finish(runtime: Runtime, thread: string, world: World): Promise<readonly Fact[]> {
  const handle = runtime.thread(thread)
  for (let result = await handle.settled(); result.status === 'waiting'; result = await handle.settled()) {
    const [wait] = result.waits.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    if (wait) await decide(runtime, wait, world)
  }
  return factsOf(handle)
}

function check(facts: readonly Fact[], world: World): void {
  // B043: nothing happened twice, whoever died when.
  expect(new Set(world.landed).size).toBe(world.landed.length)
  const settled = facts.filter((fact) => fact.type === 'call.settled')
  expect(settled.map((fact) => fact.call.slice(-1)).toSorted()).toEqual(['0', '1', '2'])
  for (const { call, outcome } of settled) {
    const isTold = call.endsWith('.0')
    expect([outcome, call]).toEqual([isTold ? expect.stringMatching(/^(ok|unknown)$/) : 'ok', call])
  }
  expect(facts.at(-1)).toMatchObject({ type: 'run.ended', status: 'completed' })
  const legs = facts.filter((fact) => fact.type === 'call.started' && fact.call.endsWith('.0'))
  expect(legs.map((fact) => (fact.type === 'call.started' ? [fact.try, fact.leg] : []))).toEqual([
    [1, 1],
    [1, 2]
  ])
  const waits = (type: 'wait.opened' | 'wait.resolved') => facts.flatMap((fact) => (fact.type === type ? [fact.wait] : [])).toSorted()
  expect(waits('wait.resolved')).toEqual(waits('wait.opened'))
  expect(new Set(waits('wait.opened')).size).toBe(waits('wait.opened').length)
}

async function createTrial(createPlace: () => Promise<Place>): Promise<CrashTrial<readonly Fact[]>> {
  const place = await createPlace()
  const { clock } = place
  const world: World = { landed: [] }
  const thread = await leave(place, world)
  const runtimes: Runtime[] = []
  return {
    store: place.store,
    open: place.open,
    async run({ store, recovering }) {
      const runtime = startProcess(store, clock, world)
      runtimes.push(runtime)
      await runtime.thread(thread).resume(recovering ? { takeover: true } : {})
      const work = finish(runtime, thread, world)
      // What was lost once more is over when its time is.
      return recovering ? runThrough(clock, work) : within(work)
    },
    async check({ ending }) {
      for (const runtime of runtimes) await runtime.close({ graceMs: 0 })
      check(ending, world)
    }
  }
}

describe.each([
  { name: 'SQLite', place: sqlitePlace },
  { name: 'memory', place: memoryPlace }
])('a process that dies at any of its writes while it goes on with calls of one that is gone, over $name', ({ place }) => {
  test('leaves calls that end once, as they did', async () => {
    const { writes, crashes } = await runCrashMatrix(() => createTrial(place))
    process.stdout.write(`crash matrix: ${writes} writes of a run with legs and lost calls, two faults each\n`)
    expect({ writes, crashes }).toEqual({ writes: WRITES, crashes: 2 * WRITES })
  })
})
