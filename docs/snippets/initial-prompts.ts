import assert from 'node:assert/strict'
import { createRuntime, defineAgent, defineTool, scriptedModel, sqliteStore } from '@holdfast/runtime'
import { z } from 'zod'

const order = defineTool({
  name: 'order',
  description: 'Reads an order.',
  input: z.object({ id: z.string() }),
  effect: 'read',
  execute: ({ id }) => ({ id, cents: 4_950, state: 'arrived broken' })
})
const account = defineTool({
  name: 'account',
  description: 'Reads what a customer has paid so far.',
  input: z.object({ customer: z.string() }),
  effect: 'read',
  approval: true,
  execute: ({ customer }) => ({ customer, paid: 12 })
})
const agent = defineAgent({
  name: 'refund-desk',
  model: { ref: 'main' },
  tools: [order, account],
  variables: [
    { key: 'order', type: 'string', requiresOverride: true },
    { key: 'customer', type: 'string', requiresOverride: true }
  ],
  systemPrompt: 'You decide about refunds.',
  initialPrompts: [
    { role: 'system', prompt: 'Today you serve {{ customer }}.' },
    // Whatever the model would do, it needs these two: no answer is spent on asking for them.
    { prompt: 'This is about:', toolCalls: [{ tool: 'order', arguments: { id: '{{ order }}' } }] },
    { toolCalls: [{ tool: 'account', arguments: { customer: '{{ customer }}' } }] }
  ]
})
const main = scriptedModel({ turns: [{ when: 'Shall we pay', text: 'Yes.' }] })

await using store = await sqliteStore(process.argv[2] ?? './holdfast.db')
await using runtime = createRuntime({ store, models: { main } })
const run = await runtime.start(agent, { input: 'Shall we pay?', variables: { order: '4711', customer: 'Ann' } })

// The second call is held, as it would be if a model had made it. No model has been asked so far.
const { status, waits, usage } = await run.settled()
assert.equal(status, 'waiting')
assert.equal(waits[0]?.id, `${run.thread}:${run.run}//0.1:approval:1`)
assert.equal(usage.inputTokens, 0)
await runtime.approve(waits[0].id)
assert.equal((await run.settled()).text, 'Yes.')

const { request } = await run.prompt(1)
assert.deepEqual(
  request.prompt.map(({ role }) => role),
  ['system', 'user', 'assistant', 'tool', 'assistant', 'tool', 'user']
)
