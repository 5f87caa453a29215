// A whole conversation with its tools, in memory and without a key: the script is the model.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadScript } from '@holdfast/config'
import { createRuntime, memoryStore, parseAgentManifest, scriptedModel } from '@holdfast/runtime'
import { findOrder, refundOrder } from './tools.ts'

const folder = import.meta.dirname

test('looks the order up and refunds it once', async () => {
  const { definition } = await parseAgentManifest(readFileSync(join(folder, 'agent.yaml'), 'utf8'), 'agent.yaml')
  const model = scriptedModel(await loadScript(join(folder, 'script.yaml')))
  await using store = memoryStore()
  await using runtime = createRuntime({ store, tools: [findOrder, refundOrder], models: () => model })

  const thread = await runtime.start(definition, { input: 'Hello' })
  assert.match((await thread.settled()).text ?? '', /Which order/)
  await thread.message('It is 4711.')
  assert.match((await thread.settled()).text ?? '', /kettle/)
  await thread.message('It leaks. I want my money back.')
  assert.match((await thread.settled()).text ?? '', /refunded/)

  const facts = (await thread.log()).flatMap((commit) => commit.facts)
  const calls = facts.filter((fact) => fact.type === 'call.settled')
  assert.deepEqual(
    calls.map((call) => call.outcome),
    ['ok', 'ok']
  )
})
