import { expect, test } from 'vitest'
import type { ThreadHandle } from '../src/contracts/thread-handle.ts'
import type { Fact } from '../src/contracts/fact.ts'
import { createRuntime } from '../src/runtime.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import type { CrashTrial } from '../src/testing/crash-matrix.ts'
import { runCrashMatrix } from '../src/testing/crash-matrix.ts'
import type { FakeClock } from '../src/testing/fake-clock.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { agentOf, factsOf, recordingModel, runThrough, toolOf, until } from './runtime-kit.ts'

/** Writes of the undisturbed scenario. Another number is a change of what is committed when: look at it, then write it here. */
const WRITES = 19
const HOURS_MS = 7_200_000

const AGENT = agentOf({
  model: { provider: 'p', model: 'main', fallbacks: [{ provider: 'q', model: 'small' }] },
  tools: ['pay'],
  limits: { maxRetries: 1 }
})

/** The first model is down; the second one calls a tool, and asks for a pause of hours when it is to go on. */
function modelsOf(clock: FakeClock, startedAt: number) {
  const main = recordingModel(() => ({ error: { status: 503 } }))
  const small = recordingModel(({ answers }) => {
    if (answers === 0) return { reasoning: 'hm', toolCalls: [{ name: 'pay' }] }
    return clock.now() < startedAt + HOURS_MS ? { error: { status: 429, retryAfter: HOURS_MS / 1_000 } } : { text: 'done' }
  })
  return { 'p/main': main, 'q/small': small }
}

/** Lets every pause pass, until the run has ended. */
async function lastingRun(clock: FakeClock, handle: ThreadHandle): Promise<string> {
  for (;;) {
    const { status } = await runThrough(clock, handle.settled())
    if (status !== 'waiting') return status
    await clock.advance(HOURS_MS)
    await runThrough(
      clock,
      until(async () => (await handle.info()).row.status !== 'waiting')
    )
  }
}

function createTrial(): CrashTrial<readonly Fact[]> {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const startedAt = clock.now()
  const begun: string[] = []
  const runtimes: ReturnType<typeof createRuntime>[] = []
  const pay = toolOf(
    'pay',
    (_, { idempotencyKey }) => {
      begun.push(idempotencyKey)
      return 'paid'
    },
    { effect: 'once' }
  )
  return {
    store,
    open: async () => store,
    async run({ store: reached, recovering }) {
      const runtime = createRuntime({ store: reached, clock, tools: [pay], models: modelsOf(clock, startedAt) })
      runtimes.push(runtime)
      const handle = await runThrough(clock, runtime.start(AGENT, { input: 'go', idempotencyKey: 'trial' }))
      if (recovering) await runThrough(clock, handle.resume({ takeover: true }))
      expect(await lastingRun(clock, handle)).toBe('completed')
      return factsOf(handle)
    },
    async check({ ending }) {
      for (const runtime of runtimes) await runtime.close({ graceMs: 0 })
      expect(begun.length).toBeLessThanOrEqual(1)
      const asked = ending.flatMap((fact) => (fact.type === 'turn.started' ? [fact] : []))
      const names = ['p/main', 'q/small']
      for (const [index, { model, candidate = 0, moved }] of asked.entries()) {
        expect(model).toBe(names[candidate])
        const before = asked[index - 1]?.model ?? model
        expect(moved?.from).toBe(before === model ? undefined : before)
      }
      const opened = ending.flatMap((fact) => (fact.type === 'wait.opened' ? [fact.wait] : []))
      const resolved = ending.flatMap((fact) => (fact.type === 'wait.resolved' ? [fact.wait] : []))
      expect(opened.length).toBeGreaterThan(0)
      expect(new Set(opened).size).toBe(opened.length)
      expect(resolved).toEqual(opened)
      expect(ending.filter((fact) => fact.type === 'run.ended')).toHaveLength(1)
    }
  }
}

// I5 I11 I17 I19
test('a process that dies at any of its writes leaves a run whose models stand in for each other, and which waits for them', async () => {
  const { writes, crashes } = await runCrashMatrix(async () => createTrial())
  process.stdout.write(`crash matrix: ${writes} writes of a run that models could not answer, two faults each\n`)
  expect({ writes, crashes }).toEqual({ writes: WRITES, crashes: 2 * WRITES })
})
