import { createRuntime, defineAgent, isHoldfastError, scriptedModel, sqliteStore } from '@holdfast/runtime'

await using store = await sqliteStore(process.argv[2] ?? './holdfast.db')
const demo = scriptedModel({ turns: [{ text: 'Hello.' }, { text: 'Still here.' }] })
await using runtime = createRuntime({ store, models: { demo } })

const agent = defineAgent({ name: 'greeter', model: { ref: 'demo' }, prompt: 'Hello?' })
// The same key again finds the thread that it made, also after a crash between the two.
const { id } = await runtime.start(agent, { idempotencyKey: 'greeting-of-today' })

const thread = runtime.thread(id)
try {
  await thread.resume()
} catch (error) {
  if (!isHoldfastError(error, 'thread_busy')) throw error
  console.log('another process drives it', error.details)
}
const { status, text } = await thread.settled()
console.log(status, text)
