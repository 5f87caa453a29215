import { join } from 'node:path'
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { RunResult } from '../src/contracts/run-result.ts'
import type { ThreadHandle } from '../src/contracts/thread-handle.ts'
import type { Fact } from '../src/contracts/fact.ts'
import type { Store, ThreadRow } from '../src/contracts/store.ts'
import type { Cost } from '../src/contracts/usage.ts'
import { NO_USAGE } from '../src/contracts/usage.ts'
import { MESSAGE_START } from '../src/effects/whole-part.ts'
import { evolve } from '../src/state/evolve.ts'
import { emptyState } from '../src/state/state.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { toRunRows } from '../src/stores/run-rows.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { publicationOf } from './model/publication.ts'
import type { Asked, RecordingModel } from './runtime-kit.ts'
import { agentOf, factsOf, folder, runThrough, runtimeFor, streamingModel, toolOf, within } from './runtime-kit.ts'
import { call, finish, text } from './stream-parts.ts'

type Parts = AsyncIterable<LanguageModelV4StreamPart> | Iterable<LanguageModelV4StreamPart>

const get = toolOf('get', () => 1, { effect: 'read' })

/** A model by the name that prices are looked up under. */
const modelOf = (provider: string, modelId: string, stream: (asked: Asked) => Parts): RecordingModel => ({
  ...streamingModel(stream),
  provider,
  modelId
})

/** Calls a tool once in every run, then answers: 1,000 tokens in and 100 out, then 2,000 and 200. */
const twoTurns = ({ prompt }: Asked): Parts =>
  prompt.at(-1)?.role === 'tool'
    ? [text('t', 'done'), finish('stop', 2_000, 200)]
    : [call('', 'get', '{}'), finish('tool-calls', 1_000, 100)]

const costsOf = async (handle: Pick<ThreadHandle, 'log'>): Promise<readonly (Cost | undefined)[]> =>
  (await factsOf(handle)).flatMap((fact) => (fact.type === 'model.responded' || fact.type === 'model.failed' ? [fact.cost] : []))

const settled = (handle: Pick<ThreadHandle, 'settled'>): Promise<RunResult> => within(handle.settled())

describe('the cost of a run', () => {
  test.each<[string, () => Promise<Store>]>([
    ['in memory', async () => memoryStore()],
    ['in SQLite', async () => sqliteStore(join(await folder(), 'store.db'))]
  ])('stands with every call and adds up by run and by thread, %s', async (_, open) => {
    const store = await open()
    onTestFinished(() => store[Symbol.asyncDispose]())
    const runtime = runtimeFor(modelOf('openai.responses', 'gpt-5', twoTurns), { store })
    const handle = await runtime.start(agentOf({ tools: [get] }), { input: 'go' })
    expect(await settled(handle)).toMatchObject({ status: 'completed', cost: 0.00675, subtreeCost: 0.00675 })
    expect(await costsOf(handle)).toEqual([0.00225, 0.0045])
    await handle.message('again')
    expect(await settled(handle)).toMatchObject({ status: 'completed', cost: 0.00675, subtreeCost: 0.0135 })
    expect((await handle.info()).row).toMatchObject({ cost: 0.0135, runCost: 0.00675 })
    expect((await handle.runs()).map((run) => run.cost)).toEqual([0.00675, 0.00675])
  })

  test('counts what was read from a cache and written to one', async () => {
    const counted: LanguageModelV4StreamPart = {
      type: 'finish',
      finishReason: { unified: 'stop', raw: undefined },
      usage: {
        inputTokens: { total: 10_000, noCache: 1_000, cacheRead: 7_000, cacheWrite: 2_000 },
        outputTokens: { total: 100, text: 20, reasoning: 80 },
        raw: { cache_creation: { ephemeral_1h_input_tokens: 500 } }
      }
    }
    const model = modelOf('anthropic.messages', 'claude-sonnet-4-5-20250929', () => [text('t', 'done'), counted])
    const handle = await runtimeFor(model).start(agentOf(), { input: 'go' })
    const { usage, cost } = await settled(handle)
    expect(usage).toMatchObject({ cachedInputTokens: 7_000, cacheWriteTokens: 2_000, cacheWriteHourTokens: 500, reasoningTokens: 80 })
    expect(cost).toBe(0.015225)
  })

  test('counts an answer that failed', async () => {
    const clock = fakeClock()
    const model = modelOf('openai.responses', 'gpt-5', ({ request }) =>
      request === 1 ? [text('t', 'half'), finish('error', 1_000, 100)] : [text('t', 'done'), finish('stop', 1_000, 100)]
    )
    const handle = await runtimeFor(model, { clock }).start(agentOf(), { input: 'go' })
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'completed', cost: 0.0045 })
    expect(await costsOf(handle)).toEqual([0.00225, 0.00225])
  })

  test('counts what an answer had announced that did not come in time', async () => {
    const clock = fakeClock()
    const started: LanguageModelV4StreamPart = {
      type: 'custom',
      kind: MESSAGE_START,
      providerMetadata: { anthropic: { usage: { input_tokens: 1_000, cache_read_input_tokens: 10_000 } } }
    }
    const model = modelOf('anthropic.messages', 'claude-sonnet-4-5', async function* () {
      yield started
      yield text('t', 'x'.repeat(400))
      await new Promise(() => {})
    })
    const limits = { providerTimeoutMs: 3_000, maxRetries: 0 }
    const handle = await runtimeFor(model, { clock }).start(agentOf({ limits }), { input: 'go' })
    const result = await runThrough(clock, handle.settled())
    expect(result).toMatchObject({ status: 'failed', error: { code: 'provider_timeout' }, cost: 0.0075 })
    expect(result.usage).toEqual({ inputTokens: 11_000, cachedInputTokens: 10_000, outputTokens: 100, estimated: true })
  })

  test('is unknown as soon as that of one call is', async () => {
    const model = modelOf('openai.responses', 'gpt-5', (asked) => {
      const answered: LanguageModelV4StreamPart = { type: 'response-metadata', modelId: 'o1-pro' }
      const cached: LanguageModelV4StreamPart = {
        type: 'finish',
        finishReason: { unified: 'stop', raw: undefined },
        usage: {
          inputTokens: { total: 1_000, noCache: 0, cacheRead: 1_000, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 }
        }
      }
      return asked.answers === 0 ? twoTurns(asked) : [answered, text('t', 'done'), cached]
    })
    const handle = await runtimeFor(model).start(agentOf({ tools: [get] }), { input: 'go' })
    expect(await settled(handle)).toMatchObject({ status: 'completed', cost: 'unknown', subtreeCost: 'unknown' })
    expect(await costsOf(handle)).toEqual([0.00225, 'unknown'])
  })

  test('is unknown for a model without a price, and its usage is known', async () => {
    const handle = await runtimeFor(modelOf('house.chat', 'llama', twoTurns)).start(agentOf({ tools: [get] }), { input: 'go' })
    expect(await settled(handle)).toMatchObject({ cost: 'unknown', usage: { inputTokens: 3_000, outputTokens: 300 } })
  })

  test.each([['house/llama'], ['llama'], ['main']])('takes the prices that the runtime was given: %s', async (key) => {
    const prices = { [key]: { input: 1, output: 2 } }
    const handle = await runtimeFor(modelOf('house.chat', 'llama', twoTurns), { prices }).start(agentOf({ tools: [get] }), { input: 'go' })
    expect(await settled(handle)).toMatchObject({ cost: 0.0036 })
  })

  test('of a script is nothing', async () => {
    const handle = await runtimeFor(streamingModel(twoTurns)).start(agentOf({ tools: [get] }), { input: 'go' })
    expect(await settled(handle)).toMatchObject({ cost: 0, subtreeCost: 0 })
  })
})

