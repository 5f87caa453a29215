import assert from 'node:assert/strict'
import { createRuntime, defineAgent, scriptedModel, sqliteStore } from '@holdfast/runtime'

await using store = await sqliteStore(process.argv[2] ?? './holdfast.db')
const main = scriptedModel({
  turns: [
    { when: 'report', text: 'It is a long story.', delayMs: 60_000 },
    { when: 'one line', text: 'All is well.' }
  ]
})
await using runtime = createRuntime({ store, models: { main } })
const thread = await runtime.start(defineAgent({ name: 'reporter', model: { ref: 'main' } }), { input: 'Write the report.' })

for await (const event of thread.events()) if (event.type === 'turn.started') break
const { item } = await thread.message('Stop: one line will do.', { interrupt: true })
const receipt = await thread.receipt(item, { wait: true })
assert.equal(receipt.state, 'taken')
assert.equal((await thread.settled()).text, 'All is well.')

// Too late: there is no run to end.
const cancel = await thread.cancel({ reason: 'enough', graceMs: 10_000 })
assert.equal((await thread.receipt(cancel.item, { wait: true })).state, 'discarded')
