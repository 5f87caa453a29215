import { expect, test } from 'vitest'
import type { Runtime } from '../src/contracts/api.ts'
import type { Commit, Fact } from '../src/contracts/fact.ts'
import { createRuntime } from '../src/runtime.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import type { CrashTrial } from '../src/testing/crash-matrix.ts'
import { runCrashMatrix } from '../src/testing/crash-matrix.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { caller } from './approval-kit.ts'
import { agentOf, runThrough, toolOf } from './runtime-kit.ts'
import { add, COUNT, keeper, LIST, STATE } from './state-kit.ts'

/** Writes of the undisturbed scenario. Another number is a change of what is committed when: look at it, then write it here. */
const WRITES = 12

const AGENT = agentOf({ plugins: ['keeper'], limits: { maxParallelCalls: 1 } })
const CALLS = ['a', 'b', 'c'].map((name) => ({ name: 'note', arguments: { name } }))

/** Notes the name of each call, and a hook counts the checks. */
const noting = () =>
  keeper(() => 'ok', {
    tools: [
      toolOf('act', () => 'ok'),
      toolOf(
        'note',
        (input, { state }) => {
          const { name } = input as { readonly name: string }
          state.set(LIST, [...state.get(LIST), name])
          return `noted ${name}`
        },
        { effect: 'once', parallelSafe: false }
      )
    ],
    hooks: [{ name: 'count', beforeToolCall: (_, context) => add(context) }],
    state: STATE
  })

function createTrial(): CrashTrial<{ readonly log: readonly Commit[]; readonly state: unknown }> {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const runtimes: Runtime[] = []
  return {
    store,
    open: async () => store,
    async run({ store: reached, recovering }) {
      const runtime = createRuntime({ store: reached, clock, plugins: [noting()], models: { main: caller(...CALLS) } })
      runtimes.push(runtime)
      const handle = await runThrough(clock, runtime.start(AGENT, { input: 'go', idempotencyKey: 'trial' }))
      if (recovering) await runThrough(clock, handle.resume({ takeover: true }))
      expect((await runThrough(clock, handle.settled())).status).toBe('completed')
      return { log: await handle.log(1, 8_000_000), state: await handle.pluginState() }
    },
    async check({ ending: { log, state } }) {
      for (const runtime of runtimes) await runtime.close({ graceMs: 0 })
      const facts = log.flatMap((commit) => commit.facts)
      const done = settledAs(facts, 'ok')
      // What a call has set and its result are both there, or neither.
      expect(state).toEqual({ keeper: { count: gatesIn(log), ...(done.length === 0 ? {} : { list: done }) } })
      for (const { facts: together } of log) {
        const lists = together.filter((fact) => fact.type === 'state.set' && fact.key === LIST.key)
        expect(lists).toHaveLength(settledAs(together, 'ok').length)
      }
    }
  }
}

/** The names of the calls that ended so, in the order in which they ended. */
function settledAs(facts: readonly Fact[], outcome: string): readonly string[] {
  return facts.flatMap((fact) =>
    fact.type === 'call.settled' && fact.outcome === outcome ? [CALLS[Number(fact.call.split('.').at(-1))]?.arguments.name ?? ''] : []
  )
}

/** How many checks ended in a verdict that is kept. */
function gatesIn(log: readonly Commit[]): number {
  return log.flatMap(({ facts }) => facts).filter((fact) => fact.type === 'state.set' && fact.key === COUNT.key).length
}

// I4 I5
test('a process that dies at any of its writes loses a result together with what its call has set, or keeps both', async () => {
  const { writes, crashes } = await runCrashMatrix(createTrial)
  expect(writes).toBe(WRITES)
  expect(crashes).toBeGreaterThan(WRITES)
})