describe('the log of a version that knew no prices', () => {
  const stamp = { at: 1, attempt: 1, sequence: 1 }
  const turn: readonly Fact[] = [
    { v: 1, type: 'run.started', run: 'r', publication: 'p', mode: 'sequential', by: { kind: 'host', id: 'h' } },
    { v: 1, type: 'turn.started', run: 'r', scope: '', turn: 'r/1', try: 1, model: 'm' }
  ]
  const failed = { v: 1, type: 'model.failed', run: 'r', scope: '', turn: 'r/1', try: 1, why: 'transient' } as const

  test.each<[string, Partial<Fact>, Cost]>([
    ['has failed calls of unknown cost where tokens were used', { usage: { inputTokens: 1, outputTokens: 1 } }, 'unknown'],
    ['has failed calls that cost nothing where none were used', {}, 0]
  ])('%s', (_, more, cost) => {
    const state = emptyState('thr_1', publicationOf())
    for (const fact of [...turn, { ...failed, ...more } as Fact]) evolve(state, stamp, fact)
    expect(state.cost).toBe(cost)
    expect(state.run?.cost).toBe(cost)
  })
})

describe('the row of a run that ended in the commit in which the next began', () => {
  const usage = { inputTokens: 1, outputTokens: 1, cacheWriteTokens: 1, cacheWriteHourTokens: 1 }
  const common = { v: 1, run: 'run_1', scope: '', turn: 'run_1/1' } as const
  const failed = { ...common, type: 'model.failed', try: 1, why: 'transient' } as const
  const answered: Fact = { ...common, type: 'model.responded', parts: { inline: [] }, finish: 'stop', usage, cost: 0.2, model: 'm' }
  const row: ThreadRow = {
    ...{ status: 'running', agent: 'a', needs: [], turns: 1, usage: NO_USAGE, cost: 0 },
    ...{ run: 'run_1', runUsage: NO_USAGE, runCost: 0.1, startedIn: 1 }
  }

  test.each<[string, Partial<Fact>, Cost]>([
    ['failed calls too', { usage, cost: 0.3 }, 0.6],
    ['failed calls that used nothing as nothing', {}, 0.3],
    ['failed calls of unknown cost as unknown', { usage }, 'unknown']
  ])('counts %s', (_, more, cost) => {
    const ended: Fact = { v: 1, type: 'run.ended', run: 'run_1', status: 'completed' }
    const rows = toRunRows('thr_1', 2, [{ ...failed, ...more } as Fact, answered, ended], { ...row, run: 'run_2', startedIn: 2 }, row)
    expect(rows[0]).toMatchObject({ run: 'run_1', cost })
    expect(rows[0]?.usage.cacheWriteHourTokens).toBe('usage' in more ? 2 : 1)
  })
})
