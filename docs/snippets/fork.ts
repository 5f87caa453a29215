import assert from 'node:assert/strict'
import { createRuntime, defineAgent, defineTool, jsonlRecords, scriptedModel, sqliteStore } from '@holdfast/runtime'
import { z } from 'zod'

const path = process.argv[2] ?? './holdfast.db'
await using store = await sqliteStore(path)
const orders: string[] = []
const order = defineTool({
  name: 'order',
  description: 'Orders a part and says when it comes.',
  input: z.object({ part: z.string() }),
  execute: ({ part }, { idempotencyKey }) => {
    orders.push(idempotencyKey)
    return `${part} comes on Friday`
  }
})
const cheap = scriptedModel({ turns: [{ toolCalls: [{ name: 'order', arguments: { part: 'pump' } }] }, { text: 'It comes soon.' }] })
const careful = scriptedModel({ turns: [{ text: 'unused' }, { text: 'It comes on Friday.' }, { text: 'Then tell the customer.' }] })
await using runtime = createRuntime({ store, tools: [order], models: { cheap, careful }, records: [jsonlRecords(`${path}.jsonl`)] })

const agent = defineAgent({ name: 'clerk', model: { ref: 'cheap' }, tools: ['order'] })
const run = await runtime.start(agent, { input: 'We need a new pump.' })
assert.equal((await run.settled()).text, 'It comes soon.')

// The second turn again, asked of another model. Nothing is ordered a second time.
const fork = await runtime.fork(run.thread, { at: { turn: 2 }, change: { model: { ref: 'careful' } } })
assert.equal((await fork.settled()).text, 'It comes on Friday.')
assert.equal(orders.length, 1)

// The same place, and the tool had said something else: the call by its id, from the records of the thread.
const calls: string[] = []
for await (const { calls: made } of run.records()) calls.push(...made.map(({ call }) => call))
const [call = ''] = calls
const other = await runtime.fork(run.thread, {
  change: { callResult: { call, result: { error: 'out of stock' } }, model: { ref: 'careful' } },
  idempotencyKey: 'what if it is out of stock'
})
await other.settled()
assert.equal(orders.length, 1)
