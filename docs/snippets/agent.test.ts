import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRuntime, defineAgent, defineTool, memoryStore, scriptedModel } from '@holdfast/runtime'
import { z } from 'zod'

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather of a town.',
  input: z.object({ town: z.string() }),
  effect: 'read',
  execute: ({ town }) => ({ town, sky: 'clear' })
})
const agent = defineAgent({ name: 'forecaster', model: { ref: 'main' }, tools: [weather] })

test('asks for the weather before it answers', async () => {
  const main = scriptedModel({
    turns: [{ toolCalls: [{ name: 'weather', arguments: { town: 'Bern' } }] }, { when: 'clear', text: 'Take sunglasses.' }]
  })
  await using store = memoryStore()
  await using runtime = createRuntime({ store, models: { main } })
  const run = await runtime.start(agent, { input: 'How is Bern?' })
  assert.equal((await run.settled()).text, 'Take sunglasses.')
  const facts = (await run.log()).flatMap((commit) => commit.facts)
  assert.deepEqual(
    facts.flatMap((fact) => (fact.type === 'call.settled' ? [fact.outcome] : [])),
    ['ok']
  )
})

test('says so when the provider refuses', async () => {
  const main = scriptedModel({ turns: [{ error: { status: 401, message: 'no such key' } }] })
  await using store = memoryStore()
  await using runtime = createRuntime({ store, models: { main } })
  const { status, error } = await (await runtime.start(agent, { input: 'How is Bern?' })).settled()
  assert.equal(status, 'failed')
  assert.equal(error?.code, 'provider_rejected')
})
