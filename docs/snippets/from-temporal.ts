import assert from 'node:assert/strict'
import { createRuntime, defineAgent, defineTool, scriptedModel, sqliteStore } from '@holdfast/runtime'
import { z } from 'zod'

// What would be an activity. `effect` takes the place of its retry policy after a crash.
const refund = defineTool({
  name: 'refund',
  description: 'Refunds an order.',
  input: z.object({ order: z.string() }),
  effect: 'idempotent',
  timeoutMs: 30_000,
  execute: ({ order }, { idempotencyKey, signal }) => ({ order, refund: idempotencyKey, aborted: signal.aborted })
})
const agent = defineAgent({ name: 'desk', model: { ref: 'main' }, tools: [refund], limits: { runTimeoutMs: 600_000 } })
const main = scriptedModel({ turns: [{ toolCalls: [{ name: 'refund', arguments: { order: '4711' } }] }, { text: 'Refunded.' }] })

await using store = await sqliteStore(process.argv[2] ?? './holdfast.db')

// A client: starts and looks, and drives nothing.
await using client = createRuntime({ store, models: { main }, tools: [refund], concurrency: 0 })
const { id } = await client.start(agent, { input: 'Refund order 4711.', idempotencyKey: 'refund-4711' })
// The same key again is the same thread, as with a workflow id.
assert.equal((await client.start(agent, { input: 'Refund order 4711.', idempotencyKey: 'refund-4711' })).created, false)

// A worker: drives whatever is ready. As many processes of this machine as you like.
await using worker = createRuntime({ store, models: { main }, tools: [refund], recover: true })
const { status, text } = await worker.thread(id).settled()
assert.equal(status, 'completed')
console.log(text)
