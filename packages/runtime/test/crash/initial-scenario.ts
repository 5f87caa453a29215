import type { AgentDefinition } from '../../src/contracts/api.ts'
import type { Effect } from '../../src/contracts/fact.ts'
import type { InitialPrompt } from '../../src/contracts/initial-prompt.ts'
import type { Store } from '../../src/contracts/store.ts'
import type { Tool } from '../../src/contracts/tool.ts'
import { createRuntime } from '../../src/runtime.ts'
import type { FakeClock } from '../../src/testing/fake-clock.ts'
import { agentOf, factsOf, recordingModel } from '../runtime-kit.ts'
import type { Client, Process, World } from './scenario.ts'
import { notedTool, toEnding } from './scenario.ts'

/** Two prompts with a call each, and texts. */
export const TWO: readonly InitialPrompt[] = [
  { role: 'system', prompt: 'Be brief.' },
  { prompt: 'for {{ who }}', toolCalls: [{ tool: 'weigh', arguments: { amount: 1 } }] },
  { prompt: 'and then', toolCalls: [{ tool: 'pay', arguments: { amount: 2 } }] },
  { prompt: 'last' }
]

/** Three calls of one prompt: one that only looks, one that acts, one that is held; and one behind it that is never made. */
export const THREE: readonly InitialPrompt[] = [
  {
    toolCalls: [
      { tool: 'weigh', arguments: { amount: 1 } },
      { tool: 'pay', arguments: { amount: 2 } },
      { tool: 'mail', arguments: { amount: 3 } }
    ]
  },
  { prompt: 'left out', toolCalls: [{ tool: 'pay', arguments: { amount: 4 } }] }
]

/** Starts a process whose tool `mail` is held. One after another, so that the commits are the same whenever nothing goes wrong. */
export function startInitialProcess(store: Store, clock: FakeClock, world: World, effects: { readonly [tool: string]: Effect }): Process {
  const model = recordingModel(({ prompt }) => {
    world.prompts.push(prompt)
    return { text: 'done' }
  })
  const tool = (name: string): Tool<never> =>
    notedTool(name, world, { effect: effects[name] ?? 'read', parallelSafe: false, approval: name === 'mail' })
  const tools = ['weigh', 'pay', 'mail'].map(tool)
  const runtime = createRuntime({ store, clock, tools, models: { main: model }, principal: { kind: 'person', id: 'ann' } })
  return { runtime, model, world, clock }
}

/** Starts a thread with these prompts, approves what is held or cancels the run, and says something more. */
export const beginWith =
  (initialPrompts: readonly InitialPrompt[], then: 'approve' | 'cancel' = 'approve'): Client =>
  async (process, key, { takeover }) => {
    const agent: AgentDefinition = agentOf({
      tools: ['weigh', 'pay', 'mail'],
      variables: [{ key: 'who', type: 'string', value: '{{ nobody }}' }],
      initialPrompts
    })
    const handle = await process.runtime.start(agent, { input: 'the task', idempotencyKey: key })
    if (takeover) await handle.resume({ takeover: true })
    for (let result = await handle.settled(); result.status === 'waiting'; result = await handle.settled()) {
      if (then === 'cancel') await handle.cancel({ reason: 'enough' })
      else await process.runtime.approve(result.waits[0]?.id ?? '')
    }
    const requests = process.model.prompts.length
    await handle.message('go on', { id: 'said-2' })
    await handle.settled()
    return { ...toEnding(process, await factsOf(handle)), requests }
  }
