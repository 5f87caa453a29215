import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import type { RuntimeOptions } from '../src/contracts/api.ts'
import type { ThreadHandle } from '../src/contracts/thread-handle.ts'
import type { HoldfastEvent } from '../src/contracts/event.ts'
import type { LanguageModel } from '../src/contracts/model.ts'
import type { ModelCandidate } from '../src/contracts/publication.ts'
import { COOL_DOWN_MS } from '../src/state/candidate.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import {
  agentOf,
  factsOfType,
  latch,
  recordingModel,
  resultsIn,
  runThrough,
  runtimeFor,
  streamingModel,
  toolOf,
  until,
  within
} from './runtime-kit.ts'
import { call, finish, text } from './stream-parts.ts'

const get = toolOf('get', () => 1, { effect: 'read' })
const down = (status = 503) => recordingModel(() => ({ error: { status } }))
const done = () => recordingModel(() => ({ text: 'done' }))

/** A runtime with these models, and an agent that asks the first one and has the others stand in. */
function failover(models: { readonly [name: string]: LanguageModel }, options: Partial<RuntimeOptions> = {}) {
  const [first = '', ...others] = Object.keys(models)
  const toCandidate = (name: string): ModelCandidate => {
    const [provider = '', model] = name.split('/')
    return model === undefined ? { ref: name } : { provider, model }
  }
  const runtime = runtimeFor(done(), { models, ...options })
  const model = { ...toCandidate(first), fallbacks: others.map(toCandidate) }
  return { runtime, agent: agentOf({ model, tools: [get], limits: { maxRetries: 0 } }) }
}

const asked = async (handle: Pick<ThreadHandle, 'log'>) => (await factsOfType(handle, 'turn.started')).map((fact) => fact.model)

describe('a model that stands in', () => {
  test('answers the turn that the first one could not, with its own settings and options, at its own price', async () => {
    const small = recordingModel(() => ({ text: 'done', usage: { inputTokens: 1_000_000, outputTokens: 1 } }))
    const runtime = runtimeFor(down(), {
      models: { main: down(), small },
      prices: { main: { input: 100, output: 100 }, small: { input: 3, output: 0 } }
    })
    const settings = { temperature: 0.25 }
    const model = {
      ref: 'main',
      settings: { temperature: 1, topK: 3 },
      options: { a: { x: 1 } },
      fallbacks: [{ ref: 'small', settings, options: { b: { y: 2 } } }]
    }
    const handle = await runtime.start(agentOf({ model, limits: { maxRetries: 0 } }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: 'done', cost: 3 })
    expect(small.calls[0]).toMatchObject({ temperature: 0.25, providerOptions: { b: { y: 2 } } })
    expect(small.calls[0]?.topK).toBeUndefined()
    expect(await factsOfType(handle, 'turn.started')).toMatchObject([
      { try: 1, model: 'main' },
      { try: 2, model: 'small', candidate: 1, moved: { from: 'main', why: 'provider_overloaded', withheld: 0 } }
    ])
    expect(await factsOfType(handle, 'model.failed')).toMatchObject([{ try: 1, why: 'transient' }])
  })

  test('is asked when the first one cannot even be made', async () => {
    const { runtime, agent } = failover({ main: done(), small: done() }, { concurrency: 0 })
    const { id } = await runtime.start(agent, { input: 'go' })
    const later = runtimeFor(done(), { store: runtime.store, models: { small: done() }, tools: [get], recover: true })
    const handle = later.thread(id)
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
    expect(await factsOfType(handle, 'model.failed')).toMatchObject([{ why: 'permanent', error: { code: 'model_unknown' } }])
    expect(await asked(handle)).toEqual(['main', 'small'])
  })

  // B015
  test('begins anew where the first one broke off in the middle of an answer, and clients are told to drop it', async () => {
    const broken = streamingModel(() => [
      text('t', 'half of'),
      call('c', 'get', '{"k":1}'),
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    ])
    const small = done()
    const { runtime, agent } = failover({ main: broken, small })
    const handle = await runtime.start(agent, { input: 'go' })
    const events: HoldfastEvent[] = []
    for await (const event of handle.events()) events.push(event)
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: 'done' })
    expect(events.filter((event) => event.type === 'try.reset')).toMatchObject([{ turn: expect.any(String), try: 2 }])
    expect(await factsOfType(handle, 'call.started')).toEqual([])
    expect(JSON.stringify(small.prompts)).not.toContain('half of')
    expect((await factsOfType(handle, 'model.failed'))[0]).toMatchObject({ error: { code: 'provider_overloaded' } })
  })

  test('does not take over a turn whose answer was committed', async () => {
    let isDown = false
    const main = recordingModel(({ answers }) => {
      if (isDown) return { error: { status: 503 } }
      isDown = true
      return answers === 0 ? { text: 'first', toolCalls: [{ name: 'get' }] } : { text: 'done' }
    })
    const small = done()
    const { runtime, agent } = failover({ main, small })
    const handle = await runtime.start(agent, { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
    expect((await factsOfType(handle, 'turn.started')).map((fact) => [fact.turn.slice(-1), fact.try, fact.model])).toEqual([
      ['1', 1, 'main'],
      ['2', 1, 'main'],
      ['2', 2, 'small']
    ])
    expect(JSON.stringify(small.prompts[0])).toContain('first')
  })

  test('gives way to the first one when that has cooled down', async () => {
    const clock = fakeClock()
    let isDown = true
    const main = recordingModel(() => (isDown ? { error: { status: 429 } } : { text: 'back' }))
    const { runtime, agent } = failover({ main, small: done() }, { clock })
    const handle = await runtime.start(agent, { input: 'go' })
    await runThrough(clock, handle.settled())
    isDown = false
    await handle.message('again')
    await runThrough(clock, handle.settled())
    expect(main.prompts).toHaveLength(1)
    await clock.advance(COOL_DOWN_MS)
    await handle.message('and again')
    expect(await runThrough(clock, handle.settled())).toMatchObject({ text: 'back' })
    expect(await asked(handle)).toEqual(['main', 'small', 'small', 'main'])
  })

  test('is not asked after a cancel that came while the first one failed', async () => {
    const reached = latch()
    const refuse = latch()
    const main = recordingModel(async () => {
      reached.open()
      await refuse.opened
      return { error: { status: 503 } }
    })
    const small = done()
    const { runtime, agent } = failover({ main, small })
    const handle = await runtime.start(agent, { input: 'go' })
    await within(reached.opened)
    await handle.cancel({ reason: 'enough' })
    refuse.open()
    expect(await within(handle.settled())).toMatchObject({ status: 'cancelled' })
    expect(small.prompts).toEqual([])
  })

  test('is named with the others when none of them answers', async () => {
    const { runtime, agent } = failover({ main: down(429), small: down(401), 'p/last': down(529) })
    const handle = await runtime.start(agent, { input: 'go' })
    const { status, error } = await within(handle.settled())
    expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'provider_overloaded' })
    for (const told of ['main: rate_limited', 'small: provider_rejected']) expect(error?.message).toContain(told)
  })
})

