import assert from 'node:assert/strict'
import { createRuntime, defineAgent, defineTool, scriptedModel, sqliteStore } from '@holdfast/runtime'
import { z } from 'zod'

const refund = defineTool({
  name: 'refund',
  description: 'Refunds an order.',
  input: z.object({ order: z.string() }),
  effect: 'idempotent',
  execute: ({ order }, { idempotencyKey }) => ({ order, refund: idempotencyKey })
})
const agent = defineAgent({
  name: 'desk',
  model: { ref: 'main' },
  systemPrompt: 'You help {{ customer }} with orders.',
  variables: [{ key: 'customer', type: 'string', requiresOverride: true }],
  tools: [refund],
  outputSchema: z.object({ refunded: z.array(z.string()) })
})
const main = scriptedModel({
  turns: [{ toolCalls: [{ name: 'refund', arguments: { order: '4711' } }] }, { text: '{ "refunded": ["4711"] }' }]
})

await using store = await sqliteStore(process.argv[2] ?? './holdfast.db')
await using runtime = createRuntime({ store, models: { main } })

// One thread for a customer's conversation: its messages are its memory.
const run = await runtime.start(agent, { input: 'Refund order 4711.', variables: { customer: 'Ada' }, idempotencyKey: 'ada-support' })
const { output } = await run.settled()
assert.deepEqual(output, { refunded: ['4711'] })

// What the model was given at the first turn: the prompt is built from the log, and can be shown again.
console.log(JSON.stringify((await run.prompt(1)).request.prompt[0]))
