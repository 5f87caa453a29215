import type { Tool } from '../src/contracts/tool.ts'
import { agentOf, recordingModel, resultsIn, runtimeFor, toolOf } from './runtime-kit.ts'

/** Pays once and answers with what it was shown. */
export const paying = () =>
  recordingModel(({ answers, prompt }) =>
    answers % 2 === 0
      ? { toolCalls: [{ name: 'pay', arguments: { answers } }] }
      : { text: JSON.stringify([...resultsIn(prompt).values()].at(-1)) }
  )

/** A tool that changes the world, and what it was asked to do. */
export function till(execute: Tool['execute'] = () => 'paid'): { readonly tool: Tool<never>; readonly keys: string[] } {
  const keys: string[] = []
  const tool = toolOf('pay', (input, context) => {
    keys.push(context.idempotencyKey)
    return execute(input, context)
  })
  return { tool, keys }
}

/** A thread that has paid and said so. */
export async function paidThread(options: Parameters<typeof runtimeFor>[1] = {}) {
  const model = paying()
  const { tool, keys } = till()
  const runtime = runtimeFor(model, { tools: [tool], ...options })
  const run = await runtime.start(agentOf({ tools: ['pay'] }), { input: 'pay', labels: { team: 'blue' } })
  await run.settled()
  return { model, keys, runtime, run }
}