test('a fork of a turn that no model could answer asks the one that it is given, or waits as the first thread does', async () => {
  const clock = fakeClock()
  const small = recordingModel(() => ({ error: { status: 429, retryAfter: 7_200 } }))
  const { runtime, agent } = failover({ main: down(401), small, other: done() }, { clock })
  const model = { ref: 'main', fallbacks: [{ ref: 'small' }] }
  const handle = await runtime.start({ ...agent, model, limits: {} }, { input: 'go' })
  expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'waiting', waits: [{ kind: 'timer' }] })
  const same = await runtime.fork(handle.id)
  expect(await runThrough(clock, same.settled())).toMatchObject({
    status: 'waiting',
    waits: [{ kind: 'timer', thread: same.id, subject: { model: 'small' } }]
  })
  const fork = await runtime.fork(handle.id, { change: { model: { ref: 'other' } } })
  expect(await runThrough(clock, fork.settled())).toMatchObject({ status: 'completed', text: 'done' })
  const [last] = (await factsOfType(fork, 'turn.started')).slice(-1)
  expect(last).toMatchObject({ try: 3, model: 'other', moved: { from: 'small', why: 'replaced' } })
  expect(last?.candidate).toBeUndefined()
})

const own = (signature: string) => ({ some: { signature } })
// What a provider keeps for itself: a signed thought, the id of an item, a tool that it ran, a file of its own; ids that others refuse.
const LONG = `call_1|fc_${'a'.repeat(80)}`
const PRIVATE: readonly LanguageModelV4StreamPart[] = [
  { type: 'reasoning-start', id: 'r', providerMetadata: own('of the thought') },
  { type: 'reasoning-delta', id: 'r', delta: 'a private thought' },
  { type: 'reasoning-end', id: 'r', providerMetadata: own('of the thought') },
  { type: 'text-start', id: 't', providerMetadata: own('of the text') },
  { type: 'text-delta', id: 't', delta: 'let me see' },
  { type: 'text-end', id: 't' },
  { type: 'tool-call', toolCallId: 'srv_1', toolName: 'web_search', input: '{}', providerExecuted: true },
  { type: 'tool-result', toolCallId: 'srv_1', toolName: 'web_search', result: { found: 'something' } },
  { type: 'tool-call', toolCallId: LONG, toolName: 'get', input: '{"k":1}', providerMetadata: own('of the call') },
  { type: 'tool-call', toolCallId: `${LONG.slice(0, -1)}b`, toolName: 'get', input: '{"k":2}' },
  finish('tool-calls')
]

