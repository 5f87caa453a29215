import type { Approval } from '../../src/contracts/approval.ts'
import type { Effect } from '../../src/contracts/fact.ts'
import type { Store } from '../../src/contracts/store.ts'
import type { Tool } from '../../src/contracts/tool.ts'
import type { RuntimeOptions } from '../../src/contracts/api.ts'
import type { WaitRow } from '../../src/contracts/wait.ts'
import type { ScriptTurn } from '../../src/models/script-turn.ts'
import { createRuntime } from '../../src/runtime.ts'
import type { FakeClock } from '../../src/testing/fake-clock.ts'
import { agentOf, factsOf, recordingModel } from '../runtime-kit.ts'
import type { Client, Process, World } from './scenario.ts'
import { notedTool, toEnding } from './scenario.ts'

// Shorter than the time between two heartbeats, which would be writes, too.
const EXPIRES_MS = 500

/** A turn with a free call, two held ones and a question; a held call that nobody decides about; one whose run is cancelled; then a second run. */
function answer(answers: number): ScriptTurn {
  const pay = (amount: number) => ({ name: 'pay', arguments: { amount } })
  const turns: readonly ScriptTurn[] = [
    {
      toolCalls: [
        { name: 'weigh', arguments: { amount: 1 } },
        pay(100),
        { name: 'mail', arguments: { amount: 2 } },
        { name: 'ask_user', arguments: { question: 'Which account?', options: ['a', 'b'] } }
      ]
    },
    { toolCalls: [pay(3)] },
    { toolCalls: [pay(4), { name: 'ask_user', arguments: { question: 'And now?' } }] }
  ]
  return turns[answers] ?? { text: 'all is settled' }
}

/** Nobody decides about the call of 3. */
function toApproval(input: unknown): Approval {
  return (input as { readonly amount: number }).amount === 3 ? { expiresInMs: EXPIRES_MS } : true
}

/** Starts a process whose tools `pay` and `mail` are held. */
export function startWaitingProcess(
  store: Store,
  clock: FakeClock,
  world: World,
  effects: { readonly [tool: string]: Effect },
  more: Partial<RuntimeOptions> = {}
): Process {
  const model = recordingModel(({ answers, prompt }) => {
    world.prompts.push(prompt)
    return answer(answers)
  })
  const tool = (name: string): Tool<never> =>
    notedTool(name, world, { effect: effects[name] ?? 'read', ...(name === 'weigh' ? {} : { approval: toApproval }) })
  const tools = ['weigh', 'pay', 'mail'].map(tool)
  const runtime = createRuntime({
    store,
    clock,
    tools,
    models: { main: model },
    principal: { kind: 'person', id: 'ann' },
    ...more
  })
  return { runtime, model, world, clock }
}

/** Starts a run and does what its waits ask for, whatever process opened them: edits, refuses, answers, lets expire, cancels. */
export const decideAll: Client = async (process, key, { takeover }) => {
  const agent = agentOf({ tools: ['weigh', 'pay', 'mail', 'ask_user'] })
  const handle = await process.runtime.start(agent, { input: 'settle the bill', idempotencyKey: key })
  if (takeover) await handle.resume({ takeover: true })
  const isOver = async () => (await factsOf(handle)).some((fact) => fact.type === 'run.ended')
  for (let result = await handle.settled(); result.status === 'waiting'; result = await handle.settled()) {
    // One at a time, and then to rest: the commits are the same whenever nothing goes wrong.
    const [wait] = result.waits.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    if (wait && amountOf(wait) !== 4) await decide(process, wait)
    else await handle.cancel({ reason: 'enough' })
  }
  if (!(await isOver())) throw new Error('the run has not ended')
  const requests = process.model.prompts.length
  await handle.message('go on', { id: 'said-2' })
  await handle.settled()
  return { ...toEnding(process, await factsOf(handle)), requests }
}

async function decide({ runtime, clock }: Process, wait: WaitRow): Promise<unknown> {
  if (wait.kind === 'question') return runtime.answer(wait.id, 'b')
  const amount = amountOf(wait)
  if (amount === 100) return runtime.approve(wait.id, { arguments: { amount: 50 } })
  if (amount === 2) return runtime.deny(wait.id, { reason: 'not today' })
  return clock.advance(EXPIRES_MS + 1)
}

function amountOf({ subject }: WaitRow): unknown {
  const { arguments: args } = subject as { readonly arguments?: { readonly amount?: number } }
  return args?.amount
}
