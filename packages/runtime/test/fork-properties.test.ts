import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Runtime } from '../src/contracts/api.ts'
import type { ThreadHandle } from '../src/contracts/thread-handle.ts'
import type { ForkChange } from '../src/contracts/fork.ts'
import { createRuntime } from '../src/runtime.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { TOOLS } from './model/publication.ts'
import { RecordedThread } from './model/recorded-thread.ts'
import type { Step } from './model/script.ts'
import { anyStep, play } from './model/script.ts'
import { propertyShare } from './model/share.ts'
import { factsOfType, faultOf, recordingModel, toolOf } from './runtime-kit.ts'

const SOURCE = 'thr_1'
const CHANGES = ['nothing', 'message', 'model', 'publication'] as const

/** A thread to which all this happened, in a runtime of its own that knows its tools; `began` are the calls that were run here. */
async function recorded(steps: readonly Step[]) {
  const thread = new RecordedThread().claim()
  for (const step of steps) play(thread, step)
  const began: string[] = []
  const model = recordingModel(() => ({ text: 'done' }))
  const run = (_input: unknown, { call }: { readonly call: string }) => void began.push(call)
  const tools = TOOLS.filter(({ identity }) => identity.startsWith('host:')).map(({ name, effect }) => toolOf(name, run, { effect }))
  const store = memoryStore()
  const runtime = createRuntime({ store, tools, models: { 'fake/one': model } })
  await runtime.import([thread.export()])
  const { name, model: reference } = thread.publication.definition
  return { thread, runtime, store, model, began, agent: { name, model: reference } }
}

/** Drives a fork to rest; whatever waits is refused. */
async function drive(
  fork: ThreadHandle,
  { runtime, store }: { readonly runtime: Runtime; readonly store: ReturnType<typeof memoryStore> }
) {
  for (let waits = 0; waits < 50; waits++) {
    const result = await fork.settled()
    if (result.status !== 'waiting') return result
    for (const wait of result.waits) await store.decide(wait.id, 'deny', { kind: 'person', id: 'ann' })
    await runtime.thread(fork.id).resume()
  }
  throw new Error('it waits for ever')
}

// I5, I7, I17
test('every prefix of a log forks, and the fork comes to rest with a valid history and without running what the other has run', async () => {
  const { numRuns, seed } = propertyShare()
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep.map(withoutForeignCalls), { maxLength: 25, size: 'max' }),
      fc.nat(),
      fc.constantFrom(...CHANGES),
      async (steps, place, change) => {
        const made = await recorded(steps)
        const { thread, runtime, model, began } = made
        const at = 1 + (place % thread.log.length)
        const publication = change === 'publication' ? await runtime.publish({ ...made.agent, tools: ['look'] }) : undefined
        const other = { provider: 'fake', model: 'one', settings: { temperature: 0 } }
        const changes: Readonly<Record<typeof change, ForkChange>> = {
          nothing: {},
          message: { message: 'and now?' },
          model: { model: other },
          publication: publication ? { publication: publication.digest } : {}
        }
        const fork = await runtime.fork(SOURCE, { at, change: changes[change] })
        expect((await fork.log(1, 8_000_000)).slice(0, at).map((commit) => commit.facts)).toEqual(
          (await runtime.thread(SOURCE).log(1, 8_000_000)).slice(0, at).map((commit) => commit.facts)
        )
        await drive(fork, made)
        for (const prompt of model.prompts) expect(faultOf(prompt)).toBeNull()
        const started = new Set(thread.factsOf('call.started').map(({ call }) => call))
        // The model of this test calls nothing: whatever begins here was asked for before the fork.
        expect(began.filter((call) => started.has(call))).toEqual([])
        expect((await fork.verify()).problems).toEqual([])
        expect((await factsOfType(fork, 'thread.forked')).at(-1)).toMatchObject({ from: SOURCE, at })
        await runtime.close({ graceMs: 0 })
      }
    ),
    { numRuns: Math.ceil(numRuns / 2), ...(seed === undefined ? {} : { seed }) }
  )
}, 600_000)

/** Calls that a provider has made itself stand in a prompt as they came: what a strict provider says of them is not asked here. */
function withoutForeignCalls(step: Step): Step {
  if (step.do !== 'answer') return step
  return { ...step, parts: step.parts.filter((part) => part.type !== 'tool-call' || part.providerExecuted !== true) }
}
