import { describe, expect, test } from 'vitest'
import { artifactsOf } from '../src/contracts/fact-bodies.ts'
import type { Fact } from '../src/contracts/fact.ts'
import { createSecretRegistry } from '../src/secrets.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { faultyStore } from '../src/testing/faulty-store.ts'
import { NOTE, converse, everyDigest, get, talkative } from './large-bodies-kit.ts'
import { agentOf, counted, factsOf, recordingModel, resultsIn, runtimeFor, toolOf, within } from './runtime-kit.ts'

describe('what is put', () => {
  test('holds no secret', async () => {
    const secrets = createSecretRegistry()
    secrets.add('KEY', 'hunter2-hunter2')
    const store = memoryStore()
    const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'get' }] } : { text: `hunter2-hunter2 ${NOTE}` }))
    const tool = toolOf('get', () => `${NOTE} hunter2-hunter2`)
    const runtime = runtimeFor(model, { store, secrets, tools: [tool] })
    const handle = await runtime.start(agentOf({ tools: ['get'] }), { input: `hunter2-hunter2 ${NOTE} hunter2-hunter2` })
    await within(handle.settled())
    const digests = await everyDigest(store)
    expect(digests).toHaveLength(4)
    for (const digest of digests) {
      expect(new TextDecoder().decode(await store.artifacts.get('default', digest))).not.toContain('hunter2')
    }
    expect(JSON.stringify(await factsOf(handle))).not.toContain('hunter2')
  })

  test('is what weighs more than 64 KiB as JSON, and nothing else', async () => {
    const store = faultyStore(memoryStore())
    const runtime = runtimeFor(
      recordingModel(() => ({ text: 'ok' })),
      { store }
    )
    const overhead = JSON.stringify([{ type: 'text', text: '' }]).length
    const sizes = [65_536 - overhead, 65_537 - overhead]
    const spilled: boolean[] = []
    for (const size of sizes) {
      const handle = await runtime.start(agentOf(), { input: 'x'.repeat(size) })
      await within(handle.settled())
      const facts: readonly Fact[] = await factsOf(handle)
      spilled.push(artifactsOf(facts).length > 0)
    }
    expect(spilled).toEqual([false, true])
  })

  test('is put again and named by the same commit when the store answers too late', async () => {
    const store = faultyStore(memoryStore(), { fail: counted(['append'], (count) => (count % 2 === 0 ? 'after' : null)) })
    const runtime = runtimeFor(talkative(), { store, tools: [get] })
    const handle = await converse(runtime)
    expect((await handle.verify()).problems).toEqual([])
    expect((await factsOf(handle)).filter((fact) => fact.type === 'attempt.claimed')).toHaveLength(1)
  })
})

describe('a result', () => {
  test('that is larger than 16 MiB as JSON is cut to what fits', async () => {
    const tool = toolOf('get', () => '\u0001'.repeat(4_000_000), { effect: 'read', maxResultLength: 5_000_000 })
    const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'get' }] } : { text: 'done' }))
    const handle = await runtimeFor(model, { tools: [tool] }).start(agentOf({ tools: ['get'] }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
    const [shown] = resultsIn(model.prompts[1]).values()
    expect(String(shown?.value)).toMatch(/^\u0001{2700000}\n\[cut: /)
  })
})
