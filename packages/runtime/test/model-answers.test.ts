import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import type { ScriptTurn } from '../src/models/script-turn.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import type { Asked } from './runtime-kit.ts'
import {
  agentOf,
  factsOfType,
  latch,
  parrot,
  recordingModel,
  resultsIn,
  runThrough,
  runtimeFor,
  streamingModel,
  toolOf,
  until,
  userTexts,
  within
} from './runtime-kit.ts'
import { call, finish, text } from './stream-parts.ts'

const get = (runs: unknown[] = []) => toolOf('get', (args) => runs.push(args), { effect: 'read' })
const DONE = [text('t', 'done'), finish('stop')]

describe('an answer with calls', () => {
  test('runs them whatever its finish says, under ids of our own where it gives none', async () => {
    // B006
    const store = memoryStore()
    const runs: unknown[] = []
    const model = parrot([call('', 'get', '{"k":1}'), call('', 'get', '{"k":2}'), finish('stop')], DONE)
    const runtime = runtimeFor(model, { store })
    const handle = await runtime.start(agentOf({ tools: [get(runs)] }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: 'done' })
    expect(runs).toEqual([{ k: 1 }, { k: 2 }])
    const ids = [...resultsIn(model.prompts[1]).keys()]
    expect(new Set(ids).size).toBe(2)
    expect(ids).not.toContain('')
    await runtime.close()
    const later = recordingModel(() => ({ text: 'again' }))
    const thread = runtimeFor(later, { store, tools: [get()] }).thread(handle.id)
    await thread.message('more')
    await within(thread.settled())
    expect([...resultsIn(later.prompts[0]).keys()]).toEqual(ids)
  })

  test.each([['other'], ['content-filter'], ['tool-calls']] as const)('runs a complete call when its finish says %s', async (reason) => {
    // B006, B008
    const runs: unknown[] = []
    const handle = await runtimeFor(parrot([call('c', 'get', '{"k":1}'), finish(reason)], DONE)).start(agentOf({ tools: [get(runs)] }), {
      input: 'go'
    })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
    expect(runs).toEqual([{ k: 1 }])
  })

  test.each<[string, readonly LanguageModelV4StreamPart[]]>([
    [
      'in the middle of its arguments',
      [
        { type: 'tool-input-start', id: 'c', toolName: 'get' },
        { type: 'tool-input-delta', id: 'c', delta: '{' }
      ]
    ],
    ['after a complete call', [text('t', 'I will'), call('c', 'get', '{"k":1}')]],
    ['with an error', [call('c', 'get', '{"k":1}'), { type: 'error', error: new Error('overloaded_error') }]],
    ['with a finish that says error', [call('c', 'get', '{"k":1}'), finish('error')]],
    ['with a finish that says interrupted', [call('c', 'get', '{"k":1}'), finish('interrupted' as 'error')]]
  ])('that ends %s is asked again and runs nothing of it', async (_, parts) => {
    // B008
    const clock = fakeClock()
    const runs: unknown[] = []
    const model = parrot(parts, DONE)
    const handle = await runtimeFor(model, { clock }).start(agentOf({ tools: [get(runs)] }), { input: 'go' })
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'completed', text: 'done' })
    expect(runs).toEqual([])
    expect(await factsOfType(handle, 'model.failed')).toMatchObject([{ why: 'transient', try: 1 }])
    expect(await factsOfType(handle, 'turn.started')).toMatchObject([{ try: 1 }, { try: 2 }])
    expect(model.prompts[1]).toEqual(model.prompts[0])
  })

  test('that always ends too early fails the run after the retries that its limit allows', async () => {
    // B008
    const clock = fakeClock()
    const model = parrot([text('t', 'x'.repeat(400))])
    const handle = await runtimeFor(model, { clock }).start(agentOf({ limits: { maxRetries: 3 } }), { input: 'go' })
    const result = await runThrough(clock, handle.settled())
    expect(result).toMatchObject({ status: 'failed', error: { code: 'stream_interrupted' } })
    expect(model.prompts).toHaveLength(4)
    // What it cost is guessed, not zero.
    expect(result.usage).toMatchObject({ estimated: true })
    expect(result.usage.outputTokens).toBeGreaterThanOrEqual(400)
  })

  test('that its output limit cut runs nothing and fails', async () => {
    const runs: unknown[] = []
    const handle = await runtimeFor(parrot([call('c', 'get', '{"k":1}'), finish('length')])).start(agentOf({ tools: [get(runs)] }), {
      input: 'go'
    })
    expect(await within(handle.settled())).toMatchObject({ status: 'failed', error: { code: 'output_truncated' } })
    expect(runs).toEqual([])
  })

  test('that gives an id a second time, in a later turn and after a restart, is a call of its own', async () => {
    // B018
    const store = memoryStore()
    const wait = latch()
    const slow = toolOf(
      'get',
      async (args) => {
        if ((args as { k: number }).k === 2) await wait.opened
        return args
      },
      { effect: 'read' }
    )
    const answer = ({ answers }: Asked) =>
      answers < 2 ? [call('functions.get:0', 'get', `{"k":${answers + 1}}`), finish('tool-calls')] : DONE
    const first = runtimeFor(streamingModel(answer), { store })
    const { id } = await first.start(agentOf({ tools: [slow] }), { input: 'go' })
    await until(async () => (await factsOfType(first.thread(id), 'call.started')).length === 2)
    await first.close({ graceMs: 0 })
    wait.open()
    const model = streamingModel(answer)
    const handle = runtimeFor(model, { store, tools: [slow] }).thread(id)
    await handle.resume()
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
    const shown = resultsIn(model.prompts.at(-1))
    expect(shown.size).toBe(2)
    expect([...shown.values()].map((output) => output.value)).toEqual([{ k: 1 }, { k: 2 }])
  })
})

