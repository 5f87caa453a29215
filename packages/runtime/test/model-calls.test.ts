import { describe, expect, test } from 'vitest'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { agentOf, factsOf, recordingModel, runThrough, runtimeFor, streamingModel, toolOf, until, within } from './runtime-kit.ts'
import { call, finish, text, usage } from './stream-parts.ts'

const DONE = [text('t', 'done'), finish('stop')]
const get = toolOf('get', () => 1, { effect: 'read' })

describe('a model call that fails', () => {
  test('for a moment is tried again after a pause that grows', async () => {
    const clock = fakeClock()
    const at: number[] = []
    const model = recordingModel(({ request }) => {
      at.push(clock.monotonic())
      return request < 3 ? { error: { status: 503 } } : { text: 'done' }
    })
    const handle = await runtimeFor(model, { clock }).start(agentOf(), { input: 'go' })
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'completed' })
    expect(at[2] ?? 0).toBeGreaterThan(2 * (at[1] ?? 0))
    expect(at[1] ?? 0).toBeGreaterThan(0)
  })

  test.each([
    ['seconds', 3, 3_000, 4_500],
    ['a fraction', 0.5, 500, 2_000],
    ['a minute, at rest', 60, 60_000, 61_500],
    ['a date', new Date(Date.now() + 120_000).toUTCString(), 60_000, 121_000]
  ])('is tried again when the provider says: %s', async (_, retryAfter, from, to) => {
    // B010
    const clock = fakeClock()
    const at: number[] = []
    const model = recordingModel(({ request }) => {
      at.push(clock.monotonic())
      return request === 1 ? { error: { status: 429, retryAfter } } : { text: 'done' }
    })
    const handle = await runtimeFor(model, { clock }).start(agentOf(), { input: 'go' })
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'completed' })
    expect(at).toHaveLength(2)
    expect(at[1]).toBeGreaterThanOrEqual(from)
    expect(at[1]).toBeLessThan(to)
  })

  test.each([
    ['for good', { status: 400 }, 'provider_rejected', 1],
    ['too often', { status: 529 }, 'provider_overloaded', 3],
    // B010
    ['and asks for a pause of years', { status: 429, retryAfter: 99_999_999 }, 'rate_limited', 1]
  ])('%s fails the run with the code of its cause', async (_, error, code, requests) => {
    const clock = fakeClock()
    const model = recordingModel(() => ({ error }))
    const handle = await runtimeFor(model, { clock }).start(agentOf(), { input: 'go' })
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'failed', error: { code } })
    expect(model.prompts).toHaveLength(requests)
  })

  // B010
  test('and asks for a pause of hours leaves the run waiting, drives nothing meanwhile, and goes on by itself', async () => {
    const clock = fakeClock()
    const model = recordingModel(({ request }) => (request === 1 ? { error: { status: 429, retryAfter: 7_200 } } : { text: 'done' }))
    const runtime = runtimeFor(model, { clock })
    const handle = await runtime.start(agentOf(), { input: 'go' })
    const waiting = await runThrough(clock, handle.settled())
    expect(waiting).toMatchObject({ status: 'waiting', waits: [{ kind: 'timer', subject: { model: 'main', code: 'rate_limited' } }] })
    expect((await runtime.waits({ thread: handle.id })).items).toMatchObject([{ kind: 'timer', state: 'open' }])
    const info = await handle.info()
    expect(info.owner).toBeUndefined()
    expect(info.timerAt).toBe(waiting.waits[0]?.expiresAt)
    expect((await handle.verify()).problems).toEqual([])
    await clock.advance(7_000_000)
    expect(model.prompts).toHaveLength(1)
    await clock.advance(200_000)
    await until(async () => (await handle.info()).row.status === 'completed')
    expect(model.prompts).toHaveLength(2)
  })

  test('for which it waits is cancelled at once, and no provider is asked after it', async () => {
    // B010
    const clock = fakeClock()
    const model = recordingModel(() => ({ error: { status: 503, retryAfter: 7_200 } }))
    const handle = await runtimeFor(model, { clock }).start(agentOf(), { input: 'go' })
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'waiting' })
    await handle.cancel({ reason: 'enough' })
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'cancelled', waits: [] })
    expect(model.prompts).toHaveLength(1)
  })

  test('does not use up the retries of the next turn', async () => {
    const clock = fakeClock()
    const model = recordingModel(({ request, answers }) => {
      if (request % 3 !== 0) return { error: { status: 503 } }
      return answers === 0 ? { toolCalls: [{ name: 'get' }] } : { text: 'done' }
    })
    const handle = await runtimeFor(model, { clock }).start(agentOf({ tools: [get] }), { input: 'go' })
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'completed' })
    expect(model.prompts).toHaveLength(6)
  })

  test('for want of the model that the definition names fails the run with its code', async () => {
    const handle = await runtimeFor(recordingModel(() => ({ text: 'done' }))).start(agentOf({ model: { ref: 'other' } }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'failed', error: { code: 'model_unknown' } })
  })

  test('leaves nothing in the history of the next run', async () => {
    // B023
    const model = streamingModel(({ request }) =>
      request === 1 ? [text('t', 'the beginning'), { type: 'error', error: new Error('invalid') }] : DONE
    )
    const clock = fakeClock()
    const handle = await runtimeFor(model, { clock }).start(agentOf({ limits: { maxRetries: 0 } }), { input: 'go' })
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'failed' })
    await handle.message('again')
    await runThrough(clock, handle.settled())
    expect(JSON.stringify(model.prompts.at(-1))).not.toContain('the beginning')
    expect((await factsOf(handle)).filter((fact) => fact.type === 'run.ended')).toHaveLength(2)
  })
})

describe('usage', () => {
  test('is counted once for each answer, as the last report says', async () => {
    // B017
    const model = streamingModel(({ answers }) => [
      ...(answers === 0 ? [call('c', 'get', '{}')] : [text('t', 'done')]),
      { type: 'finish', finishReason: { unified: answers === 0 ? 'tool-calls' : 'stop', raw: undefined }, usage: usage(900, 100) }
    ])
    const handle = await runtimeFor(model).start(agentOf({ tools: [get] }), { input: 'go' })
    const result = await within(handle.settled())
    expect(result.usage).toEqual({ inputTokens: 1_800, outputTokens: 200 })
    expect((await handle.info()).row.usage).toEqual(result.usage)
    expect((await handle.runs())[0]?.usage).toEqual(result.usage)
  })

  test('that nobody reports is estimated, and says so', async () => {
    // B017
    const model = streamingModel(() => [text('t', 'x'.repeat(4_000)), finish('stop')])
    const handle = await runtimeFor(model).start(agentOf(), { input: 'go' })
    const { usage: used } = await within(handle.settled())
    expect(used).toMatchObject({ outputTokens: 1_000, estimated: true })
    expect(used.inputTokens).toBeGreaterThan(0)
  })
})
