import type { AgentDefinition } from '../src/contracts/api.ts'
import type { Budget } from '../src/contracts/budget.ts'
import type { RunResult } from '../src/contracts/run-result.ts'
import type { ThreadHandle } from '../src/contracts/thread-handle.ts'
import type { Tool } from '../src/contracts/tool.ts'
import type { WaitRow } from '../src/contracts/wait.ts'
import type { RecordingModel } from './runtime-kit.ts'
import { agentOf, recordingModel, toolOf, within } from './runtime-kit.ts'

/** What each answer of `busy` uses: 1,000 tokens. */
export const USAGE = { inputTokens: 900, outputTokens: 100 }

/** The tool that `busy` calls. */
export const get = (): Tool<never> => toolOf('get', () => 1, { effect: 'read' })

/** A model that calls a tool so often, and then says that it is done. */
export const busy = (calls: number): RecordingModel =>
  recordingModel(({ answers }) => ({
    ...(answers < calls ? { toolCalls: [{ name: 'get', arguments: { k: answers } }] } : { text: 'done' }),
    usage: USAGE
  }))

/** An agent with that tool and a budget. */
export const workerOf = (budget: Budget, over: Partial<AgentDefinition> = {}): AgentDefinition =>
  agentOf({ tools: ['get'], budget, ...over })

/** What a thread waits for when it rests. */
export const waitOf = async (handle: ThreadHandle): Promise<WaitRow | undefined> => (await within(handle.settled())).waits[0]

/** Extends a budget, and gives how the thread rests then. */
export async function extended(handle: ThreadHandle, change: Parameters<ThreadHandle['extendBudget']>[0]): Promise<RunResult> {
  const { item } = await handle.extendBudget(change)
  await handle.receipt(item, { wait: true })
  return within(handle.settled())
}