describe('what one provider has made for itself', () => {
  /** The first model answers once with private parts, then it is down. */
  function opaque() {
    return streamingModel(({ answers }) => {
      if (answers > 0) throw Object.assign(new Error('down'), { statusCode: 503 })
      return PRIVATE
    })
  }

  // B026
  test('is not shown to another one, which sees what was said, called and found, under ids that it takes', async () => {
    const small = done()
    const { runtime, agent } = failover({ 'p/main': opaque(), 'q/small': small })
    const handle = await runtime.start(agent, { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
    const [prompt] = small.prompts
    const answer = prompt?.find((message) => message.role === 'assistant')
    expect(answer?.content).toMatchObject([{ type: 'text', text: 'let me see' }, { type: 'tool-call' }, { type: 'tool-call' }])
    expect(JSON.stringify(prompt)).not.toMatch(/signature|private thought|web_search|fc_/)
    const ids = [...resultsIn(prompt).keys()]
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/)
    const moves = (await factsOfType(handle, 'turn.started')).flatMap((fact) => fact.moved ?? [])
    expect(moves).toEqual([{ from: 'p/main', why: 'provider_overloaded', withheld: 6 }])
    expect((await handle.verify()).problems).toEqual([])
    // A copy elsewhere shows the same.
    const copy = runtimeFor(done())
    const { thread } = await copy.import(handle.export())
    expect((await copy.thread(thread).prompt(2)).request.prompt).toEqual((await handle.prompt(2)).request.prompt)
    // The log keeps it all.
    const [stored] = await factsOfType(handle, 'model.responded')
    for (const kept of ['of the thought', 'of the call', LONG]) expect(JSON.stringify(stored)).toContain(kept)
  })

  test('is shown to another model of the same provider as it came', async () => {
    const small = done()
    const { runtime, agent } = failover({ 'p/main': opaque(), 'p/small': small })
    await within((await runtime.start(agent, { input: 'go' })).settled())
    const shown = JSON.stringify(small.prompts[0])
    for (const kept of ['of the thought', 'of the call', LONG]) expect(shown).toContain(kept)
  })

  test('is shown to it again when it is back, and what the other one made for itself is not', async () => {
    const clock = fakeClock()
    let isDown = false
    const main = streamingModel(({ answers }) => {
      if (isDown) throw Object.assign(new Error('down'), { statusCode: 503 })
      isDown = answers === 0
      return answers === 0 ? PRIVATE : [text('t', 'end'), finish('stop')]
    })
    const small = streamingModel(() => [
      { type: 'text-start', id: 't', providerMetadata: own('of the other') },
      { type: 'text-delta', id: 't', delta: 'I stand in' },
      finish('stop')
    ])
    const { runtime, agent } = failover({ 'p/main': main, 'q/small': small }, { clock })
    const handle = await runtime.start(agent, { input: 'go' })
    await runThrough(clock, handle.settled())
    isDown = false
    await clock.advance(COOL_DOWN_MS)
    await handle.message('again')
    expect(await runThrough(clock, handle.settled())).toMatchObject({ text: 'end' })
    const shown = JSON.stringify(main.prompts.at(-1))
    for (const kept of ['of the thought', LONG, 'I stand in']) expect(shown).toContain(kept)
    expect(shown).not.toContain('of the other')
  })

  // I19
  test('is left out of the prompt that is built again, for every try by the model that it asked', async () => {
    const main = opaque()
    const small = recordingModel(({ request }) => (request === 1 ? { toolCalls: [{ name: 'get' }] } : { text: 'done' }))
    const { runtime, agent } = failover({ 'p/main': main, 'q/small': small })
    const handle = await runtime.start({ ...agent, systemPrompt: 'You look.' }, { input: 'go' })
    await within(handle.settled())
    await until(async () => (await handle.info()).owner === undefined)
    const reader = runtimeFor(done(), { store: runtime.store, concurrency: 0 }).thread(handle.id)
    const counts = { 'p/main': 0, 'q/small': 0 }
    for (const fact of await factsOfType(handle, 'turn.started')) {
      const name = fact.model as keyof typeof counts
      const { abortSignal: _, ...sent } = (name === 'p/main' ? main : small).calls[counts[name]++] ?? { abortSignal: undefined }
      const prompt = await reader.prompt(fact.turn, { try: fact.try })
      expect(prompt).toMatchObject({ turn: fact.turn, try: fact.try, model: name })
      expect(JSON.parse(JSON.stringify(prompt.request))).toEqual(JSON.parse(JSON.stringify(sent)))
    }
    expect(counts).toEqual({ 'p/main': 2, 'q/small': 2 })
  })
})
