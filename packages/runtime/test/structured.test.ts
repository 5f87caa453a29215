import { describe, expect, test } from 'vitest'
import type { RecordingModel } from './runtime-kit.ts'
import { agentOf, recordingModel, resultsIn, runtimeFor, toolOf, within } from './runtime-kit.ts'

const SCHEMA = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'], additionalProperties: false } as const

describe('a structured answer', () => {
  const ask = async (model: RecordingModel, over: Parameters<typeof agentOf>[0] = {}) => {
    const handle = await runtimeFor(model).start(agentOf({ outputSchema: SCHEMA, ...over }), { input: 'go' })
    return { handle, result: await within(handle.settled()) }
  }

  test.each([['{"n":1}'], [' {"n": 1}\n'], ['```json\n{"n":1}\n```'], ['```\n{"n":1}\n```']])('is read from %j', async (answer) => {
    expect((await ask(recordingModel(() => ({ text: answer })))).result).toMatchObject({ status: 'completed', output: { n: 1 } })
  })

  test.each([
    ['no JSON', 'one'],
    ['another type', '{"n":"1"}'],
    ['too much', '{"n":1,"m":2}'],
    ['a list', '[1]'],
    ['nested too deeply', `${'['.repeat(9_000)}${']'.repeat(9_000)}`]
  ])('that is %s is asked for once more, with what is wrong', async (_, wrong) => {
    const model = recordingModel(({ answers }) => ({ text: answers === 0 ? wrong : '{"n":2}' }))
    const { result } = await ask(model)
    expect(result).toMatchObject({ status: 'completed', output: { n: 2 } })
    expect(model.prompts[1]?.map((message) => message.role)).toEqual(['user', 'assistant', 'user'])
  })

  test('that is wrong twice fails the run', async () => {
    const model = recordingModel(() => ({ text: 'one' }))
    const { result } = await ask(model)
    expect(result).toMatchObject({ status: 'failed', error: { code: 'output_invalid' } })
    expect(model.prompts).toHaveLength(2)
  })

  test('that is wrong in the last turn of the limit fails the run', async () => {
    const model = recordingModel(() => ({ text: 'one' }))
    const { result } = await ask(model, { limits: { maxTurns: 1 } })
    expect(result).toMatchObject({ status: 'failed', error: { code: 'output_invalid' } })
    expect(model.prompts).toHaveLength(1)
  })

  test('may be repaired anew in every run', async () => {
    const model = recordingModel(({ request }) => ({ text: request % 2 === 1 ? 'one' : `{"n":${request}}` }))
    const { handle } = await ask(model)
    await handle.message('again')
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', output: { n: 4 } })
  })
})

describe('task_complete', () => {
  test('ends the run with its result when the turn is closed, its siblings run', async () => {
    const runs: unknown[] = []
    const model = recordingModel(() => ({ toolCalls: [{ name: 'task_complete', arguments: { result: { n: 1 } } }, { name: 'get' }] }))
    const handle = await runtimeFor(model).start(
      agentOf({ tools: [toolOf('get', (args) => runs.push(args)), 'task_complete'], outputSchema: SCHEMA }),
      { input: 'go' }
    )
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', output: { n: 1 } })
    expect(runs).toHaveLength(1)
    expect(model.prompts).toHaveLength(1)
    await handle.message('and now?')
    await within(handle.settled())
    expect(resultsIn(model.prompts[1]).size).toBe(2)
  })

  test('with a result that does not fit is an error that the model reads', async () => {
    const model = recordingModel(({ answers }) => ({
      toolCalls: [{ name: 'task_complete', arguments: { result: answers === 0 ? 'one' : { n: 1 } } }]
    }))
    const handle = await runtimeFor(model).start(agentOf({ tools: ['task_complete'], outputSchema: SCHEMA }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', output: { n: 1 } })
    expect([...resultsIn(model.prompts[1]).values()]).toMatchObject([{ type: 'error-text' }])
  })

  test('gives a text as the text of the run', async () => {
    const model = recordingModel(() => ({ toolCalls: [{ name: 'task_complete', arguments: { result: 'fine' } }] }))
    const handle = await runtimeFor(model).start(agentOf({ tools: ['task_complete'] }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', output: 'fine', text: 'fine' })
  })
})
