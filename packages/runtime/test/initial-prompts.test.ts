import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Hook } from '../src/contracts/hook.ts'
import { scriptedModel } from '../src/models/scripted-model.ts'
import { BEFORE_CALLS } from '../src/state/initial-prompts.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import type { Ledger } from './approval-kit.ts'
import { look, pay, runtimeOf } from './approval-kit.ts'
import { begin, LOOK, paying } from './initial-prompts-kit.ts'
import { refusalOf } from './refusal.ts'
import type { RecordingModel } from './runtime-kit.ts'
import { agentOf, factsOf, factsOfType, folder, outcomesOf, recordingModel, resultsIn, userTexts, within } from './runtime-kit.ts'
import { PLAIN, registry } from './secret-kit.ts'

const roles = (model: RecordingModel) => model.prompts[0]?.map(({ role }) => role)

describe('a thread with initial prompts', () => {
  test('is begun in one process, decided about in another and ended in a third, and asks its model once', async () => {
    const path = join(await folder(), 'holdfast.db')
    const ledger: Ledger = { ran: [] }
    const model = scriptedModel({ turns: [{ text: 'done' }] })
    const open = async () => {
      const store = await sqliteStore(path, { durability: 'process' })
      return { store, runtime: runtimeOf(store, { tools: [look, pay(ledger)], models: { main: model } }) }
    }
    const initialPrompts = [{ prompt: 'look', toolCalls: [LOOK] }, { toolCalls: [LOOK, paying(3)] }, { prompt: 'left out' }]
    const first = await open()
    const run = await first.runtime.start(agentOf({ tools: ['look', 'pay'], initialPrompts }), { input: 'the task' })
    const resting = await within(run.settled())
    expect(resting).toMatchObject({ status: 'waiting', usage: { inputTokens: 0, outputTokens: 0 }, cost: 0 })
    expect(resting.waits.map(({ id, subject }) => [id, subject])).toEqual([
      [`${run.thread}:${run.run}//0.2:approval:1`, expect.objectContaining({ tool: 'pay', arguments: { amount: 3 }, injected: true })]
    ])
    await first.runtime.close()
    await first.store[Symbol.asyncDispose]()
    const desk = await open()
    expect(await desk.runtime.approve(resting.waits[0]?.id ?? '')).toMatchObject({ state: 'accepted' })
    await desk.runtime.close({ graceMs: 0 })
    await desk.store[Symbol.asyncDispose]()
    const last = await open()
    const handle = last.runtime.thread(run.thread)
    await handle.resume()
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: 'done' })
    expect(ledger.ran).toEqual([{ tool: 'pay', input: { amount: 3 }, key: `${run.thread}:${run.run}//0.2` }])
    expect(await outcomesOf(handle)).toEqual(['ok', 'ok', 'ok'])
    expect((await handle.info()).row.turns).toBe(1)
  })

  test('shows its model one system prompt, the prompts in their order with calls and results behind them, and the task last', async () => {
    const { model, settled } = await begin(
      [
        { role: 'system', prompt: 'Serve {{ who }}.' },
        { prompt: 'first', toolCalls: [LOOK, LOOK] },
        { role: 'system', prompt: 'Be kind.' },
        { toolCalls: [LOOK] }
      ],
      { agent: { systemPrompt: 'Be brief.', variables: [{ key: 'who', type: 'string', value: 'Ann' }] } }
    )
    expect((await settled()).status).toBe('completed')
    expect(model.prompts).toHaveLength(1)
    expect(roles(model)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'tool', 'user'])
    expect(model.prompts[0]?.[0]).toEqual({ role: 'system', content: 'Be brief.\n\nServe Ann.\n\nBe kind.' })
    expect(userTexts(model.prompts[0])).toEqual(['first', 'the task'])
    expect([...resultsIn(model.prompts[0])].map(([, { value }]) => value)).toEqual(['seen', 'seen', 'seen'])
  })

  test('has them in its history in later runs, and makes no call again', async () => {
    const { model, run, settled } = await begin([{ prompt: 'first', toolCalls: [LOOK] }])
    await settled()
    await run.message('and now?')
    await settled()
    expect((await factsOf(run)).filter(({ type }) => type === 'prompts.injected' || type === 'call.started')).toHaveLength(2)
    expect(userTexts(model.prompts[1])).toEqual(['first', 'the task', 'and now?'])
  })

  test('without a task of its own takes the prompt of the definition', async () => {
    const { runtime, model, settled } = await begin([])
    await settled()
    const agent = agentOf({ tools: ['look'], prompt: 'the prompt', initialPrompts: [{ toolCalls: [LOOK] }] })
    await within((await runtime.start(agent)).settled())
    expect(userTexts(model.prompts.at(-1))).toEqual([BEFORE_CALLS, 'the prompt'])
  })

  test('is the same thread under the same key', async () => {
    const start = { idempotencyKey: 'k', input: 'the task' }
    const { runtime, run, settled } = await begin([{ toolCalls: [LOOK] }], { start })
    await settled()
    const agent = agentOf({ tools: ['look', 'pay', 'ask_user'], initialPrompts: [{ toolCalls: [LOOK] }] })
    expect(await runtime.start(agent, start)).toMatchObject({ thread: run.thread, created: false })
    await refusalOf('conflict', () => runtime.start({ ...agent, initialPrompts: [{ prompt: 'other' }] }, start))
  })

  test('is not there at all in the log of one without', async () => {
    const { run, settled } = await begin([])
    await settled()
    expect((await run.log()).map(({ facts }) => facts.map(({ type }) => type).join(' '))).toEqual([
      'thread.created',
      'attempt.claimed run.started message.received turn.started',
      'model.responded run.ended'
    ])
  })
})

