import { defineAgent, defineTool } from '@holdfast/runtime'
import { add } from './model.ts'

/** The tool as our runtime takes it. */
export const addTool = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false
  },
  effect: 'read',
  execute: ({ a, b }) => add(Number(a), Number(b))
})

/** The agent of the job, with room for its turns. */
export function benchAgent(turns: number): ReturnType<typeof defineAgent> {
  return defineAgent({ name: 'bench', model: { ref: 'bench' }, tools: [addTool], limits: { maxTurns: turns + 10 } })
}
