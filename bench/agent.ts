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

/** The agent of the job: one for threads of all lengths, as a program has it. */
export const benchAgent = defineAgent({ name: 'bench', model: { ref: 'bench' }, tools: [addTool], limits: { maxTurns: 10_000 } })
