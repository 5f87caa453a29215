import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRuntime, defineAgent, defineTool, memoryStore, scriptedModel } from '@holdfast/runtime'
import { faultyStore } from '@holdfast/runtime/testing'
import { z } from 'zod'

const models = { main: scriptedModel({ turns: [{ toolCalls: [{ name: 'charge', arguments: {} }] }, { text: 'Done.' }] }) }
const start = { input: 'Charge it.', idempotencyKey: 'order-4711' }

/** Runs it with a process that dies after its write number `at`, then lets another one go on. */
async function crashAfter(at: number) {
  const charged: string[] = []
  const charge = defineTool({
    name: 'charge',
    description: 'Charges the card.',
    input: z.object({}),
    effect: 'once',
    execute: (_, { idempotencyKey }) => charged.push(idempotencyKey)
  })
  const agent = defineAgent({ name: 'cashier', model: { ref: 'main' }, tools: [charge] })
  await using store = memoryStore()
  const dying = faultyStore(store, {
    fail: ({ index }) => {
      if (index === at) dying.die()
      return null
    }
  })
  const first = createRuntime({ store: dying, models })
  const died = await first.start(agent, start).then(
    (run) =>
      run.settled().then(
        () => false,
        () => true
      ),
    () => true
  )
  await using second = createRuntime({ store, models })
  const run = await second.start(agent, start)
  await run.resume({ takeover: true })
  const { status } = await run.settled()
  await first.close().catch(() => undefined)
  return { died, status, charged: charged.length, wrote: dying.writes }
}

test('never charges twice, wherever the process dies', async () => {
  let at = 1
  for (; ; at += 1) {
    const { died, status, charged } = await crashAfter(at)
    assert.equal(status, 'completed')
    assert.ok(charged <= 1, `charged ${charged} times after a crash at write ${at}`)
    if (!died) break
  }
  assert.ok(at > 5)
})
