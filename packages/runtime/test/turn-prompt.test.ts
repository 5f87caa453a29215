import { join } from 'node:path'
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { expect, onTestFinished, test } from 'vitest'
import type { AgentDefinition } from '../src/contracts/api.ts'
import type { Part } from '../src/contracts/message.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { agentOf, factsOfType, folder, recordingModel, runThrough, runtimeFor, toolOf, within } from './runtime-kit.ts'

const AGENT: Partial<AgentDefinition> = {
  systemPrompt: 'You work for {{ city }}.',
  variables: [{ key: 'city', type: 'string', value: 'Rome' }],
  tools: ['look'],
  model: { ref: 'main', settings: { temperature: 0.5, toolChoice: 'auto' }, options: { some: { effort: 'high' } } }
}

const look = toolOf('look', () => ({ seen: true }), { effect: 'read' })

/** What a request says, as anybody who shows it sees it. */
function shown({ abortSignal: _, ...request }: LanguageModelV4CallOptions): unknown {
  return JSON.parse(JSON.stringify(request))
}

// I19
test('the prompt of every turn is what the model was given, by any process that reads the store', async () => {
  const path = join(await folder(), 'store.db')
  const store = await sqliteStore(path, { durability: 'process' })
  onTestFinished(() => store[Symbol.asyncDispose]())
  const model = recordingModel(({ answers }) => (answers % 2 === 0 ? { toolCalls: [{ name: 'look' }], reasoning: 'hm' } : { text: 'done' }))
  const runtime = runtimeFor(model, { store, tools: [look] })
  const image: Part = { type: 'file', mediaType: 'image/png', source: { url: 'https://example.com/a.png' } }
  const handle = await runtime.start(agentOf(AGENT), { input: [{ type: 'text', text: 'look here' }, image], variables: { city: 'Oslo' } })
  await within(handle.settled())
  await handle.message('again')
  await within(handle.settled())
  const turns = (await factsOfType(handle, 'turn.started')).map((fact) => fact.turn)
  expect(turns).toHaveLength(4)
  const reader = runtimeFor(model, { store, concurrency: 0 }).thread(handle.id)
  for (const [index, turn] of turns.entries()) {
    const prompt = await reader.prompt(turn)
    const call = model.calls[index]
    expect(shown(prompt.request)).toEqual(call && shown(call))
    expect(prompt).toMatchObject({ turn, try: 1, model: 'main' })
  }
  // A number is one of the latest run.
  expect(await reader.prompt(2)).toEqual(await reader.prompt(turns[3] ?? ''))
  expect((await reader.prompt(1)).request.prompt[0]).toEqual({ role: 'system', content: 'You work for Oslo.' })
  for (const missing of [0, 3, 1.5, 'run_x//1', '']) {
    await expect(reader.prompt(missing)).rejects.toMatchObject({ code: 'invalid_input' })
  }
  await expect(reader.prompt(1, { try: 2 })).rejects.toMatchObject({ code: 'invalid_input' })
})

test('the prompt of a turn that was tried again is that of its last try, or of the one that is asked for', async () => {
  const clock = fakeClock()
  const model = recordingModel(async ({ request }) => {
    if (request > 1) return { text: 'done' }
    await handle.message('one thing more')
    return { error: { status: 503 } }
  })
  const runtime = runtimeFor(model, { clock })
  const handle = await runtime.start(agentOf(), { input: 'go' })
  await runThrough(clock, handle.settled())
  expect(model.prompts.map((prompt) => prompt.length)).toEqual([1, 2])
  expect(await handle.prompt(1)).toMatchObject({ try: 2, request: { prompt: model.prompts[1] } })
  expect(await handle.prompt(1, { try: 1 })).toMatchObject({ try: 1, request: { prompt: model.prompts[0] } })
})
