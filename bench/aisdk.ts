// The same job on the AI SDK's own loop, which stores nothing.
import { generateText, isStepCount, tool } from 'ai'
import { z } from 'zod'
import { add, benchModel } from './model.ts'

const addTool = tool({
  description: 'Adds two numbers.',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => add(a, b)
})

/** Milliseconds for one agent loop of `turns` turns. */
export async function measureAiSdk(turns: number): Promise<number> {
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  const model = benchModel(turns)
  const since = performance.now()
  const { text } = await generateText({ model, tools: { add: addTool }, prompt: 'go', stopWhen: isStepCount(turns + 10) })
  const durationMs = performance.now() - since
  if (!text.startsWith('final')) throw new Error(`expected the final text of the job, got ${text.slice(0, 100)}`)
  return durationMs
}
