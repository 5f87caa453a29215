import assert from 'node:assert/strict'
import type { LanguageModel } from '@holdfast/runtime'
import { createRuntime, defineAgent, defineTool, scriptedModel, sqliteStore } from '@holdfast/runtime'
import { z } from 'zod'

// Any model object of an AI SDK provider stands here, such as `openai('gpt-5')` of @ai-sdk/openai.
const main: LanguageModel = scriptedModel({
  turns: [{ toolCalls: [{ name: 'refund', arguments: { order: '4711' } }] }, { text: 'Order 4711 is refunded.' }]
})

const refund = defineTool({
  name: 'refund',
  description: 'Refunds an order.',
  input: z.object({ order: z.string() }),
  effect: 'idempotent',
  execute: ({ order }, { idempotencyKey, signal }) => ({ order, refund: idempotencyKey, aborted: signal.aborted })
})
const agent = defineAgent({
  name: 'desk',
  model: { ref: 'main' },
  systemPrompt: 'You help with orders.',
  tools: [refund],
  limits: { maxTurns: 20 }
})

await using store = await sqliteStore(process.argv[2] ?? './holdfast.db')
await using runtime = createRuntime({ store, models: { main } })
const run = await runtime.start(agent, { input: 'Refund order 4711.' })

// In place of `fullStream`: deltas while they come, and what was committed.
for await (const event of run.events()) {
  if (event.type === 'text.delta') process.stdout.write(event.text)
  if (event.type === 'call.settled') console.log('settled:', event.data.outcome)
}
const { status, text, usage } = await run.settled()
assert.equal(status, 'completed')
console.log(`\n${text} ${usage.outputTokens} tokens`)
