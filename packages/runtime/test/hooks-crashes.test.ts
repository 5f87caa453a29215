import { expect, test } from 'vitest'
import type { Runtime } from '../src/contracts/api.ts'
import type { ThreadHandle } from '../src/contracts/thread-handle.ts'
import type { Commit } from '../src/contracts/fact.ts'
import type { Hook } from '../src/contracts/hook.ts'
import { createRuntime } from '../src/runtime.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import type { CrashTrial } from '../src/testing/crash-matrix.ts'
import { runCrashMatrix } from '../src/testing/crash-matrix.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import type { Ledger } from './approval-kit.ts'
import { caller, pay, runtimeOf } from './approval-kit.ts'
import { before, set } from './hook-kit.ts'
import type { RecordingModel } from './runtime-kit.ts'
import { agentOf, factsOf, runThrough, userTexts, within } from './runtime-kit.ts'

/** Writes of the undisturbed scenario. Another number is a change of what is committed when: look at it, then write it here. */
const WRITES = 21

const AGENT = agentOf({ tools: ['pay'], hooks: ['careful', 'mask'] })
const CALLS = [
  { name: 'pay', arguments: { amount: 12 } },
  { name: 'pay', arguments: { amount: 3 } }
]
/** No model reads what was paid. */
const mask: Hook = { name: 'mask', afterToolCall: () => ({ do: 'modify', result: 'masked' }) }
/** What is said at last is said otherwise. */
const tone: Hook = { name: 'tone', afterInference: ({ text }) => (text === 'done' ? { do: 'modify', text: 'fine' } : null) }
/** Each request says it. */
const note: Hook = { name: 'note', beforeInference: () => ({ do: 'modify', context: 'be careful' }) }
/** What is said is seen in capitals. */
const loud: Hook = { name: 'loud', onMessage: ({ text }) => ({ do: 'modify', text: text.toUpperCase() }) }
/** Nobody pays more than 5, and somebody is asked about each payment of that. */
const cap: Hook = before('cap', (call, context) => (Number(call.arguments['amount']) > 5 ? set(5)(call, context) : undefined))
const careful: Hook = before('careful', (call) => (call.arguments['amount'] === 5 ? { do: 'requireApproval' } : undefined))

