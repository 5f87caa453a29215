import assert from 'node:assert/strict'
import { createRuntime, defineAgent, defineTool, scriptedModel, sqliteStore } from '@holdfast/runtime'
import { z } from 'zod'

const file = process.argv[2] ?? './holdfast.db'

const refund = defineTool({
  name: 'refund',
  description: 'Gives the money for an order back.',
  input: z.object({ order: z.string(), cents: z.number().int().positive() }),
  effect: 'once',
  // Small sums nobody is asked about; a large one waits for two people, for three days at most.
  approval: ({ cents }) => (cents < 1_000 ? false : { quorum: cents < 100_000 ? 1 : 2, expiresInMs: 3 * 24 * 60 * 60 * 1000 }),
  execute: ({ order, cents }) => `${cents} cents for ${order} are on their way.`
})
const agent = defineAgent({ name: 'refund-desk', model: { ref: 'main' }, tools: [refund] })
const main = scriptedModel({
  turns: [{ toolCalls: [{ name: 'refund', arguments: { order: '4711', cents: 12_500 } }] }, { when: '1250 cents', text: 'Done.' }]
})

// One process: it starts the run, sees that it waits, and ends.
{
  await using store = await sqliteStore(file)
  await using runtime = createRuntime({ store, models: { main } })
  const run = await runtime.start(agent, { input: 'My order 4711 came broken.', idempotencyKey: 'case-17' })
  const { status, waits } = await run.settled()
  assert.equal(status, 'waiting')
  assert.deepEqual(waits[0]?.subject, { ...Object(waits[0]?.subject), tool: 'refund', arguments: { order: '4711', cents: 12_500 } })
}

// Another one, days later: a person looks at what waits and decides. It drives nothing, so it needs neither tools nor models.
{
  await using store = await sqliteStore(file)
  await using desk = createRuntime({ store, concurrency: 0, principal: { kind: 'person', id: 'ann' } })
  for (const wait of (await desk.waits()).items) {
    const receipt = await desk.approve(wait.id, { arguments: { order: '4711', cents: 1_250 }, note: 'not 125' })
    assert.equal(receipt.state, 'accepted')
  }
}

// The first one again, or any other that has its tools and models: what was decided is there, and the run goes on.
{
  await using store = await sqliteStore(file)
  await using runtime = createRuntime({ store, models: { main } })
  const run = await runtime.start(agent, { input: 'My order 4711 came broken.', idempotencyKey: 'case-17' })
  assert.equal((await run.settled()).text, 'Done.')
}