describe('an answer without calls', () => {
  test.each<[string, readonly LanguageModelV4StreamPart[]]>([
    ['nothing', []],
    ['a finish that speaks of calls', [finish('tool-calls', 5, 0)]],
    ['an empty text', [text('t', ''), finish('stop')]],
    ['blank text', [text('t', '\n '), finish('stop')]],
    ['reasoning alone', [{ type: 'reasoning-delta', id: 'r', delta: 'hm' }, finish('stop')]]
  ])('that is %s is asked for again twice, then the run fails, and the next message is answered', async (_, parts) => {
    // B007, B023
    const clock = fakeClock()
    const model = streamingModel(({ prompt }) => (userTexts(prompt).includes('again') ? DONE : parts))
    const handle = await runtimeFor(model, { clock }).start(agentOf({ limits: { maxTurns: 20 } }), { input: 'go' })
    const result = await runThrough(clock, handle.settled())
    expect(result).toMatchObject({ status: 'failed', error: { code: parts.length === 0 ? 'stream_interrupted' : 'empty_model_response' } })
    expect(model.prompts).toHaveLength(3)
    await handle.message('again')
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'completed', text: 'done' })
    expect(model.prompts.at(-1)?.map((message) => message.role)).toEqual(['user', 'user'])
  })

  test('that has an empty text beside a call keeps the call alone', async () => {
    // B023
    const model = parrot(
      [{ type: 'text-start', id: 't' }, text('t', ''), { type: 'text-end', id: 't' }, call('c', 'get', '{}'), finish('tool-calls')],
      DONE
    )
    const handle = await runtimeFor(model).start(agentOf({ tools: [get()] }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
    expect(model.prompts[1]?.[1]?.content).toMatchObject([{ type: 'tool-call' }])
  })

  test('is asked for again without being counted against a later empty one', async () => {
    // B007
    const answers: ScriptTurn[] = [{ text: '' }, { toolCalls: [{ name: 'get' }] }, { text: '' }, { text: '' }, { text: 'done' }]
    const model = recordingModel(({ request }) => answers[request - 1] ?? {})
    const handle = await runtimeFor(model).start(agentOf({ tools: [get()] }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: 'done' })
  })

  test.each([
    ['withheld by a filter', finish('content-filter'), 'content_filtered'],
    ['cut by the output limit', finish('length'), 'output_truncated']
  ])('that is %s fails the run with its own code', async (_, end, code) => {
    const handle = await runtimeFor(parrot([text('t', 'the beginning'), end])).start(agentOf(), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'failed', error: { code } })
  })

  test('that is larger than fits into a commit fails the run and leaves the thread usable', async () => {
    const model = streamingModel(({ request }) => (request === 1 ? [text('t', '"'.repeat(390_000)), finish('stop')] : DONE))
    const handle = await runtimeFor(model).start(agentOf(), { input: 'go' })
    expect(['completed', 'failed']).toContain((await within(handle.settled())).status)
    await handle.message('again')
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: 'done' })
  })

  test.each<[string, string]>([
    ['quotes', '"'],
    ['control characters', '\u0001']
  ])('whose arguments are full of %s does not stop the thread', async (_, character) => {
    const input = JSON.stringify({ q: character.repeat(60_000) })
    const model = streamingModel(({ answers }) => (answers === 0 ? [call('c', 'get', input), finish('tool-calls')] : DONE))
    const handle = await runtimeFor(model).start(agentOf({ tools: [toolOf('get', () => 1)] }), { input: 'go' })
    expect(['completed', 'failed']).toContain((await within(handle.settled())).status)
    await handle.message('again')
    await within(handle.settled())
  })

  test('that is structured and large is one output, or fails with a code', async () => {
    const json = JSON.stringify({ n: 1, s: '\u20ac"'.repeat(60_000) })
    const schema = { type: 'object' } as const
    const model = streamingModel(({ request }) => (request === 1 ? [text('t', json), finish('stop')] : DONE))
    const handle = await runtimeFor(model).start(agentOf({ outputSchema: schema }), { input: 'go' })
    expect(['completed', 'failed']).toContain((await within(handle.settled())).status)
  })
})
