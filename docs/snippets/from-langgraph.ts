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
const agent = defineAgent({ name: 'desk', model: { ref: 'main' }, systemPrompt: 'You help with orders.', tools: [refund] })
const main = scriptedModel({
  turns: [{ toolCalls: [{ name: 'refund', arguments: { order: '4711' } }] }, { text: 'Refunded.' }, { text: 'You are welcome.' }]
})

await using store = await sqliteStore(process.argv[2] ?? './holdfast.db')
await using runtime = createRuntime({ store, models: { main } })

// In place of `configurable: { thread_id }`: a key of yours, for which a thread is made once.
const thread = await runtime.start(agent, { input: 'Refund order 4711.', idempotencyKey: 'customer-17' })
assert.equal((await thread.settled()).text, 'Refunded.')

// In place of a second `invoke` with the same thread_id.
await thread.message('Thank you.')
assert.equal((await thread.settled()).text, 'You are welcome.')

// In place of `getStateHistory`: what happened, commit by commit.
for (const { sequence, facts } of await thread.log()) console.log(sequence, facts.map(({ type }) => type).join(' '))
