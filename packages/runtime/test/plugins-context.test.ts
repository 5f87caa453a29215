import { expect, test } from 'vitest'
import { z } from 'zod'
import { definePlugin, defineState } from '../src/define-plugin.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { runtimeOf } from './approval-kit.ts'
import { agentOf, factsOf, recordingModel, toolOf, userTexts, within } from './runtime-kit.ts'

const LIST = defineState('list', { schema: z.array(z.string()), initial: [] })
const NOTE = defineState('note', { schema: z.string(), initial: '' })

/** Keeps a list, and shows it. */
const planner = definePlugin({
  name: 'planner',
  options: z.strictObject({ tone: z.string() }),
  bounds: { tools: ['add'], context: ['system', 'request'], state: ['list', 'note'] },
  create: ({ tone }) => ({
    tools: [
      toolOf('add', (input, { state }) => {
        const { item } = input as { readonly item: string }
        state.set(LIST, [...state.get(LIST), item])
        state.set(NOTE, item)
      })
    ],
    context: { system: `Plan ahead, ${tone}.`, request: '{{ state.note }}' },
    state: [LIST, NOTE]
  })
})
const shown = definePlugin({ name: 'shown', bounds: { context: ['system'] }, create: () => ({ context: { system: 'Be brief.' } }) })

// I19
test('what plugins add to requests follows from publication and state, stands in no message that is kept, and is built again without them', async () => {
  const model = recordingModel(({ answers }) => {
    const item = ['{{ state.list }}', 'two'][answers]
    return item === undefined ? { text: 'done' } : { toolCalls: [{ name: 'add', arguments: { item } }] }
  })
  const store = memoryStore()
  const runtime = runtimeOf(store, { models: { main: model }, plugins: [planner, shown] })
  const agent = agentOf({
    systemPrompt: 'You are an agent.',
    initialPrompts: [{ role: 'system', prompt: 'Mind the gap.' }],
    plugins: [{ name: 'planner', options: { tone: 'calmly' } }, 'shown']
  })
  const run = await runtime.start(agent, { input: 'go' })
  expect((await within(run.settled())).status).toBe('completed')
  const system = 'You are an agent.\n\nMind the gap.\n\nPlan ahead, calmly.\n\nBe brief.'
  expect(model.prompts.map(([first]) => first)).toEqual([1, 2, 3].map(() => ({ role: 'system', content: system })))
  // Nothing while it is empty; what a value holds is not rendered; behind results, and never a second time.
  expect(model.prompts.map(userTexts)).toEqual([['go'], ['go', '{{ state.list }}'], ['go', 'two']])
  expect(model.prompts.map((prompt) => prompt.at(-1)?.role)).toEqual(['user', 'user', 'user'])
  expect(JSON.stringify((await factsOf(run)).filter(({ type }) => type === 'message.received'))).not.toContain('two')

  const without = runtimeOf(store, { concurrency: 0 })
  for (const [index, prompt] of model.prompts.entries()) {
    expect((await without.thread(run.thread).prompt(index + 1)).request.prompt).toEqual(prompt)
  }
})

test('behind what a person says, what plugins add stands in the same message', async () => {
  const model = recordingModel(() => ({ text: 'done' }))
  const hint = definePlugin({
    name: 'hint',
    bounds: { context: ['request'] },
    create: () => ({ context: { request: 'Today is Monday.' } })
  })
  const runtime = runtimeOf(memoryStore(), { models: { main: model }, plugins: [hint] })
  const run = await runtime.start(agentOf({ plugins: ['hint'] }), { input: 'go' })
  await within(run.settled())
  await run.message('again')
  await within(run.settled())
  expect(model.prompts[1]?.map(({ role, content }) => [role, content.length])).toEqual([
    ['user', 1],
    ['assistant', 1],
    ['user', 2]
  ])
  expect(userTexts(model.prompts[1])).toEqual(['go', 'again', 'Today is Monday.'])
})

// I19
test('what a hook of a plugin keeps before a request is shown in it, and is found again', async () => {
  const turns = defineState('turns', { schema: z.int(), initial: 0 })
  const counter = definePlugin({
    name: 'counter',
    bounds: { hooks: ['beforeInference'], context: ['request'], state: ['turns'] },
    create: () => ({
      hooks: [
        {
          name: 'count',
          beforeInference: (_, { state }) => {
            state.set(turns, state.get(turns) + 1)
            return { do: 'modify', context: `asked ${state.get(turns)}` }
          }
        }
      ],
      context: { request: 'turn {{ state.turns }}' },
      state: [turns]
    })
  })
  const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'look', arguments: {} }] } : { text: 'done' }))
  const look = toolOf('look', () => 'seen')
  const runtime = runtimeOf(memoryStore(), { models: { main: model }, plugins: [counter], tools: [look] })
  const run = await runtime.start(agentOf({ plugins: ['counter'], tools: ['look'] }), { input: 'go' })
  expect((await within(run.settled())).status).toBe('completed')
  expect(model.prompts.map(userTexts)).toEqual([
    ['go', 'turn 1', 'asked 1'],
    ['go', 'turn 2', 'asked 2']
  ])
  for (const [index, prompt] of model.prompts.entries()) expect((await run.prompt(index + 1)).request.prompt).toEqual(prompt)
})
