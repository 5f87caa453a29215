// The same job on the AI SDK's own loop, which stores nothing: as our comparison of runtimes has it, with a model of version 3 of the interface.
import { isStepCount, ToolLoopAgent, tool } from 'ai'
import { z } from 'zod'
import { add, benchModel } from './model.ts'
import type { ThreadRun } from './thread-run.ts'

const addTool = tool({
  description: 'Adds two numbers.',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => add(a, b)
})

/** Runs one agent loop of `turns` turns. */
export async function measureAiSdk(turns: number): Promise<ThreadRun> {
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  const askedAt: number[] = []
  const model = { ...benchModel(turns, () => askedAt.push(performance.now())), specificationVersion: 'v3' } as never
  const agent = new ToolLoopAgent({ model, tools: { add: addTool }, stopWhen: isStepCount(turns + 5) })
  const since = performance.now()
  const { text } = await agent.generate({ prompt: 'go' })
  const durationMs = performance.now() - since
  if (!text.startsWith('final')) throw new Error(`expected the final text of the job, got ${text.slice(0, 100)}`)
  return { durationMs, askedAt }
}
