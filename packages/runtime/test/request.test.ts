import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import { answeringModel, createRuntime, defineTool, memoryStore } from '../src/index.ts'
import { toUserMessage } from '../src/state/history.ts'

const SCHEMA = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const
const look = defineTool({ name: 'look', description: 'Looks.', input: { type: 'object' }, effect: 'read', execute: () => 'seen' })

async function requestOf(more: {
  readonly tools?: readonly (typeof look)[]
  readonly systemPrompt?: string
}): Promise<LanguageModelV4CallOptions> {
  const asked: LanguageModelV4CallOptions[] = []
  const model = answeringModel((_prompt, options) => {
    asked.push(options)
    return { text: '{"sum":1}' }
  })
  await using store = memoryStore()
  await using runtime = createRuntime({ store, models: { main: model } })
  const run = await runtime.start({ name: 'adder', model: { ref: 'main' }, outputSchema: SCHEMA, ...more }, { input: 'add' })
  expect(await run.settled()).toMatchObject({ status: 'completed', output: { sum: 1 } })
  const [first] = asked
  if (!first) throw new Error('the model was not asked')
  return first
}

test('gives the output schema to the provider where there are no tools', async () => {
  const request = await requestOf({})
  expect(request.responseFormat).toEqual({ type: 'json', schema: SCHEMA })
  expect(request.prompt.map((message) => message.role)).toEqual(['user'])
})

test('tells the model the output schema where there are tools', async () => {
  const request = await requestOf({ tools: [look], systemPrompt: 'You add.' })
  expect(request.responseFormat).toBeUndefined()
  const [system] = request.prompt
  expect(system).toMatchObject({ role: 'system', content: expect.stringContaining(JSON.stringify(SCHEMA)) })
  expect(system).toMatchObject({ content: expect.stringContaining('You add.') })
})

test('shows a file whose address is none as text, so that its thread stays readable', () => {
  const message = toUserMessage([{ type: 'file', mediaType: 'image/png', source: { url: 'no address' } }])
  expect(message).toMatchObject({ role: 'user', content: [{ type: 'text' }] })
})
