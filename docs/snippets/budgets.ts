import { createRuntime, defineAgent, defineTool, memoryStore, scriptedModel } from '@holdfast/runtime'

const look = defineTool({ name: 'look', description: 'Looks.', input: { type: 'object' }, effect: 'read', execute: () => 'seen' })
const usage = { inputTokens: 900, outputTokens: 100 }
const model = scriptedModel({
  turns: [
    { toolCalls: [{ name: 'look' }], usage },
    { text: 'Done.', usage }
  ]
})

await using runtime = createRuntime({ store: memoryStore(), tools: [look], models: { main: model } })
const agent = defineAgent({ name: 'watcher', model: { ref: 'main' }, tools: ['look'], budget: { maxTotalTokens: 1_500 } })
const thread = await runtime.start(agent, { input: 'What do you see?' })

const { waits } = await thread.settled()
console.log(waits[0]?.kind, (await thread.budget())?.left)

const { item } = await thread.extendBudget({ maxTotalTokens: 5_000 })
await thread.receipt(item, { wait: true })
const { status, text } = await thread.settled()
console.log(status, text)