async function approved(runtime: Runtime, handle: ThreadHandle): Promise<string> {
  for (;;) {
    const { status, waits } = await handle.settled()
    if (status !== 'waiting') return status
    for (const wait of waits) await runtime.approve(wait.id)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function createTrial(): CrashTrial<readonly Commit[]> {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const ledger: Ledger = { ran: [] }
  const runtimes: Runtime[] = []
  const models: RecordingModel[] = []
  return {
    store,
    open: async () => store,
    async run({ store: reached, recovering }) {
      const main = caller(...CALLS)
      models.push(main)
      const tools = [pay(ledger, { approval: false })]
      const runtime = createRuntime({
        store: reached,
        clock,
        tools,
        models: { main },
        hooks: [cap, tone, note, loud],
        registeredHooks: [careful, mask]
      })
      runtimes.push(runtime)
      const handle = await runThrough(clock, runtime.start(AGENT, { input: 'go', idempotencyKey: 'trial' }))
      if (recovering) await runThrough(clock, handle.resume({ takeover: true }))
      expect(await runThrough(clock, approved(runtime, handle))).toBe('completed')
      return handle.log(1, 8_000_000)
    },
    async check({ ending }) {
      for (const runtime of runtimes) await runtime.close({ graceMs: 0 })
      const keys = ledger.ran.map(({ key }) => key)
      expect(new Set(keys).size).toBe(keys.length)
      for (const { input } of ledger.ran) expect([{ amount: 5 }, { amount: 3 }]).toContainEqual(input)
      for (const { facts } of ending) {
        // What a hook did stands in the commit of what came of it.
        const answers = facts.flatMap((fact) => (fact.type === 'turn.reviewed' || fact.type === 'turn.prepared' ? [fact.turn] : []))
        const items = facts.flatMap((fact) => (fact.type === 'message.admitted' ? [fact.item] : []))
        const looked = facts.flatMap((fact) => (fact.type === 'call.gated' || fact.type === 'call.reviewed' ? [fact.call] : []))
        for (const fact of facts)
          if (fact.type === 'hook.recorded') expect([...looked, ...answers, ...items]).toContain(fact.call ?? fact.turn ?? fact.item)
      }
      const facts = ending.flatMap((commit) => commit.facts)
      const reviews = facts.flatMap((fact) => (fact.type === 'call.reviewed' ? [fact.call] : []))
      const records = facts.flatMap((fact) => (fact.type === 'hook.recorded' ? [`${fact.hook} ${fact.did}`] : []))
      expect(new Set(records)).toEqual(
        new Set([
          'cap modify',
          'careful requireApproval',
          'tone modify',
          'note modify',
          'loud modify',
          ...(reviews.length > 0 ? ['mask modify'] : [])
        ])
      )
      expect(reviews).toEqual(facts.flatMap((fact) => (fact.type === 'call.settled' && fact.review ? [fact.call] : [])))
      // The answer to no request is lost, and each is looked at.
      const reviewed = facts.flatMap((fact) => (fact.type === 'turn.reviewed' ? [fact.turn] : []))
      expect(reviewed).toEqual(facts.flatMap((fact) => (fact.type === 'model.responded' ? [fact.turn] : [])))
      expect(facts.at(-1)).toMatchObject({ type: 'run.ended', output: { inline: 'fine' } })
      // No model is asked without it.
      for (const prompt of models.flatMap(({ prompts }) => prompts)) {
        expect(userTexts(prompt).at(-1)).toBe('be careful')
        expect(userTexts(prompt)[0]).toBe('GO')
      }
      expect(JSON.stringify(models.map(({ prompts }) => prompts))).not.toContain('paid')
      expect(facts.filter((fact) => fact.type === 'wait.opened')).toHaveLength(1)
      expect(facts.filter((fact) => fact.type === 'call.settled')).toHaveLength(2)
    }
  }
}

// I4 I5 I6 I9
test('a process that dies at any of its writes leaves calls that hooks look at done at most once, as the hooks want them', async () => {
  const { writes, crashes } = await runCrashMatrix(createTrial)
  expect(writes).toBe(WRITES)
  expect(crashes).toBeGreaterThan(WRITES)
})

test('what hooks did goes with an exported thread, large bodies too, and the thread agrees with its log', async () => {
  const note = 'x'.repeat(100_000)
  const wide = pay({ ran: [] }, { approval: false })
  const tool = { ...wide, input: { kind: 'json' as const, jsonSchema: { type: 'object' } } }
  const options = { tools: [tool], models: { main: caller({ name: 'pay', arguments: { amount: 1 } }) }, registeredHooks: [careful, mask] }
  const hooks = [before('note', (call) => (call.arguments['note'] === note ? undefined : { do: 'modify', arguments: { amount: 1, note } }))]
  const one = runtimeOf(memoryStore(), { ...options, hooks })
  const run = await one.start(AGENT, { input: 'go' })
  expect((await within(run.settled())).status).toBe('completed')
  expect((await run.verify()).problems).toEqual([])
  const lines: string[] = []
  for await (const line of run.export()) lines.push(line)
  const two = runtimeOf(memoryStore(), options)
  const { thread, state } = await two.import([lines.join('')])
  expect(state).toBe('imported')
  const facts = await factsOf(two.thread(thread))
  expect(facts.filter((fact) => fact.type === 'hook.recorded')).toMatchObject([
    { hook: 'note', did: 'modify', overlay: { artifact: expect.any(String) } },
    { hook: 'mask', did: 'modify', overlay: { inline: { value: 'masked' } } }
  ])
  expect((await two.thread(thread).publication()).definition.hooks).toEqual([{ name: 'careful' }, { name: 'mask' }])
  expect((await two.thread(thread).verify()).problems).toEqual([])
})
