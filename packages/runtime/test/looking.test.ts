import { expect, test } from 'vitest'
import { agentOf, latch, recordingModel, runtimeFor, toolOf, until, within } from './runtime-kit.ts'

test('a runtime that only looks waits for a thread whose tools it lacks, whoever drives it', async () => {
  const held = latch()
  const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'hold' }] } : { text: 'done' }))
  const tools = [toolOf('hold', () => held.opened.then(() => 'ok'), { effect: 'read' })]
  const first = runtimeFor(model, { tools })
  const run = await first.start(agentOf({ tools: ['hold'] }), { input: 'go' })
  await until(() => model.prompts.length === 1)
  await first.close({ graceMs: 0 })
  const looking = runtimeFor(model, { store: first.store, concurrency: 0 }).thread(run.id)
  expect(await looking.info()).not.toHaveProperty('owner')
  const settled = within(looking.settled())
  held.open()
  await runtimeFor(model, { store: first.store, tools }).thread(run.id).resume()
  expect(await settled).toMatchObject({ status: 'completed', text: 'done' })
})
