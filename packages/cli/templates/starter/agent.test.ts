// The whole agent with its tools, in memory and without a key: the script is the model.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadScript } from '@holdfast/config'
import { createRuntime, memoryStore, parseAgentManifest, scriptedModel } from '@holdfast/runtime'
import { listNotes, readNote, writeSummary } from './tools.ts'

const folder = import.meta.dirname

test('reads every note and writes the summary', async () => {
  const { definition } = await parseAgentManifest(readFileSync(join(folder, 'agent.yaml'), 'utf8'), 'agent.yaml')
  const model = scriptedModel(await loadScript(join(folder, 'script.yaml')))
  await using store = memoryStore()
  await using runtime = createRuntime({ store, tools: [listNotes, readNote, writeSummary], models: () => model })

  const run = await runtime.start(definition)
  const result = await run.settled()

  assert.equal(result.status, 'completed')
  assert.match(result.text ?? '', /summary\.md/)
  const facts = (await run.log()).flatMap((commit) => commit.facts)
  const outcomes = facts.flatMap((fact) => (fact.type === 'call.settled' ? [fact.outcome] : []))
  assert.deepEqual(outcomes, ['ok', 'ok', 'ok', 'ok'])
})