describe('templates of initial prompts', () => {
  const variables = [
    { key: 'who', type: 'string', value: 'Ann' },
    { key: 'order', type: 'object', value: { id: 7, note: '{{ who }}' } }
  ] as const

  test('are rendered with the variables of the start, in texts and in arguments, and what they hold is not', async () => {
    const { run, settled } = await begin(
      [
        {
          prompt: 'For {{ who }}: {{ order.note }}',
          toolCalls: [{ tool: 'look', arguments: { '{{ who }}': ['{{ order }}', { a: 'x{{ who }}' }, 1] } }]
        }
      ],
      { agent: { variables }, start: { variables: { who: '{{ order.id }}' } } }
    )
    await settled()
    const [{ prompts } = { prompts: null }] = await factsOfType(run, 'prompts.injected')
    const input = JSON.stringify({ '{{ who }}': ['{"id":7,"note":"{{ who }}"}', { a: 'x{{ order.id }}' }, 1] })
    expect(prompts).toEqual({ inline: [{ text: 'For {{ order.id }}: {{ who }}', calls: [{ tool: 'look', input }] }] })
  })

  test('give arguments that the schema of the tool judges before the thread exists', async () => {
    const amount = { tool: 'pay', arguments: { amount: '{{ who }}' } }
    const { details } = await refusalOf('invalid_input', () => begin([{ toolCalls: [LOOK, amount] }], { agent: { variables } }))
    expect(details['problems']).toMatchObject([{ path: 'initialPrompts[0].toolCalls[1].arguments' }])
  })

  test('may be too long to stand in one commit beside the rest', async () => {
    const start = { variables: { who: 'x'.repeat(600_000) } }
    const prompts = [{ prompt: '{{ who }}', toolCalls: [{ tool: 'look', arguments: { who: '{{ who }}' } }] }]
    const { model, settled, run } = await begin(prompts, { agent: { variables }, start })
    expect((await settled()).status).toBe('completed')
    expect(userTexts(model.prompts[0])[0]).toHaveLength(600_000)
    const [fact] = await factsOfType(run, 'prompts.injected')
    expect(fact?.prompts).toHaveProperty('artifact')
    await refusalOf('value_too_large', () =>
      begin(
        Array.from({ length: 30 }, () => prompts[0] ?? {}),
        { agent: { variables }, start }
      )
    )
  })

  test('a secret in an argument refuses the start; one in a text is taken out', async () => {
    const secrets = registry()
    const setting = { secrets, agent: { variables }, start: { variables: { who: PLAIN } } }
    await refusalOf('invalid_input', () => begin([{ toolCalls: [{ tool: 'look', arguments: { key: 'is {{ who }}' } }] }], setting))
    const { run, settled } = await begin([{ prompt: 'I am {{ who }}' }], setting)
    expect(run.redacted).toEqual(['PLAIN'])
    await settled()
    expect(JSON.stringify(await factsOf(run))).not.toContain(PLAIN)
  })
})

test('what the system says stays where a hook sends the first message back; what belongs to that message goes with it', async () => {
  const model = recordingModel(() => ({ text: 'hello' }))
  const guard: Hook = { name: 'guard', onMessage: ({ text }) => (text === 'go' ? { do: 'block', reason: 'no' } : null) }
  const initialPrompts = [{ role: 'system', prompt: 'Be brief.', toolCalls: [LOOK] }, { prompt: 'First.' }] as const
  const runtime = runtimeOf(memoryStore(), { tools: [look], models: { main: model }, hooks: [guard] })
  const run = await runtime.start(agentOf({ tools: ['look'], initialPrompts }), { input: 'go' })
  expect(await within(run.settled())).toMatchObject({ status: 'failed', error: { code: 'hook_blocked' } })
  await run.message('home')
  await within(run.settled())
  expect(model.prompts).toMatchObject([
    [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ text: 'home' }] }
    ]
  ])
  expect((await run.verify()).problems).toEqual([])
})
