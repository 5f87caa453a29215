import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRuntime, defineAgent, defineTool, memoryStore, scriptedModel } from '@holdfast/runtime'
import { runCrashMatrix } from '@holdfast/runtime/testing'
import { z } from 'zod'

const models = { main: scriptedModel({ turns: [{ toolCalls: [{ name: 'charge', arguments: {} }] }, { text: 'Done.' }] }) }

test('never charges twice, wherever the process dies', async () => {
  const { writes, crashes } = await runCrashMatrix(() => {
    // Of this trial alone: the world outside, and an empty store.
    const charged: string[] = []
    const charge = defineTool({
      name: 'charge',
      description: 'Charges the card.',
      input: z.object({}),
      effect: 'once',
      execute: (_, { idempotencyKey }) => charged.push(idempotencyKey)
    })
    const agent = defineAgent({ name: 'cashier', model: { ref: 'main' }, tools: [charge] })
    return {
      store: memoryStore(),
      // Called for the process that dies, and again for the one that goes on.
      async run({ store, recovering }) {
        await using runtime = createRuntime({ store, models })
        const run = await runtime.start(agent, { input: 'Charge it.', idempotencyKey: 'order-4711' })
        if (recovering) await run.resume({ takeover: true })
        // `await`, for `await using` closes the runtime when this returns.
        return await run.settled()
      },
      check({ ending }) {
        assert.equal(ending.status, 'completed')
        assert.ok(charged.length <= 1)
      }
    }
  })
  assert.equal(crashes, 2 * writes)
})
