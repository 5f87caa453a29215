import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRuntime, defineAgent, defineTool, memoryStore, scriptedModel } from '@holdfast/runtime'
import { fakeClock, faultyStore } from '@holdfast/runtime/testing'
import { z } from 'zod'

const models = { main: scriptedModel({ turns: [{ toolCalls: [{ name: 'look', arguments: {} }] }, { text: 'Seen.' }] }) }

function agentWith(execute: () => unknown) {
  const look = defineTool({ name: 'look', description: 'Looks.', input: z.object({}), effect: 'once', timeoutMs: 60_000, execute })
  return defineAgent({ name: 'looker', model: { ref: 'main' }, tools: [look] })
}

test('a call that hangs is given up after a minute', async () => {
  const clock = fakeClock()
  await using store = memoryStore({ clock })
  await using runtime = createRuntime({ store, models, clock })
  const begun = Promise.withResolvers<void>()
  const hang = () => {
    begun.resolve()
    return new Promise(() => {})
  }
  const run = await runtime.start(agentWith(hang), { input: 'Look.' })
  await begun.promise
  await clock.advance(60_000)
  await run.settled()
  const facts = (await run.log()).flatMap((commit) => commit.facts)
  assert.ok(facts.some((fact) => fact.type === 'call.settled' && fact.outcome === 'timeout'))
})

test('a store that does not answer in time does not make anything happen twice', async () => {
  let looked = 0
  await using store = memoryStore()
  // Every second append is done, and the caller is told that it may not have been.
  const unsure = faultyStore(store, { fail: ({ index, method }) => (method === 'append' && index % 2 === 0 ? 'after' : null) })
  await using runtime = createRuntime({ store: unsure, models })
  const run = await runtime.start(
    agentWith(() => (looked += 1)),
    { input: 'Look.' }
  )
  assert.equal((await run.settled()).status, 'completed')
  assert.equal(looked, 1)
})
